//! Reviews a game: the engine searches each position, from the end of the game back.
//!
//! The engine's graph keeps later positions, so that the search of an earlier one knows the
//! continuation of the game, and proofs propagate backwards.

use std::sync::Arc;

use crate::book::BookSource;
use crate::clock::{Clock, SystemClock};
use crate::engine::{
    AnalysisEffort, AnalysisRequest, Backend, Engine, EngineOptions, MoveKind, MoveRequest,
};
use crate::fnv;
use crate::game::{BoardSize, Color, Outcome, Symmetry};
use crate::program::counted;
use crate::record::GameRecord;
use crate::registry;
use crate::search::{AnalysisOptions, PointsByMove, SearchReport, StopFlag};
use crate::settings::Table as _;
use crate::solver;
use crate::system;
use anyhow::{Context as _, ensure};
use tengen_nn::eval::ModelSource;

use super::super::flags::EngineFlags;
use super::facts::{Game, Position, Review, Settings};
use super::judge;
use super::truth::{self, Looked, Verdict};

/// Default visits of a search, with a network and with random playouts.
pub(super) const VISITS: u64 = 400;
const PLAYOUTS: u64 = 20_000;

/// What is told of each position that was searched: the number of moves before it, the side to move, and the report with
/// the proofs beside the search, in which moves that are proven to win come first.
pub(in crate::cli) type See<'a> = &'a mut dyn FnMut(usize, Color, Option<&SearchReport>);

/// Reviews games, one after the other.
pub(in crate::cli) struct Reviewer {
    flags: Arc<EngineFlags>,
    /// Solver nodes per position.
    nodes: u64,
    time: Arc<dyn Clock>,
    stop: StopFlag,
    judge: Option<BoardEngine>,
}

/// An engine for one board.
struct BoardEngine {
    options: EngineOptions,
    engine: Box<dyn Engine>,
    by_network: bool,
    settings: Settings,
    /// The rules of games whose files name none.
    rules: String,
}

impl Reviewer {
    /// Nothing is loaded yet. `nodes` is the solver's limit per position.
    pub(in crate::cli) fn new(flags: Arc<EngineFlags>, nodes: u64, stop: StopFlag) -> Reviewer {
        Reviewer {
            flags,
            nodes,
            time: Arc::new(SystemClock::new()),
            stop,
            judge: None,
        }
    }

    /// The engine's settings for a game. A named network applies to all reviewed games.
    fn options(&self, game: &str) -> anyhow::Result<EngineOptions> {
        let flags = (*self.flags).clone().for_judging();
        let mut options = flags.read_as(game)?;
        options.model = flags.read()?.model;
        // A move of a book is no judgement.
        options.book = Some(BookSource::None);
        let mut options = options.resolve()?;
        if truth::is_solved(game) {
            // Proofs are made beside the search, with more nodes than for a move.
            options.solver.solver_from = 0;
        }
        Ok(options)
    }

    /// The settings of the judgement: by searches with these limits, and by a network or without one.
    fn settings_of(&self, options: &EngineOptions, search: String, by_network: bool) -> Settings {
        let usual = EngineOptions::of(&options.game).map(|usual| usual.search);
        let usual = usual.unwrap_or_default().values();
        let changed = options.search.values().into_iter().zip(usual);
        let changed = changed.filter(|(now, usual)| now != usual);
        let changed = changed.map(|((name, value), _)| format!("{name}={value}"));
        Settings {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            search,
            network: match &options.model {
                _ if !by_network => "no network".to_owned(),
                // Another network may come to be in its place.
                Some(path) => {
                    let checksum = std::fs::read(path).map_or(0, |bytes| fnv::hash(&bytes));
                    format!("{} ({checksum:016x})", path.display())
                }
                None => "built in".to_owned(),
            },
            changed: changed.collect(),
            nodes: self.nodes,
            thresholds: judge::THRESHOLDS,
        }
    }

    /// The settings for games like this one.
    ///
    /// # Errors
    /// If there is no engine for it, or a requested network cannot be used.
    pub(super) fn settings(&mut self, record: &GameRecord) -> anyhow::Result<&Settings> {
        Ok(&self.judge(record)?.settings)
    }

    /// Reviews a game; `see` is called for each position. When stopped, it returns the result so far,
    /// which may have no position. `found` has what an earlier review of this game has found, from the last position back,
    /// and gets the rest.
    ///
    /// # Errors
    /// If the record is of another game or has an illegal move, or there is no engine for it.
    pub(in crate::cli) fn review(
        &mut self,
        game: Game,
        record: &GameRecord,
        found: &mut Vec<Position>,
        see: See<'_>,
    ) -> anyhow::Result<Review> {
        let game = self.load(game, record)?;
        self.search(game, record, found, see)
    }

