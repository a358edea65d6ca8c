//! Report on engines' use of their clocks: losses on time, time left at the end, time and visits by
//! ply.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::game_end::Reason;
use super::results::{GameEntry, ResultText};
use crate::program::counted;
use crate::stats::{Interval, wilson};

/// Plies that make one line of the report.
const PLIES_PER_LINE: usize = 5;

/// One engine's use of its clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClockReport {
    /// Name of the engine.
    pub engine: String,
    /// Number of games that it played.
    pub games: usize,
    /// Games lost on time.
    pub time_losses: usize,
    /// 95% interval of the share of games lost on time (Wilson).
    pub loss_interval: Interval,
    /// Mean time left at the end of the other games, in seconds; absent without a clock.
    pub mean_left_seconds: Option<f64>,
    /// Least time left at the end of the other games, in seconds.
    pub least_left_seconds: Option<f64>,
    /// Longest thinking time of a move, in seconds.
    pub longest_move_seconds: f64,
    /// Mean share of a game's time spent in the second half of the engine's moves.
    pub second_half_share: f64,
    /// By groups of plies, counted from 0.
    pub by_ply: Vec<PlyLine>,
}

/// The moves of a group of plies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlyLine {
    /// The first ply of the group.
    pub from_ply: usize,
    /// Moves in the group.
    pub moves: usize,
    /// Mean time of a move in seconds.
    pub mean_seconds: f64,
    /// Mean visits of a move, over those that report them.
    pub mean_visits: Option<f64>,
}

/// One move: ply, seconds, visits.
type Thought = (usize, f64, Option<u64>);

impl ClockReport {
    /// The report of one engine over all games.
    pub fn new(engine: &str, games: &[GameEntry]) -> ClockReport {
        let seats: Vec<(&GameEntry, usize)> = games
            .iter()
            .flat_map(|game| [(game, 0, &game.black), (game, 1, &game.white)])
            .filter_map(|(game, seat, name)| (name == engine).then_some((game, seat)))
            .collect();
        let thoughts: Vec<Vec<Thought>> = seats
            .iter()
            .map(|&(game, seat)| thoughts(game, seat))
            .collect();
        let (lost, others): (Vec<_>, Vec<_>) = seats
            .into_iter()
            .partition(|&(game, seat)| lost_on_time(game, seat));
        let left: Vec<f64> = others
            .iter()
            .filter_map(|&(game, seat)| Some(game.left?[seat]))
            .collect();
        let games = thoughts.len();
        let share = lost.len() as f64 / games.max(1) as f64;
        let all = thoughts.concat();
        let halves = thoughts.iter().filter_map(|moves| second_half(moves));
        ClockReport {
            engine: engine.to_owned(),
            games,
            time_losses: lost.len(),
            loss_interval: wilson(share, games as f64),
            mean_left_seconds: mean(left.iter().copied()),
            least_left_seconds: left.iter().copied().reduce(f64::min),
            longest_move_seconds: all.iter().map(|thought| thought.1).fold(0.0, f64::max),
            second_half_share: mean(halves).unwrap_or_default(),
            by_ply: by_ply(&all),
        }
    }
}

/// One side's moves after the opening.
fn thoughts(game: &GameEntry, seat: usize) -> Vec<Thought> {
    let moves = game.seconds.iter().zip(&game.visits).enumerate();
    moves
        .map(|(index, (&seconds, &visits))| (game.opening_len + index, seconds, visits))
        .filter(|(ply, _, _)| ply % 2 == seat)
        .collect()
}

fn lost_on_time(game: &GameEntry, seat: usize) -> bool {
    let won = [ResultText::Black, ResultText::White][1 - seat];
    game.reason == Reason::Time && game.result == won
}

/// The share of time used by the second half of the moves.
fn second_half(moves: &[Thought]) -> Option<f64> {
    let seconds = |moves: &[Thought]| moves.iter().map(|thought| thought.1).sum::<f64>();
    let total = seconds(moves);
    (total > 0.0).then(|| seconds(&moves[moves.len() / 2..]) / total)
}

