//! A recorded position, completed when its game ends: a row of a shard, and a training sample.
//!
//! Everything is from the side to move's view, so that colours are never exchanged later.
//!
//! A row stores the moves of its game; the position is reconstructed by playing them
//! ([`Row::position`]), with everything that a game's rules or a network's input need to know of
//! the history.
//!
//! A generator fills rows with [`Row::record`] for each position it keeps, with a [`Target`] from
//! its search; and calls [`finish`] once, when the game is over. Rows of a game are
//! written together and in order: the next row provides its reply target ([`Row::is_followed_by`]).

use std::cmp::Ordering;
use std::sync::Arc;

use crate::shards::ending;
use crate::shards::ending::{Ending, PointSet};
use crate::shards::training_game::with_komi;
use tengen::game::{BoardSize, Color, Game, HalfPoints, Move, Outcome, Rules, Symmetry};
use tengen::program::counted;

/// One move's share of the policy target, in 1/65535.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The move, as the policy numbers it.
    pub mv: Move,
    /// Its share of the policy; never 0.
    pub share: u16,
}

/// Training targets from a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Moves, ascending, with numbers proportional to their probability: root visits, or an
    /// improved policy. May be empty when `policy_weight` is 0.
    pub policy: Vec<(Move, f32)>,
    /// Weight of the policy loss: 1, or 0 where the result is proven and no move is learned.
    pub policy_weight: f32,
    /// The search's value in [-1, 1], for the side to move.
    pub value: f32,
    /// Kullback-Leibler divergence of the policy target from the network's prior in nats, at least
    /// 0; 0 without a prior. Surprising rows are sampled more often.
    pub surprise: f32,
    /// The position's result, if proven by a solver or the search.
    pub exact: Option<Outcome>,
}

impl Target {
    /// That of a search without a prior.
    pub fn new(policy: Vec<(Move, f32)>, value: f32) -> Target {
        Target {
            policy,
            policy_weight: 1.0,
            value,
            surprise: 0.0,
            exact: None,
        }
    }
}

/// One recorded position, with the targets that a network is fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The game's number within its run.
    pub game: u64,
    /// Size of its board.
    pub size: BoardSize,
    /// Moves played before this position.
    pub ply: u16,
    /// The side to move.
    pub to_move: Color,
    /// The moves of its game from an empty board, shared by all its rows; the first `ply` of them
    /// lead to the position.
    pub moves: Arc<[Move]>,
    /// The rules of its game, as text.
    pub rules: Arc<str>,
    /// The komi of its game, if the game has komi.
    pub komi: Option<HalfPoints>,
    /// The normalised policy target, moves ascending, without shares that round to zero.
    pub policy: Vec<Share>,
    /// Weight of the policy loss, at least 0; see [`Target::policy_weight`].
    pub policy_weight: f32,
    /// Surprise in nats, at least 0; see [`Target::surprise`].
    pub surprise: f32,
    /// The result for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
    /// Whether `result` is proven for this very position; otherwise it is the game's.
    pub exact: bool,
    /// The search's value of the position, for the side to move, in [-1, 1].
    pub root_value: f32,
    /// The game's ending, for the side to move; `None` if the game was aborted.
    pub ending: Option<Ending>,
}

impl Row {
    /// Records a position with the targets of a search. The game's moves, result and ending are
    /// filled in by [`finish`].
    pub fn record<G: Game>(game: u64, position: &G, target: &Target) -> Row {
        let proven = target.exact.map(|o| o.value_for(position.to_move()) as i8);
        Row {
            game,
            size: position.size(),
            ply: u16::try_from(position.ply()).unwrap_or(u16::MAX),
            to_move: position.to_move(),
            moves: Arc::default(),
            rules: position.rules().to_string().into(),
            komi: position.rules().komi(),
            policy: shares(&target.policy),
            policy_weight: target.policy_weight,
            surprise: target.surprise,
            result: proven.unwrap_or(0),
            exact: proven.is_some(),
            root_value: target.value,
            ending: None,
        }
    }

    /// The board that its game began with, of the size of `empty`.
    ///
    /// # Errors
    /// Names the error in the rules.
    fn empty<G: Game>(&self, empty: &G) -> Result<G, String> {
        if empty.rules().to_string() == *self.rules {
            return Ok(with_komi(empty, self.komi));
        }
        let rules: G::Rules = self.rules.parse().map_err(|unknown| format!("{unknown}"))?;
        let empty = G::with_rules(empty.size(), rules).map_err(|error| error.to_string())?;
        Ok(with_komi(&empty, self.komi))
    }

    /// The position, on a board of the size of `empty`, by the rules and with the komi of its game.
    ///
    /// # Errors
    /// Names the row that is not a position, with the reason.
    pub fn position<G: Game>(&self, empty: &G) -> Result<G, String> {
        let wrong = |why: String| format!("game {} ply {}: {why}", self.game, self.ply);
        let mut position = self.empty(empty).map_err(wrong)?;
        let moves = self.moves.get(..usize::from(self.ply));
        let moves = moves.ok_or_else(|| wrong("its game has fewer moves".to_owned()))?;
        play(&mut position, moves).map_err(wrong)?;
        Ok(position)
    }

