//! Unconditional life: Benson's pass-alive chains, and results proven by them (docs/methods.md#go).

use super::{Agreed, Go, Scoring};
use crate::game::{Bits, Bounds, Color, Game, HalfPoints, Outcome};

/// Points and stones that one side has secured unconditionally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassAlive<const WORDS: usize> {
    /// Stones that survive even if their side always passes.
    pub stones: Bits<WORDS>,
    /// These stones and their vital regions: all of it counts for their side in the end, if that
    /// side answers moves in such a region and does not pass while opposing stones are inside.
    pub secured: Bits<WORDS>,
    /// Points that count for their side even if it always passes: the stones, and their vital
    /// regions of one point.
    pub kept: Bits<WORDS>,
}

/// A chain, or a region of points without stones of one side, and what lies next to it.
pub(super) struct Part<const WORDS: usize> {
    pub(super) points: Bits<WORDS>,
    around: Bits<WORDS>,
    /// Of a region: whether it is beside living chains only.
    pub(super) good: bool,
}

impl<const WORDS: usize> Part<WORDS> {
    /// Whether a chain has an eye in this region, of which it has to touch what is `needed`.
    fn is_eye(&self, chain: &Self, needed: Bits<WORDS>) -> bool {
        self.good
            && self.points.intersects(chain.around)
            && !(self.points & needed).intersects(!chain.around)
    }
}

/// Benson's chains of one side: those that are alive if it only ever passes.
pub(super) struct Benson<const WORDS: usize> {
    pub(super) chains: Vec<Part<WORDS>>,
    /// All regions of points without stones of the side.
    pub(super) regions: Vec<Part<WORDS>>,
    /// What of a region a chain has to touch to have an eye there.
    needed: Bits<WORDS>,
}

impl<const WORDS: usize> Benson<WORDS> {
    /// The points of the chains.
    pub(super) fn stones(&self) -> Bits<WORDS> {
        let chains = self.chains.iter().map(|chain| chain.points);
        chains.fold(Bits::EMPTY, |all, chain| all | chain)
    }
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// The living chains of `color`; with `suicide` only those that live where suicide is legal: there the other side
    /// can take its own stones off the board, and all points of an eye must be liberties of its chain, not only the
    /// empty ones.
    pub(super) fn benson(&self, color: Color, suicide: bool) -> Benson<WORDS> {
        let (frame, stones) = (self.board.frame(), self.stones(color));
        let parts = |set| {
            let parts = frame.components(set).map(|points| Part {
                points,
                around: frame.neighbors(points),
                good: true,
            });
            parts.collect::<Vec<_>>()
        };
        let needed = if suicide { !stones } else { self.empty() };
        let (mut chains, mut regions) = (parts(stones), parts(frame.board() & !stones));
        loop {
            let mut lost = Bits::EMPTY;
            chains.retain(|chain| {
                let lives = regions
                    .iter()
                    .filter(|region| region.is_eye(chain, needed))
                    .take(2)
                    .count()
                    == 2;
                if !lives {
                    lost |= chain.points;
                }
                lives
            });
            if lost.is_empty() {
                return Benson {
                    chains,
                    regions,
                    needed,
                };
            }
            for region in &mut regions {
                region.good &= !region.around.intersects(lost);
            }
        }
    }

    /// What `color` has secured.
    pub fn pass_alive(&self, color: Color) -> PassAlive<WORDS> {
        let found = self.benson(color, self.rules.suicide);
        let stones = found.stones();
        let mut alive = PassAlive {
            stones,
            secured: stones,
            kept: stones,
        };
        for region in &found.regions {
            if found
                .chains
                .iter()
                .any(|chain| region.is_eye(chain, found.needed))
            {
                alive.secured |= region.points;
                if region.points.is_single() {
                    alive.kept |= region.points;
                }
            }
        }
        alive
    }

    /// Empty points that a side has secured. Those that the side to move has secured are left out where
    /// it still has stones to take there, unless `agreed`.
    pub(super) fn settled_points(&self, agreed: bool) -> Bits<WORDS> {
        let (own, other) = (self.to_move, self.to_move.opponent());
        let within = self.pass_alive(own).secured & !self.stones(own);
        let taking = match agreed {
            true => Bits::EMPTY,
            false => self.frame().flood(within & self.stones(other), within),
        };
        ((within & !taking) | self.pass_alive(other).secured) & self.empty()
    }

    /// Proven bounds of the result for the side to move, by the rules or by secured points. Under
    /// territory scoring only finished games are proven, because an answer may cost a point.
    pub fn proven(&self) -> Bounds {
        self.proven_by(|alive| alive.secured)
    }