fn by_ply(thoughts: &[Thought]) -> Vec<PlyLine> {
    let mut groups: BTreeMap<usize, Vec<&Thought>> = BTreeMap::new();
    for thought in thoughts {
        let group = groups.entry(thought.0 / PLIES_PER_LINE);
        group.or_default().push(thought);
    }
    let line = |(number, group): (usize, Vec<&Thought>)| PlyLine {
        from_ply: number * PLIES_PER_LINE,
        moves: group.len(),
        mean_seconds: mean(group.iter().map(|thought| thought.1)).unwrap_or_default(),
        mean_visits: mean(group.iter().filter_map(|thought| Some(thought.2? as f64))),
    };
    groups.into_iter().map(line).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

impl fmt::Display for ClockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { low, high } = self.loss_interval;
        writeln!(
            f,
            "{}: {} on time in {} [{:.2}%, {:.2}%]",
            self.engine,
            counted(self.time_losses, "loss"),
            counted(self.games, "game"),
            100.0 * low,
            100.0 * high
        )?;
        if let (Some(mean), Some(least)) = (self.mean_left_seconds, self.least_left_seconds) {
            writeln!(f, "  left at the end: mean {mean:.2} s, least {least:.3} s")?;
        }
        writeln!(
            f,
            "  longest move {:.3} s; {:.0}% of the time in the second half of the moves",
            self.longest_move_seconds,
            100.0 * self.second_half_share
        )?;
        writeln!(f, "  ply      moves  mean time  mean visits")?;
        for line in &self.by_ply {
            let visits = line
                .mean_visits
                .map_or("-".to_owned(), |visits| format!("{visits:.0}"));
            let plies = format!("{}-{}", line.from_ply, line.from_ply + PLIES_PER_LINE - 1);
            writeln!(
                f,
                "  {plies:7} {:6}  {:7.3} s  {visits:>11}",
                line.moves, line.mean_seconds
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::results::tests::entry;

    fn game(number: usize, result: ResultText, reason: Reason, left: [f64; 2]) -> GameEntry {
        GameEntry {
            reason,
            opening_len: 2,
            seconds: vec![3.0, 0.5, 1.0, 0.5, 0.0, 0.5],
            visits: vec![Some(300), None, Some(100), None, Some(50), None],
            left: Some(left),
            ..entry(number, "a", "b", result)
        }
    }

    #[test]
    fn the_use_of_a_clock_is_counted_for_each_engine() {
        let games = [
            game(0, ResultText::Black, Reason::Rules, [6.0, 8.5]),
            game(2, ResultText::White, Reason::Time, [0.0, 8.5]),
        ];
        let first = ClockReport::new("a", &games);
        assert_eq!((first.games, first.time_losses), (2, 1));
        assert_eq!(
            (first.mean_left_seconds, first.least_left_seconds),
            (Some(6.0), Some(6.0))
        );
        assert_eq!(
            (first.longest_move_seconds, first.second_half_share),
            (3.0, 0.25)
        );
        // Black's moves after two opening plies are plies 2, 4 and 6.
        let lines: Vec<_> = first
            .by_ply
            .iter()
            .map(|line| {
                (
                    line.from_ply,
                    line.moves,
                    line.mean_seconds,
                    line.mean_visits,
                )
            })
            .collect();
        assert_eq!(lines, [(0, 4, 2.0, Some(200.0)), (5, 2, 0.0, Some(50.0))]);
        let second = ClockReport::new("b", &games);
        assert_eq!((second.games, second.time_losses), (2, 0));
        assert_eq!(second.by_ply[0].mean_visits, None);
        assert!(
            first
                .to_string()
                .starts_with("a: 1 loss on time in 2 games")
        );
    }

    #[test]
    fn no_game_is_no_panic() {
        let report = ClockReport::new("unknown", &[]);
        assert_eq!((report.games, report.by_ply.len()), (0, 0));
        assert_eq!(
            report.loss_interval,
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
    }
}
