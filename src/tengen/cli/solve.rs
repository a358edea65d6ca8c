//! `tengen solve`: the winner of a position with best play.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::command::{board_size, played, position, read};
use crate::game::{Game, Proof};
use crate::games::{self, solved_games, with_game};
use crate::gtp::{format_move, move_names, parse_color};
use crate::record::{GameRecord, sgf};
use crate::solver::{Solvable, SolveLimits, SolveResult, Solves};
use crate::system;
use anyhow::{Context as _, anyhow, bail};
use clap::{ArgGroup, Args};

use super::output::{self, end_as_interrupted, stop_on_ctrl_c};

/// Interval between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);
/// Additional nodes for the line of play.
const LINE: u64 = 20_000_000;

const EXAMPLES: &str = "\
Examples:
  tengen solve game.sgf --plies 52    who wins after 52 moves of a game, and how
  tengen solve --size 4x5             an empty board
  tengen solve --size 5 --play \"C3 B2 b D4\" --time 60
  tengen solve --game gomoku --rules renju --play \"H8 G9 H9 H7 G8 F8\" --time 10
                                      a win by threats, if there is one";

/// Solve a position: the winner with best play in NoGo, or wins by threats in Gomoku.
///
/// The position is the end of an SGF file's main line, or the one after --play, or an empty board
/// of --size. Most NoGo games on 9x9 can be solved from about ply 50 on; small boards from the
/// start. In Gomoku wins by fours and threes that cannot be stopped are found, and draws of boards
/// without room for a five; else the result mostly stays unknown. Ctrl-C ends the search and prints the result so far.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    group = ArgGroup::new("position").args(["file", "size", "play"]).multiple(true).required(true),
    after_help = EXAMPLES
)]
pub(crate) struct Solve {
    /// A game, as SGF.
    file: Option<PathBuf>,
    /// Use only this many moves of the file.
    // `requires = "file"` has no effect where the file conflicts with what is given.
    #[arg(long, value_name = "N", conflicts_with_all = ["size", "play"])]
    plies: Option<usize>,
    /// The game: nogo or gomoku [default: that of the file, else nogo].
    #[arg(long, value_name = "NAME", value_parser = games::known_name)]
    game: Option<String>,
    /// Its rules, such as renju [default: the game's usual ones].
    #[arg(
        long,
        value_name = "RULES",
        default_value = "",
        hide_default_value = true
    )]
    rules: String,
    /// An empty board: 5, or 4x6 for 4 columns and 6 rows [default with --play: the game's usual one].
    #[arg(long, value_name = "SIZE", conflicts_with = "file")]
    size: Option<String>,
    /// Moves on that board, Black first: "E5 D4", or with colours "b E5 b D4 w C3". As in GTP there is
    /// no column I: J is the ninth, also in Gomoku.
    #[arg(long, value_name = "MOVES", conflicts_with = "file")]
    play: Option<String>,
    /// The side to move, if it is not the side whose turn it is: black or white.
    #[arg(long, value_name = "COLOUR")]
    to_move: Option<String>,
    /// Threads [default: number of CPUs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory for proven positions.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    memory_mib: u64,
    /// Give up after this many nodes.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Give up after this time.
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Solve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let named = self.game.as_deref();
        let record = match &self.file {
            Some(path) => read(path, self.plies)?,
            None => {
                let name = named.unwrap_or("nogo");
                let size = match &self.size {
                    Some(size) => board_size(size)?,
                    None => games::usual_board(name),
                };
                played(name, size, self.play.as_deref().unwrap_or_default()).context("--play")?
            }
        };
        // Many NoGo files only say that they use Go's board.
        let is_nogo = sgf::game_number(&record.game) == sgf::game_number("nogo");
        let own = if is_nogo { "nogo" } else { &record.game };
        let name = named.unwrap_or(own);
        let rules = self.rules.as_str();
        with_game!(name, record.size, rules: rules, |empty| self.solve(empty, &record))?
    }

    fn solve<G: Solvable>(&self, empty: G, record: &GameRecord) -> anyhow::Result<()> {
        if G::SOLVES == Solves::Nothing {
            let game = G::INFO.title;
            bail!(
                "there is no solver for {game}: tengen solve takes {}; tengen analysis analyses games \
                 of {game}",
                solved_games()
            );
        }
        let empty = match self.rules.is_empty() {
            true => {
                let (rules, note) = record.rules_or(empty.rules());
                note.into_iter().for_each(|note| log::warn!("{note}"));
                G::with_rules(record.size, rules)?
            }
            false => empty,
        };
        let position = self.position(empty, record)?;
        let seconds = self.time.map(time_limit).transpose()?;
        let clock = SystemClock::new();
        let shown = AtomicU64::new(0);
        let stop = stop_on_ctrl_c()?;
        let halt = |nodes: u64| {
            let now = clock.now();
            report_progress(now, nodes, &shown);
            stop.is_raised() || seconds.is_some_and(|limit| now >= limit)
        };
        let effort = SolveLimits {
            nodes: self.nodes.unwrap_or(u64::MAX),
            threads: self.threads.map_or_else(system::processors, usize::from),
            halt: &halt,
        };
        let bytes = usize::try_from(self.memory_mib << 20).context("--memory-mib is too large")?;
        let solver = G::solver(bytes);
        let mut solver = solver.context("cannot create the solver")?;
        let found = solver.solve(&position, &effort);
        let searched = clock.now();
        let rate = found.nodes as f64 / searched.as_secs_f64().max(1e-6);
        let limited = G::SOLVES != Solves::Threats
            || found.nodes >= effort.nodes
            || seconds.is_some_and(|limit| searched >= limit);
        let line = match found.proof() {
            Some(_) => {
                let left = effort.nodes.saturating_sub(found.nodes);
                let mut line = solver.line(&position, &effort.within(LINE.min(left)));
                if line.is_empty() {
                    line.extend(found.best);
                }
                line
            }
            None => Vec::new(),
        };
        let result = Found {
            elapsed: clock.now(),
            rate,
            line: move_names(&line, position.size()),
            interrupted: found.proof().is_none() && stop.is_raised(),
            limited,
            finding: found,
        };
        self.print(&position, &result)?;
        match result.interrupted {
            true => end_as_interrupted(),
            false => Ok(()),
        }
    }

    /// The record's last position as one of this game, with the side to move that was asked for.
    fn position<G: Game>(&self, empty: G, record: &GameRecord) -> anyhow::Result<G> {
        let replayed = position(record, empty);
        let mut position = match record.game == G::NAME {
            true => replayed,
            false if self.game.is_some() => {
                replayed.with_context(|| format!("the file is not a valid game of {}", G::NAME))
            }
            false => replayed.with_context(|| {
                let (recorded, taken) = (&record.game, G::NAME);
                format!(
                    "there is no solver for {recorded}, and the file is not a valid game of {taken}"
                )
            }),
        }?;
        if let Some(color) = &self.to_move {
            let color = parse_color(color).ok();
            position.set_to_move(color.context("--to-move takes black or white")?);
        }
        Ok(position)
    }

    fn print<G: Game>(&self, position: &G, result: &Found) -> anyhow::Result<()> {
        let Found {
            finding: found,
            line,
            ..
        } = result;
        let (size, mover) = (position.size(), position.to_move());
        let outcome = found.proof().map(|proof| proof.outcome(mover));
        let winner = outcome.and_then(|outcome| outcome.winner);
        let seconds = result.elapsed.as_secs_f64();
        if self.json {
            let report = serde_json::json!({
                "size": size.to_string(),
                "ply": position.ply(),
                "to_move": mover.to_string(),
                "winner": winner.map(|winner| winner.to_string()),
                "draw": found.proof() == Some(Proof::Draw),
                "move": found.best.map(|mv| format_move(mv, size)),
                "line": line,
                "interrupted": result.interrupted,
                "nodes": found.nodes,
                "seconds": seconds,
            });
            return output::print(&report.to_string());
        }
        let verdict = match (outcome, winner) {
            (_, Some(winner)) => format!("{winner} wins"),
            (Some(_), None) => "draw".to_owned(),
            _ if result.interrupted => "unknown: interrupted before it was solved".to_owned(),
            _ if result.limited => "unknown: not solved within the limits".to_owned(),
            _ => "unknown: no win by threats is found".to_owned(),
        };
        output::print(&format!("{verdict}, {mover} to move"))?;
        if outcome.is_none() {
            let cannot_win = match (found.bounds.low(), found.bounds.high()) {
                (Proof::Draw, _) => Some(mover.opponent()),
                (_, Proof::Draw) => Some(mover),
                _ => None,
            };
            if let Some(side) = cannot_win {
                output::print(&format!("{side} cannot win any more"))?;
            }
        }
        if !line.is_empty() {
            output::print(&format!("line: {}", line.join(" ")))?;
        }
        let (nodes, rate) = (found.nodes, result.rate);
        output::print(&format!(
            "{nodes} nodes at {rate:.0} nodes/s, {seconds:.2} s in all"
        ))
    }
}

