//! A game during training: its moves, and its history for repetition rules.

use rand::{Rng, RngExt};

use crate::shards::ending;
use tengen::game::{Game, GameState, HalfPoints, Move, Outcome, Rules};

/// A game in progress.
#[derive(Debug, Clone)]
pub struct TrainingGame<G> {
    start: G,
    game_state: GameState<G>,
    moves: Vec<Move>,
}

impl<G: Game> TrainingGame<G> {
    /// A game that begins here.
    pub fn new(start: &G) -> TrainingGame<G> {
        TrainingGame {
            start: start.clone(),
            game_state: start.clone().into(),
            moves: Vec::new(),
        }
    }

    /// The position at the start.
    pub fn start(&self) -> &G {
        &self.start
    }

    /// The position after all moves so far.
    pub fn position(&self) -> &G {
        self.game_state.position()
    }

    /// The position with its history.
    pub fn game_state(&self) -> &GameState<G> {
        &self.game_state
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether a legal move does not violate the repetition rule.
    pub fn allows(&self, mv: Move) -> bool {
        self.game_state.allows(mv)
    }

    /// Plays a move that is legal and allowed.
    pub fn play(&mut self, mv: Move) {
        self.game_state.play(mv);
        self.moves.push(mv);
    }

    /// The result, if the game is over: by its rules, by a certain result, or because it is too
    /// long ([`ending::result`]).
    pub fn result(&self) -> Option<Outcome> {
        ending::result(self.position())
    }

    /// Plays `count` uniformly random moves, fewer if one more would end the game.
    pub fn open(&mut self, plies: u16, rng: &mut impl Rng) {
        for _ in 0..plies {
            let moves: Vec<Move> = self.game_state.legal_moves().collect();
            let Some(&mv) = moves.get(rng.random_range(0..moves.len().max(1))) else {
                return;
            };
            let mut next = self.position().clone();
            next.play(mv);
            if next.outcome().is_some() {
                return;
            }
            self.play(mv);
        }
    }
}

/// The empty board with this komi, if the game has komi.
pub fn with_komi<G: Game>(empty: &G, komi: Option<HalfPoints>) -> G {
    let rules = komi.and_then(|komi| empty.rules().with_komi(komi));
    let other = rules.filter(|rules| *rules != empty.rules());
    let other = other.and_then(|rules| G::with_rules(empty.size(), rules).ok());
    other.unwrap_or_else(|| empty.clone())
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use tengen::game::BoardSize;
    use tengen::game::PositionHistory;
    use tengen::games::go::SmallGo;
    use tengen::games::nogo::SmallNoGo;

    #[test]
    fn openings_never_end_the_game_and_repeat_nothing() {
        let go = SmallGo::new(BoardSize::new(2, 2)).unwrap();
        let nogo = SmallNoGo::new(BoardSize::new(2, 2)).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..100 {
            let mut line = TrainingGame::new(&nogo);
            line.open(30, &mut rng);
            assert!(line.position().outcome().is_none());
            let mut line = TrainingGame::new(&go);
            line.open(30, &mut rng);
            assert!(line.position().outcome().is_none());
            let mut past = PositionHistory::of(&go);
            let mut position = go.clone();
            for &mv in line.moves() {
                position.play(mv);
                assert!(mv == position.pass() || past.is_new(&position));
                past.push(&position);
            }
        }
    }

    #[test]
    fn komi_is_changed_where_there_is_one() {
        let go = SmallGo::new(BoardSize::square(5)).unwrap();
        assert_eq!(with_komi(&go, Some(HalfPoints(3))).komi(), HalfPoints(3));
        assert_eq!(with_komi(&go, None).komi(), go.komi());
        let nogo = SmallNoGo::new(BoardSize::square(5)).unwrap();
        assert_eq!(with_komi(&nogo, Some(HalfPoints(3))).rules(), nogo.rules());
    }
}
