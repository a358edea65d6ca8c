//! `tengen review`: analyses each move of a game with the search and with proofs.

mod annotated;
mod facts;
mod judge;
mod pages;
mod record;
mod search;
mod text;
mod truth;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::command::sgf_files;
use crate::program::counted;
use crate::record::GameRecord;
use crate::search::StopFlag;
use anyhow::{Context as _, anyhow, ensure};
use clap::{Arg, Args};

use super::flags::{EngineFlags, refused, with_default, with_visits, without_play};
use super::output::{self, Progress, end_as_interrupted, stop_on_ctrl_c};
use annotated::AnnotatedGames;
pub(super) use annotated::{Language, text as annotated_sgf};
pub(super) use facts::{Game, Position, tenth, winrate};
use pages::Pages;
use record::Source;
pub(super) use record::is_nogo;

pub(super) use search::Reviewer;
use text::Summary;

/// Solver nodes per position by default.
const NODES: u64 = 1_000_000;

/// Review finished games move by move.
///
/// Each position of the main line is searched, from the end of the game back, and in NoGo solved if
/// possible. A move's loss is the share of games that its player gave up, in percent of winrate; a
/// proven win that becomes a proven loss was thrown away. Limit the searches by --visits or
/// --time-per-move.
///
/// The text goes to the standard output, progress to the standard error. Ctrl-C ends it and keeps
/// finished games; a second one ends it at once.
#[derive(Debug, Args)]
#[command(mut_args(of_review))]
pub(crate) struct Review {
    /// SGF files, or folders of them; of a file with several games each one.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write a page with board, curve and mistakes: a file for one game; for several, or if the
    /// name does not end in .html, a folder with a page per game and index.html. Games of a folder
    /// that are done already with the same settings are not searched again.
    #[arg(long, value_name = "PATH")]
    html: Option<PathBuf>,
    /// Write the game as SGF, with the judgement of each move as a comment and better lines as
    /// variations: a file for one game; for several, or if the name does not end in .sgf, a folder.
    #[arg(long, value_name = "PATH")]
    sgf: Option<PathBuf>,
    /// Replace files that are not from an earlier review.
    #[arg(long)]
    force: bool,
    /// Print JSON: a line per game, then a summary line.
    #[arg(long)]
    json: bool,
    /// Solver nodes per position; a game may cost five times as many.
    #[arg(long, value_name = "N", default_value_t = NODES)]
    nodes: u64,
    #[command(flatten)]
    engine: EngineFlags,
}

fn of_review(flag: Arg) -> Arg {
    let flag = without_play(with_visits(search::VISITS, flag));
    let flag = refused(&["size", "solver-from"], flag);
    match flag.get_id() == "game" {
        true => with_default("nogo", "that of the file", flag),
        false => flag,
    }
}

impl Review {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let sources = record::sources(&sgf_files(&self.files)?);
        let files: Vec<PathBuf> = sources.iter().map(|source| source.name.clone()).collect();
        self.engine.resolve()?;
        let game = self.engine.given("game");
        let pages = self.html.as_deref();
        let pages = pages
            .map(|path| Pages::open(path, &files, self.force))
            .transpose()?;
        let annotated = self.sgf.as_deref();
        let annotated = annotated
            .map(|path| AnnotatedGames::open(path, &files, self.force))
            .transpose()?;
        let stop = stop_on_ctrl_c()?;
        let flags = Arc::new(self.engine);
        let reviewer = Reviewer::new(flags, self.nodes, stop.clone());
        Session {
            game,
            reviewer,
            pages,
            annotated,
            summary: Summary::default(),
            alone: files.len() == 1,
            json: self.json,
            stop,
        }
        .run(&files, sources)
    }
}

/// A run over several games.
struct Session {
    /// The game of the files, if given.
    game: Option<String>,
    reviewer: Reviewer,
    pages: Option<Pages>,
    annotated: Option<AnnotatedGames>,
    summary: Summary,
    /// Whether there is one game only, which is reported in full.
    alone: bool,
    json: bool,
    stop: StopFlag,
}

impl Session {
    fn run(mut self, files: &[PathBuf], sources: Vec<Source>) -> anyhow::Result<()> {
        let sources = sources.into_iter();
        let read = sources.map(|source| record::read(source, self.game.as_deref()));
        let read: Vec<anyhow::Result<(GameRecord, String)>> = read.collect();
        let records = read.iter().flatten();
        let positions = records.map(|(record, _)| record.plays.len() + 1);
        let mut progress = Progress::new(positions.sum());
        let (mut failed, mut done) = (0, 0);
        for (file, game) in files.iter().zip(read) {
            if self.stop.is_raised() {
                break;
            }
            // One bad file is no reason to lose hours of work on the others.
            let reviewed = game.and_then(|(record, text)| {
                let reviewed = self.game(file, &record, &text, &mut progress);
                reviewed.with_context(|| file.display().to_string())
            });
            match reviewed {
                Ok(whole) => done += usize::from(whole),
                Err(error) if self.alone || output::is_broken_pipe(&error) => {
                    return Err(error);
                }
                Err(error) => {
                    progress.clear();
                    log::error!("{error:#}");
                    failed += 1;
                }
            }
        }
        progress.clear();
        if self.json {
            output::print(&self.summary.json()?)?;
        } else if !self.alone && !self.summary.is_empty() {
            output::print(&self.summary.text())?;
        }
        if self.stop.is_raised() && done + failed < files.len() {
            let all = counted(files.len(), "game");
            let text = format!("interrupted after {done} of {all}");
            output::complain(&anyhow!("{text}; what is done is kept"));
            return end_as_interrupted();
        }
        ensure!(
            failed == 0,
            "{failed} of {} could not be reviewed; the others are",
            counted(files.len(), "game")
        );
        Ok(())
    }

    /// Reviews a game, or reads its review from an earlier page; false when interrupted.
    fn game(
        &mut self,
        file: &Path,
        record: &GameRecord,
        text: &str,
        progress: &mut Progress,
    ) -> anyhow::Result<bool> {
        let game = Game::new(file.display().to_string(), record);
        let game = self.reviewer.load(game, record)?;
        let settings = self.reviewer.settings(record)?;
        let pages = self.pages.as_ref();
        let review = match pages.and_then(|pages| pages.earlier(file, &game, settings)) {
            Some(review) => {
                progress.skip(review.positions.len());
                review
            }
            None => {
                let file = game.file.clone();
                self.reviewer
                    .search(game, record, &mut Vec::new(), &mut |_, _, _| {
                        progress.step(&file);
                    })?
            }
        };
        if review.positions.is_empty() {
            return Ok(false);
        }
        progress.clear();
        output::print(&match (self.json, self.alone) {
            (true, _) => serde_json::to_string(&review)?,
            (false, true) => text::game(&review),
            (false, false) => text::line(&review),
        })?;
        self.summary.add(&review);
        if let Some(pages) = &mut self.pages {
            let page = pages.add(file, &review, &self.summary)?;
            if self.alone {
                log::info!("written {}", page.display());
            }
        }
        if let Some(annotated) = &self.annotated {
            annotated.add(file, record, text, &review)?;
        }
        Ok(review.is_whole())
    }
}