/// The value of `--time`.
fn time_limit(seconds: f64) -> anyhow::Result<Duration> {
    let limit = Duration::try_from_secs_f64(seconds);
    limit.map_err(|_| anyhow!("--time takes seconds from 0 to 1e19, not {seconds:?}"))
}

/// The result and its cost.
struct Found {
    finding: SolveResult,
    /// Time of the whole command.
    elapsed: Duration,
    /// Nodes per second of the search.
    rate: f64,
    line: Vec<String>,
    interrupted: bool,
    /// A limit ended it, not the solver: one of threats ends without a proof, too.
    limited: bool,
}

/// A line on the standard error stream every two seconds, from any thread.
fn report_progress(now: Duration, nodes: u64, shown: &AtomicU64) {
    let number = now.as_millis() as u64 / PROGRESS.as_millis() as u64;
    if shown.fetch_max(number, Ordering::Relaxed) < number {
        output::tell(&format!("{nodes} nodes after {:.0} s", now.as_secs_f64()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::BoardSize;
    use crate::games::gomoku::Gomoku;

    /// A game of Gomoku on 5x5 that fills the board without a five.
    const DRAWN: &str =
        "A3 D1 C1 E2 A5 B1 C3 A2 B5 B3 C4 C5 E5 A1 E3 D2 D4 E1 E4 C2 B2 B4 A4 D5 D3";

    fn after(moves: &str) -> Gomoku {
        let size = BoardSize::square(5);
        let record = played(Gomoku::NAME, size, moves).expect("points");
        position(&record, Gomoku::new(size).expect("a board")).expect("legal moves")
    }

    /// The result for the side to move, by the rules alone.
    fn brute(position: &Gomoku, seen: &mut HashMap<u128, Proof>) -> Proof {
        if let Some(outcome) = position.outcome() {
            return outcome.proof_for(position.to_move());
        }
        if let Some(&known) = seen.get(&position.key()) {
            return known;
        }
        let moves = position.legal_moves();
        let best = moves
            .map(|mv| brute(&position.after(mv), seen).flip())
            .max();
        let best = best.expect("the game goes on");
        seen.insert(position.key(), best);
        best
    }

    fn solved(position: &Gomoku) -> SolveResult {
        let mut solver = Gomoku::solver(1 << 16).expect("Gomoku has one");
        solver.solve(position, &SolveLimits::alone(10_000, &|_| false))
    }

    #[test]
    fn a_draw_has_no_winner() {
        let drawn: Vec<&str> = DRAWN.split(' ').collect();
        let mut positions: Vec<Gomoku> = (16..=25)
            .map(|plies| after(&drawn[..plies].join(" ")))
            .collect();
        positions.push(after("E5 B1 D2 C3 C2 D1 A1 D5 A2 B5 E1 C4 D3 E2 C5"));
        for position in &positions {
            let (truth, found) = (
                brute(position, &mut HashMap::new()),
                solved(position).bounds,
            );
            assert!(
                found.low() <= truth && truth <= found.high(),
                "{truth:?}, not {found:?}: {position:?}"
            );
        }
        let last = after(&drawn[..24].join(" "));
        assert_eq!(solved(&last).proof(), Some(Proof::Draw));
        assert_eq!(solved(&after(DRAWN)).proof(), Some(Proof::Draw));
    }
}