    /// The row under a symmetry of its board: a turned position has the turned targets.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> Row {
        let turn = |mv: Move| symmetry.apply(self.size, mv);
        let share = |share: &Share| Share {
            mv: turn(share.mv),
            ..*share
        };
        let ending = self.ending.as_ref();
        Row {
            rules: Arc::clone(&self.rules),
            // Later moves do not matter.
            moves: match symmetry {
                Symmetry::IDENTITY => Arc::clone(&self.moves),
                _ => {
                    let moves = self.moves.iter().take(self.ply.into());
                    moves.map(|&mv| turn(mv)).collect()
                }
            },
            policy: self.policy.iter().map(share).collect(),
            ending: ending.map(|ending| ending.turned(self.size, symmetry)),
            ..*self
        }
    }

    /// The row's result: the game's, or the proven one.
    pub fn outcome(&self) -> Outcome {
        match self.result {
            0 => Outcome::DRAW,
            result if result > 0 => Outcome::win(self.to_move),
            _ => Outcome::win(self.to_move.opponent()),
        }
    }

    /// Whether both are of one game. Numbers alone do not tell: those of several runs may meet in a
    /// folder.
    pub fn is_of_game(&self, other: &Row) -> bool {
        (self.game, self.size) == (other.game, other.size)
            && (Arc::ptr_eq(&self.moves, &other.moves) || self.moves == other.moves)
    }

    /// Whether `next` is the position after this one in the same game: its policy target is then
    /// the opponent's reply.
    pub fn is_followed_by(&self, next: &Row) -> bool {
        next.ply == self.ply + 1 && next.to_move != self.to_move && self.is_of_game(next)
    }

    /// Game by game and ply by ply, by number and moves.
    pub fn place(&self, other: &Row) -> Ordering {
        let games = self.game.cmp(&other.game);
        let games = games.then_with(|| match Arc::ptr_eq(&self.moves, &other.moves) {
            true => Ordering::Equal,
            false => self.moves.cmp(&other.moves),
        });
        games.then(self.ply.cmp(&other.ply))
    }

    /// Whether every move of the row exists on a board of this size with `policy_len` moves, every
    /// number is in range, and a policy that is a target is one.
    pub fn fits(&self, size: BoardSize, policy_len: usize) -> bool {
        let on_board = |mv: Move| mv.index() < policy_len;
        let apart = |a: &PointSet, b: &PointSet| {
            a.iter()
                .all(|point| point.index() < size.area() && !b.contains(point))
        };
        let weight = |number: f32| number.is_finite() && number >= 0.0;
        weight(self.policy_weight)
            && weight(self.surprise)
            && (-1.0..=1.0).contains(&self.root_value)
            && (-1..=1).contains(&self.result)
            && self.policy.iter().all(|share| on_board(share.mv))
            && (self.policy_weight == 0.0 || self.policy.iter().any(|share| share.share > 0))
            && usize::from(self.ply) <= self.moves.len()
            && self.moves.iter().all(|&mv| on_board(mv))
            && self.ending.is_none_or(|end| apart(&end.own, &end.theirs))
    }
}

/// Plays moves, unless one is illegal.
fn play<G: Game>(position: &mut G, moves: &[Move]) -> Result<(), String> {
    for &mv in moves {
        if !position.is_legal(mv) {
            return Err(format!(
                "move {} is illegal after {}",
                mv.0,
                counted(position.ply(), "move")
            ));
        }
        position.play(mv);
    }
    Ok(())
}

/// Numbers proportional to probabilities as shares in 1/65535, without those that round to zero.
fn shares(policy: &[(Move, f32)]) -> Vec<Share> {
    let total: f64 = policy.iter().map(|&(_, number)| f64::from(number)).sum();
    let share = |number: f32| (f64::from(number) / total * f64::from(u16::MAX)).round() as u16;
    let shares = policy.iter().map(|&(mv, number)| Share {
        mv,
        share: share(number),
    });
    // A total of 0 gives no number at all, which the cast takes for 0.
    shares.filter(|share| share.share > 0).collect()
}

/// Fills in moves, result and ending of a finished game's rows. `moves` leads from `start`, an
/// empty board, to the end of the game, unrecorded moves included. Results proven by a search
/// ([`Row::exact`]) stay.
///
/// `outcome` is the game's result. It is not taken from the last position, as a game may stop when
/// its winner is known: then `moves` should continue to the end, by any cheap policy that keeps the
/// result; otherwise the rows get no ending.
pub fn finish<G: Game>(rows: &mut [Row], start: &G, moves: &[Move], outcome: Outcome) {
    let ending = ending::of(start, moves).filter(|(_, ended)| *ended == outcome);
    let moves: Arc<[Move]> = moves.into();
    for row in rows {
        if !row.exact {
            row.result = outcome.value_for(row.to_move) as i8;
        }
        row.moves = Arc::clone(&moves);
        row.ending = ending.map(|(black, _)| black.seen_by(row.to_move));
    }
}

