//! Playing on about dead stones, on a copy, because the game itself is over. Moves here cost no
//! points and no time; they only decide which of the disputed stones are captured.

use std::sync::atomic::Ordering;

use super::game::GameInProgress;
use super::gtp_client::Fault;
use super::player::{PlayerMove, Reply, vertex_text};
use crate::game::{Color, Game, Move, PositionHistory, Scored, scoring};

/// Maximum number of moves per point of the board; a chain that still stands then lives.
const MOVES_PER_POINT: usize = 2;

/// Result of playing on.
pub(super) struct Trial {
    pub(super) moves: Vec<(Color, Move)>,
    /// The disputed chains that are dead.
    pub(super) dead: Vec<Move>,
    /// The side that ended it by a fault or an illegal move: its disputed stones are dead, those of
    /// the opponent are alive.
    pub(super) foul: Option<TrialFault>,
}

/// Fault that ended playing on before both passed.
pub(super) struct TrialFault {
    pub(super) color: Color,
    pub(super) what: String,
    /// Whether it was a misbehaviour of the engine.
    pub(super) is_fault: bool,
    /// Whether the engine can continue.
    pub(super) usable: bool,
}

/// The position on the copy.
struct Copy<G> {
    position: G,
    past: PositionHistory,
    /// Points where each side may retake a ko only after a pass.
    kos: [Vec<Move>; 2],
    passes: u32,
    moves: Vec<(Color, Move)>,
}

impl<G: Game> Copy<G> {
    fn play(&mut self, mv: Move) {
        let color = self.position.to_move();
        self.moves.push((color, mv));
        self.position.play(mv);
        self.past.push(&self.position);
        if mv == self.position.size().pass() {
            self.passes += 1;
            self.kos[color.index()].clear();
            return;
        }
        self.passes = 0;
        if let Some(ko) = self.position.scored().and_then(Scored::ko) {
            self.kos[color.opponent().index()].push(ko);
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv) && self.past.allows(&self.position, mv)
    }

    /// Whether a legal move retakes a ko for which its side must pass first.
    fn needs_a_pass(&self, mv: Move) -> bool {
        let banned = &self.kos[self.position.to_move().index()];
        let for_ko = self.position.scored().is_some_and(Scored::passes_for_ko);
        if !for_ko || !banned.contains(&mv) {
            return false;
        }
        let mut next = self.position.clone();
        next.play(mv);
        next.scored().and_then(Scored::ko).is_some()
    }
}

impl<G: Game> GameInProgress<'_, G> {
    /// Plays on about these chains until both pass. If all of them belong to one side, the other
    /// one, which must capture them, begins. `None` if the match was stopped meanwhile.
    pub(super) fn trial(&mut self, disputed: &[Vec<Move>]) -> Option<Trial> {
        let mut position = scoring::resumed(&self.position);
        let owner = |chain: &Vec<Move>| self.position.stone(chain[0]);
        let owners: Vec<Color> = disputed.iter().filter_map(owner).collect();
        if let [first, rest @ ..] = owners.as_slice()
            && rest.iter().all(|other| other == first)
        {
            position.set_to_move(first.opponent());
        }
        let mut copy = Copy {
            position,
            past: self.past.clone(),
            kos: [Vec::new(), Vec::new()],
            passes: 0,
            moves: Vec::new(),
        };
        let most = MOVES_PER_POINT * copy.position.size().area();
        let mut foul = None;
        while copy.passes < 2 && copy.moves.len() < most && foul.is_none() {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            foul = self.next_in_trial(&mut copy).err();
        }
        let is_dead = |chain: &&Vec<Move>| {
            let owner = self.position.stone(chain[0]);
            let stands = || {
                chain
                    .iter()
                    .any(|point| copy.position.stone(*point) == owner)
            };
            match &foul {
                Some(foul) => owner == Some(foul.color),
                None => !stands(),
            }
        };
        Some(Trial {
            dead: disputed.iter().filter(is_dead).flatten().copied().collect(),
            moves: copy.moves,
            foul,
        })
    }

    /// One move on the copy, sent to the other side.
    fn next_in_trial(&mut self, copy: &mut Copy<G>) -> Result<(), TrialFault> {
        let color = copy.position.to_move();
        let limit = self.terms.move_limit;
        let player = &mut self.players[color.index()];
        let Reply { choice, .. } = player
            .clean_up(color, limit)
            .map_err(|fault| TrialFault::by_fault(color, &fault))?;
        let size = copy.position.size();
        let mv = match choice {
            // The game is over: resigning here concedes the disputed stones.
            PlayerMove::Resign => size.pass(),
            PlayerMove::Nonsense(text) => {
                let what = format!("answered `{text}`, which is not a vertex");
                return Err(TrialFault::of(color, what, true));
            }
            PlayerMove::Move(mv) => mv,
        };
        let text = vertex_text(size, mv);
        if !copy.is_legal(mv) {
            let what = format!("played {text}, which is illegal");
            return Err(TrialFault::of(color, what, true));
        }
        let by_fault = |fault| TrialFault::by_fault(color, &fault);
        let mv = match copy.needs_a_pass(mv) {
            false => mv,
            true if player.pass_instead(color).map_err(by_fault)? => size.pass(),
            true => {
                let what = format!("took back the ko at {text} without passing for it");
                return Err(TrialFault::of(color, what, false));
            }
        };
        copy.play(mv);
        let other = color.opponent();
        let told = self.players[other.index()].play(color, mv);
        told.map_err(|fault| TrialFault::by_fault(other, &fault))
    }
}

impl TrialFault {
    fn of(color: Color, what: String, is_fault: bool) -> TrialFault {
        TrialFault {
            color,
            what,
            is_fault,
            usable: true,
        }
    }

    fn by_fault(color: Color, fault: &Fault) -> TrialFault {
        TrialFault {
            usable: matches!(fault, Fault::Refused { .. }),
            ..TrialFault::of(color, fault.to_string(), true)
        }
    }
}