    /// Loads a game, and returns it with the rules by which it will be judged: its own, or those of the command line.
    ///
    /// # Errors
    /// As [`Reviewer::review`].
    pub(super) fn load(&mut self, game: Game, record: &GameRecord) -> anyhow::Result<Game> {
        let BoardEngine { engine, rules, .. } = self.judge(record)?;
        // Those of an earlier game would last.
        engine.clear();
        engine.set_rules(rules)?;
        let notes = engine.load(record);
        for note in notes.context("the game cannot be replayed")? {
            log::warn!("{}: {note}", game.file);
        }
        Ok(game.judged_by(&engine.record()))
    }

    /// Reviews the loaded game.
    ///
    /// # Errors
    /// As [`Reviewer::review`].
    pub(super) fn search(
        &mut self,
        game: Game,
        record: &GameRecord,
        found: &mut Vec<Position>,
        see: See<'_>,
    ) -> anyhow::Result<Review> {
        let (stop, nodes) = (self.stop.clone(), self.nodes);
        let judge = self.judge(record)?;
        let effort = solver::SolveLimits {
            nodes,
            threads: judge.options.threads.unwrap_or_else(system::processors),
            halt: &|_| stop.is_raised(),
        };
        let bytes = (judge.options.solver.solver_mib as usize) << 20;
        let mut verdicts = truth::verdicts(record, effort, bytes)?;
        judge.search(record, &mut *verdicts, &stop, found, see)?;
        let mut positions: Vec<Position> = found.iter().rev().cloned().collect();
        judge::compare(&mut positions, &game);
        Ok(Review {
            settings: judge.settings.clone(),
            by_network: judge.by_network,
            proven: judge::proven(&positions),
            players: Color::BOTH.map(|side| judge::tally(&positions, side)),
            positions,
            game,
        })
    }

    fn judge(&mut self, record: &GameRecord) -> anyhow::Result<&mut BoardEngine> {
        let (game, size) = (&record.game, record.size);
        let fits = |judge: &BoardEngine| judge.options.game == *game && judge.engine.size() == size;
        let judge = match self.judge.take().filter(fits) {
            Some(judge) => judge,
            None => self.create_engine(game, size)?,
        };
        Ok(self.judge.insert(judge))
    }

    /// An engine, and whether it has a network.
    fn create_engine(&self, game: &str, size: BoardSize) -> anyhow::Result<BoardEngine> {
        let options = self.options(game)?;
        let mut engine = registry::create(&options, size, &self.time)?;
        let effort = AnalysisEffort::Network(Symmetry::IDENTITY);
        let request = AnalysisRequest::new(Color::Black, effort, &StopFlag::new());
        let first = engine.analyse(&request, &mut |_| {});
        let by_network = first.is_some_and(|report| report.by_network());
        if let Some(model) = &options.model
            && !matches!(options.backend, Backend::Rollout)
        {
            let path = model.display();
            // On another board the engine would use the built-in network.
            let fits = ModelSource::from(model.clone()).info()?.plays_on(size);
            ensure!(
                by_network && fits,
                "the network {path} cannot judge a board of {size}; the log says why"
            );
        }
        let mut thinking_limits = engine.thinking_limits();
        if thinking_limits.visits.is_none() && thinking_limits.time_per_move.is_none() {
            thinking_limits.visits = Some(if by_network { VISITS } else { PLAYOUTS });
        }
        let unit = if by_network { "visit" } else { "playout" };
        let visits = thinking_limits.visits;
        let visits = visits.map(|visits| counted(visits, unit));
        let time = thinking_limits.time_per_move;
        let time = time.map(|time| format!("{} s", time.as_secs_f64()));
        let limits: Vec<String> = visits.into_iter().chain(time).collect();
        engine.set_thinking_limits(thinking_limits);
        let settings = self.settings_of(&options, limits.join(" or "), by_network);
        Ok(BoardEngine {
            rules: engine.rules(),
            options,
            engine,
            by_network,
            settings,
        })
    }
}