#[cfg(test)]
mod tests {
    use super::finish;
    use super::*;
    use proptest::prelude::*;
    use tengen::games::nogo::SmallNoGo;

    proptest! {
        #[test]
        fn a_point_set_has_each_point_once(points in proptest::collection::vec(0u16..400, 0..40)) {
            let mut set = PointSet::EMPTY;
            points.iter().for_each(|&point| set.insert(Move(point)));
            let mut sorted = points;
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(set.iter().map(|mv| mv.0).collect::<Vec<_>>(), sorted);
        }
    }

    #[test]
    fn shares_sum_to_nearly_one() {
        let shares = shares(
            &[3, 4, 9, 10]
                .map(Move)
                .into_iter()
                .zip([1.0, 2.0, 0.0, 700.0])
                .collect::<Vec<_>>(),
        );
        assert_eq!(
            shares.iter().map(|s| s.mv.0).collect::<Vec<_>>(),
            [3, 4, 10]
        );
        let total: u32 = shares.iter().map(|s| u32::from(s.share)).sum();
        assert!(total.abs_diff(65535) <= 3);
        assert!(super::shares(&[]).is_empty());
        assert!(super::shares(&[(Move(1), 0.0)]).is_empty());
    }

    /// The rows of a game of these moves on 4x4.
    fn rows(moves: &[u16]) -> Vec<Row> {
        let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let moves: Vec<Move> = moves.iter().copied().map(Move).collect();
        let mut position = empty.clone();
        let record = |mv: &Move| {
            let row = Row::record(3, &position, &Target::new(vec![(*mv, 1.0)], 0.0));
            position.play(*mv);
            row
        };
        let mut rows: Vec<Row> = moves.iter().map(record).collect();
        finish(&mut rows, &empty, &moves, Outcome::DRAW);
        rows
    }

    #[test]
    fn only_the_next_position_of_the_same_game_follows() {
        let [rows, others] = [[5, 9, 2], [7, 9, 2]].map(|moves| rows(&moves));
        assert!(rows[0].is_followed_by(&rows[1]) && rows[1].is_followed_by(&rows[2]));
        assert!(!rows[0].is_followed_by(&rows[2]) && !rows[1].is_followed_by(&rows[0]));
        let other_game = Row {
            game: 4,
            ..rows[1].clone()
        };
        assert!(!rows[0].is_followed_by(&other_game));
        // Another run's game with the same number.
        assert!(!rows[1].is_followed_by(&others[2]));
    }

    #[test]
    fn positions_come_back_with_their_history() {
        let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let mut played = empty.clone();
        for row in rows(&[5, 9, 2, 0, 15]) {
            let position = row.position(&empty).unwrap();
            assert_eq!(position.key(), played.key());
            assert_eq!(position.last_move(), played.last_move());
            assert_eq!(position.ply(), played.ply());
            assert!(position.legal_moves().eq(played.legal_moves()));
            played.play(row.policy[0].mv);
        }
    }

    /// Turning a game's rows equals playing the turned moves.
    #[test]
    fn turned_rows_are_rows_of_the_turned_game() {
        let size = BoardSize::square(5);
        let empty = SmallNoGo::new(size).unwrap();
        let target = Target::new(vec![(Move(2), 5.0), (Move(14), 1.0)], 0.5);
        for symmetry in Symmetry::all(size) {
            let (mut position, mut turned) = (empty.clone(), empty.clone());
            let moves = [7, 3, 20, 11, 9].map(Move);
            for mv in moves {
                position.play(mv);
                turned.play(symmetry.apply(size, mv));
                let mut row = Row::record(1, &position, &target);
                finish(
                    std::slice::from_mut(&mut row),
                    &empty,
                    &moves,
                    Outcome::DRAW,
                );
                let image = row.turned(symmetry);
                let found = image.position(&empty).unwrap();
                assert_eq!(found.key(), turned.key());
                assert_eq!(found.last_move(), turned.last_move());
                assert_eq!(image.policy[1].mv, symmetry.apply(size, Move(14)));
                assert_eq!(image.policy[1].share, row.policy[1].share);
            }
        }
    }

    #[test]
    fn what_is_no_position_is_named() {
        let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let mut row = rows(&[5, 9, 2])[2].clone();
        let message = |row: &Row| row.position(&empty).unwrap_err();
        row.moves = [5, 5, 2].map(Move).into();
        assert!(message(&row).contains("game 3 ply 2: move 5 is illegal after 1"));
        row.ply = 9;
        assert!(message(&row).contains("fewer moves"));
    }
}