    /// Bounds proven by these points of each side.
    pub(super) fn proven_by(&self, points: impl Fn(PassAlive<WORDS>) -> Bits<WORDS>) -> Bounds {
        if let Some(outcome) = self.outcome().filter(|_| !self.judged) {
            return Bounds::exactly(outcome.proof_for(self.to_move()));
        }
        if self.rules.scoring == Scoring::Territory {
            return Bounds::OPEN;
        }
        let area = self.size().area() as i32;
        // Black's score if this side gets only its secured points.
        let secured = |color| points(self.pass_alive(color)).count() as i32;
        let least = 2 * (2 * secured(Color::Black) - area);
        let most = 2 * (area - 2 * secured(Color::White));
        let [mut least, mut most] = [least, most].map(|ahead| ahead.saturating_sub(self.komi().0));
        if self.passes == 1 && !self.judged {
            // The side to move may end the game before the opponent has answered.
            let now = self.score(&Agreed::ALL_ALIVE).0;
            match self.to_move() {
                Color::White => least = least.min(now),
                Color::Black => most = most.max(now),
            }
        }
        let black = |ahead| Outcome::by_points(HalfPoints(ahead)).proof_for(Color::Black);
        let bounds = Bounds::at_least(black(least)).and(Bounds::at_most(black(most)));
        match self.to_move() {
            Color::Black => bounds,
            Color::White => bounds.flip(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::diagram::diagram;
    use super::super::tests::at;
    use super::super::{GoRules, SmallGo};
    use super::*;
    use crate::game::{BoardSize, Move, PositionHistory, Proof, Scored as _};

    /// Number of Black's pass-alive stones, and of all points it has secured.
    fn black(rows: &str) -> (usize, usize) {
        let alive = diagram(rows, "chinese", Color::Black).pass_alive(Color::Black);
        (alive.stones.count(), alive.secured.count())
    }

    /// White takes nine stones while Black passes: B1, A2, two suicides later B1 again, and the same on the other side.
    #[test]
    fn a_stone_in_an_eye_endangers_it_where_suicide_is_legal() {
        let rows = "XXXXX .XXX. O.X.O";
        for (rules, stones) in [("chinese", 9), ("nz", 0), ("tromp-taylor", 0)] {
            let alive = diagram(rows, rules, Color::White).pass_alive(Color::Black);
            assert_eq!(alive.stones.count(), stones, "{rules}");
        }
        // One stone in each eye beside which every point is a liberty: no way in.
        for rules in ["chinese", "tromp-taylor"] {
            let alive = diagram("O.X.O XXXXX .....", rules, Color::White).pass_alive(Color::Black);
            assert_eq!(alive.stones.count(), 6, "{rules}");
        }
    }

    #[test]
    fn chains_with_two_vital_regions_are_alive() {
        for (what, rows, expected) in [
            ("nothing", "..... ..... .....", (0, 0)),
            ("two eyes in the corner", ".X.X. XXXX. .....", (6, 8)),
            ("one eye", ".X... XX... .....", (0, 0)),
            ("one large eye", "...X. XXXX. .....", (0, 0)),
            (
                "two eyes of two and three points",
                "..X...X XXXXXXX ....... .......",
                (9, 14),
            ),
            (
                "two chains around two common eyes",
                "..... XXXXX .X.X. X...X XXXXX",
                (14, 21),
            ),
            (
                "two chains with one common eye",
                "..... XXXXX .X.X. X.... XXXXX",
                (0, 0),
            ),
            (
                "one in atari at its only other eye",
                ".X.XO XXXOO OOOO. .....",
                (0, 0),
            ),
            (
                "an eye with a stone in it",
                ".XO.X XXXXX ..... .....",
                (7, 10),
            ),
            (
                "an eye with a stone that leaves no liberty to all chains",
                ".X.OX XXO.X ..XXX .....",
                (0, 0),
            ),
            (
                "an eye too wide to be vital",
                ".X...X XX...X .X...X .XXXXX ......",
                (0, 0),
            ),
        ] {
            assert_eq!(black(rows), expected, "{what}");
        }
    }

    #[test]
    fn what_is_secured_decides_against_komi() {
        let rows = ".X.X. XXXXX XXXXX XXXXX XXXXX ..... .....";
        let proven = |rules: &str, to_move| diagram(rows, rules, to_move).proven();
        // 25 of 35 points are secured: ahead by at least 15.
        for (komi, low) in [
            ("14.5", Proof::Win),
            ("15", Proof::Draw),
            ("15.5", Proof::Loss),
        ] {
            let rules = format!("new-zealand komi{komi}");
            assert_eq!(proven(&rules, Color::Black).low(), low, "{komi}");
            assert_eq!(proven(&rules, Color::White).high(), low.flip(), "{komi}");
        }
        assert_eq!(proven("new-zealand komi20", Color::Black).proof(), None);
        assert_eq!(proven("japanese", Color::Black), Bounds::OPEN);
    }

    #[test]
    fn after_a_pass_the_board_as_it_is_counts_too() {
        // White's dead stone makes b5 and a5 neutral until it is captured.
        let rows = "O.X.X XXXXX XXXXX XXXXX .....";
        let mut position = diagram(rows, "chinese komi23.5", Color::Black);
        assert_eq!(position.proven().proof(), Some(Proof::Win));
        position.play(position.pass());
        assert_eq!(position.proven().low(), Proof::Loss);
        assert_eq!(position.proven().high(), Proof::Win, "White may pass, too");
        position.set_to_move(Color::Black);
        assert_eq!(position.proven().proof(), Some(Proof::Win));
    }

    /// Strategy of the side with secured points: it answers opposing stones in secured regions, and
    /// passes otherwise.
    fn answer(position: &SmallGo, secured: Bits<2>, past: &PositionHistory) -> Move {
        let own = position.to_move();
        let intruders = secured & position.stones(own.opponent());
        let frame = position.board.frame();
        let region = frame.flood(intruders, secured & !position.stones(own));
        let answers = region & position.empty();
        let mut answers = answers.iter();
        let allowed = |mv: &Move| position.is_legal(*mv) && past.allows(position, *mv);
        answers.find(allowed).unwrap_or(position.pass())
    }

    /// From positions of random games, against random moves of the opponent, the side with secured
    /// points owns them in the end.
    #[test]
    fn what_is_secured_can_be_kept() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut tried = 0;
        for game in 0..600 {
            let names = ["tromp-taylor", "chinese", "new-zealand"];
            let rules: GoRules = names[game % 3].parse().unwrap();
            let size = [
                BoardSize::square(5),
                BoardSize::new(4, 3),
                BoardSize::square(7),
            ][game / 3 % 3];
            let mut position = SmallGo::with_rules(size, rules).unwrap();
            let mut past = PositionHistory::of(&position);
            while position.outcome().is_none() && position.ply() < 4 * size.area() as u32 {
                for side in Color::BOTH {
                    let secured = position.pass_alive(side).secured;
                    if !secured.is_empty() && rng.random_range(0..4) == 0 {
                        tried += 1;
                        keeps(&position, &past, side, secured, &mut rng);
                    }
                }
                let mv = random_move(&position, &past, &mut rng);
                position.play(mv);
                past.push(&position);
            }
        }
        assert!(tried > 1000, "{tried} tries");
    }

    /// A random move that does not fill an own eye.
    fn random_move(
        position: &SmallGo,
        past: &PositionHistory,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Move {
        let own = position.to_move();
        let good = |p: &Move| !position.is_eye(own, *p) && past.allows(position, *p);
        let moves: Vec<Move> = position.legal_points().iter().filter(good).collect();
        match moves.len() {
            0 => position.pass(),
            count => moves[rng.random_range(0..count)],
        }
    }

    fn keeps(
        start: &SmallGo,
        past: &PositionHistory,
        side: Color,
        secured: Bits<2>,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let (mut position, mut past) = (start.clone(), past.clone());
        let bound = start.proven();
        for _ in 0..6 * start.size().area() {
            if position.outcome().is_some() {
                break;
            }
            let mv = if position.to_move() == side {
                answer(&position, secured, &past)
            } else {
                let moves: Vec<Move> = position.legal_moves().collect();
                let allowed = |mv: &Move| past.allows(&position, *mv);
                let moves: Vec<Move> = moves.into_iter().filter(allowed).collect();
                moves[rng.random_range(0..moves.len())]
            };
            position.play(mv);
            past.push(&position);
        }
        let Some(outcome) = position.outcome() else {
            return;
        };
        let owned = position.owned(&Agreed::ALL_ALIVE)[side.index()];
        let at_once =
            start.passes() == 1 && start.to_move() != side && position.ply() == start.ply() + 1;
        assert!(
            at_once || (secured & !owned).is_empty(),
            "{side} in {start:?}"
        );
        let got = outcome.proof_for(start.to_move());
        let kept = if side == start.to_move() {
            got >= bound.low()
        } else {
            got <= bound.high()
        };
        assert!(kept, "{bound:?} of {start:?}");
    }

    #[test]
    fn what_is_secured_leaves_nothing_to_play_for() {
        let idle = |rows: &str, to_move| {
            let position = diagram(rows, "chinese", to_move);
            let names = ["a4", "b4", "c4", "d4", "a1"].into_iter();
            let idle = names.filter(|name| position.idle_moves().contains(&at(&position, name)));
            idle.collect::<Vec<_>>().join(" ")
        };
        // Black's two eyes, one of two points, counted for both sides; White may live below.
        let rows = ".X..X XXXXX ..... .....";
        assert_eq!(idle(rows, Color::Black), "a4 c4 d4");
        // White may not play a4.
        assert_eq!(idle(rows, Color::White), "c4 d4");
        // Stones there can be captured, and White may not even play beside it.
        let rows = ".X.OX XXXXX ..... .....";
        assert_eq!(idle(rows, Color::Black), "a4");
        assert_eq!(idle(rows, Color::White), "");
        assert_eq!(
            idle(".X..X XXXX. ..... .....", Color::Black),
            "",
            "one eye is open"
        );
    }

    #[test]
    fn regions_are_named_by_their_points() {
        let position = diagram(".X.X. XXXX. .....", "chinese", Color::Black);
        let secured = position.pass_alive(Color::Black).secured;
        assert!(
            ["a3", "c3", "b2"]
                .iter()
                .all(|name| secured.contains(at(&position, name)))
        );
        assert!(!secured.contains(at(&position, "e3")));
    }
}