impl BoardEngine {
    /// Searches the positions of the loaded game from the last one back, after those that were found before.
    fn search(
        &mut self,
        record: &GameRecord,
        verdict: &mut dyn FnMut(usize) -> Option<Verdict>,
        stop: &StopFlag,
        found: &mut Vec<Position>,
        see: See<'_>,
    ) -> anyhow::Result<()> {
        let left = (record.plays.len() + 1).saturating_sub(found.len());
        for _ in left.max(1)..=record.plays.len() {
            self.engine.undo()?;
        }
        for moves in (0..left).rev() {
            let play = record.plays.get(moves).map(|recorded| recorded.play);
            let mover = play.map_or_else(|| self.engine.to_move(), |play| play.color);
            let verdict = verdict(moves);
            let report = self.look(mover, stop);
            // A search that was cut short would look like a judgement.
            if stop.is_raised() {
                break;
            }
            let looked = Looked {
                report: report.as_ref(),
                verdict: verdict.as_ref(),
                outcome: match play {
                    Some(_) => None,
                    None => self.outcome(stop),
                },
                mover,
                size: record.size,
            };
            let mv = play.map(|play| play.vertex.index(record.size));
            let mut position = looked.position(moves, mv, self.by_network);
            // A search with a single legal move stops at once, and its value is the network's
            // estimate.
            if let (true, Some(next)) = (looked.is_forced(), found.last()) {
                position.winrate = next.winrate;
            }
            found.push(position);
            if moves > 0 {
                self.engine.undo()?;
            }
            let told = looked.report.map(|report| looked.with_proofs(report));
            see(moves, mover, told.as_ref());
        }
        Ok(())
    }

    /// Searches the current position. If endings are solved beside the search it looks for a move,
    /// as in play; otherwise, where a move may be chosen without a search, for the position's
    /// value.
    fn look(&mut self, mover: Color, stop: &StopFlag) -> Option<SearchReport> {
        if truth::is_solved(&self.options.game) {
            let request = MoveRequest::new(mover, stop).of_kind(MoveKind::Named);
            self.engine.genmove(&request, &mut |_| {});
            return self.engine.last_report().cloned();
        }
        let limits = self.engine.thinking_limits();
        let effort = AnalysisEffort::Bounded {
            visits: limits.visits,
            time: limits.time_per_move,
        };
        let options = AnalysisOptions {
            points: PointsByMove::Lead,
            ..AnalysisOptions::default()
        };
        let request = AnalysisRequest::new(mover, effort, stop).with(options);
        self.engine.analyse(&request, &mut |_| {})
    }

    /// The result of a game that has ended in the current position: without dead stones, under
    /// rules with agreement on them.
    fn outcome(&mut self, stop: &StopFlag) -> Option<Outcome> {
        // The board of a game that was resigned proves nothing.
        if self.engine.resigned().is_some() {
            return None;
        }
        let as_it_stands = self.engine.outcome()?;
        if !self.engine.agrees_on_dead() {
            return Some(as_it_stands);
        }
        let settled = self.engine.settle(stop).ok().flatten();
        Some(settled.map_or(as_it_stands, |settled| settled.outcome()))
    }
}

#[cfg(test)]
mod tests {
    use crate::command::played;
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;

    #[test]
    fn an_interrupted_review_goes_on() {
        let given = "tengen --game gomoku --size 9 --backend rollout --visits 20".split(' ');
        let command = EngineFlags::augment_args(Command::new("tengen"));
        let flags = EngineFlags::from_arg_matches(&command.get_matches_from(given));
        let flags = Arc::new(flags.expect("settings"));
        let record = played("gomoku", BoardSize::square(9), "E5 D4 E6").expect("moves");
        let mut found = Vec::new();
        for is_whole in [false, true] {
            let stop = StopFlag::new();
            let mut reviewer = Reviewer::new(Arc::clone(&flags), 1, stop.clone());
            let mut seen = 0;
            let game = Game::new(String::new(), &record);
            let review = reviewer.review(game, &record, &mut found, &mut |_, _, _| {
                seen += 1;
                if seen == 2 && !is_whole {
                    stop.raise();
                }
            });
            let review = review.expect("a review");
            assert_eq!((seen, review.is_whole()), (2, is_whole));
            let moves = review.positions.iter().map(|position| position.moves);
            assert!(moves.eq(4 - review.positions.len()..4));
        }
    }

    #[test]
    fn no_book_judges() {
        let flags = Arc::new(EngineFlags::default());
        let reviewer = Reviewer::new(flags, 1, StopFlag::new());
        let options = reviewer.options("nogo").expect("a game");
        assert_eq!(options.book, Some(BookSource::None));
    }
}
