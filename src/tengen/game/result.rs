//! Results of finished games, points and komi, and proven results of unfinished games.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Color, Move};

/// The result of a finished game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner; `None` after a draw.
    pub winner: Option<Color>,
    /// The winner's lead in points, at least 0, in games that count points.
    pub margin: Option<HalfPoints>,
}

/// A number of half points: 13 means six and a half points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfPoints(pub i32);

impl fmt::Display for HalfPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.points())
    }
}

/// A value that is not a komi.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum BadKomi {
    /// Not a finite number.
    #[error("a komi must be a number of points, such as 6.5")]
    NotANumber,
    /// Not a multiple of one half, or too large. No set of rules has quarters of a point: the 3 3/4
    /// of Chinese records are stones, each worth two points.
    #[error("a komi must be a multiple of one half from -{most} to {most}, not {}", brief(*.0), most = HalfPoints::MAX_KOMI)]
    NotHalfPoints(f64),
}

/// A number for a message; a huge one in scientific notation.
fn brief(number: f64) -> String {
    match number.abs() < 1e9 {
        true => number.to_string(),
        false => format!("{number:e}"),
    }
}

impl HalfPoints {
    /// Largest komi, in points, of either side: no board has more points.
    pub const MAX_KOMI: f64 = 400.0;

    /// Exact komi of this many points.
    ///
    /// # Errors
    /// [`BadKomi`] for values that would have to be rounded, for more than 400 points, and for
    /// values that are not finite.
    pub fn komi(points: f64) -> Result<HalfPoints, BadKomi> {
        if !points.is_finite() {
            return Err(BadKomi::NotANumber);
        }
        let halves = 2.0 * points;
        if halves.fract() != 0.0 || points.abs() > HalfPoints::MAX_KOMI {
            return Err(BadKomi::NotHalfPoints(points));
        }
        Ok(HalfPoints(halves as i32))
    }

    /// The number of points.
    pub fn points(self) -> f64 {
        f64::from(self.0) / 2.0
    }
}

impl FromStr for HalfPoints {
    type Err = BadKomi;

    /// Parses a komi in points (`6.5`), as [`HalfPoints::komi`].
    fn from_str(text: &str) -> Result<HalfPoints, BadKomi> {
        let points = text.trim().parse().map_err(|_| BadKomi::NotANumber)?;
        HalfPoints::komi(points)
    }
}

impl Outcome {
    /// Neither side wins.
    pub const DRAW: Outcome = Outcome {
        winner: None,
        margin: None,
    };

    /// A win in a game without points.
    pub const fn win(winner: Color) -> Outcome {
        let winner = Some(winner);
        Outcome {
            winner,
            ..Self::DRAW
        }
    }

    /// The result of a game with this score: positive for Black, negative for White.
    pub const fn by_points(black_ahead: HalfPoints) -> Outcome {
        Outcome {
            winner: match black_ahead.0 {
                0 => None,
                1.. => Some(Color::Black),
                _ => Some(Color::White),
            },
            margin: Some(HalfPoints(black_ahead.0.abs())),
        }
    }

    /// The result for one side.
    pub fn proof_for(self, color: Color) -> Proof {
        match self.winner {
            None => Proof::Draw,
            Some(winner) if winner == color => Proof::Win,
            Some(_) => Proof::Loss,
        }
    }

    /// +1 if `color` has won, -1 if it has lost, 0 for a draw.
    pub fn value_for(self, color: Color) -> f32 {
        self.proof_for(color).value()
    }
}

/// A certain result for one side; better results compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proof {
    /// The side loses.
    Loss,
    /// Neither side wins.
    Draw,
    /// The side wins.
    Win,
}

impl Proof {
    /// The same result for the other side.
    #[must_use]
    pub const fn flip(self) -> Proof {
        match self {
            Proof::Loss => Proof::Win,
            Proof::Draw => Proof::Draw,
            Proof::Win => Proof::Loss,
        }
    }

    /// -1, 0 or 1.
    pub const fn value(self) -> f32 {
        match self {
            Proof::Loss => -1.0,
            Proof::Draw => 0.0,
            Proof::Win => 1.0,
        }
    }

    /// The worse results: 1 for a loss, and 2 for a draw.
    const fn excludes(self) -> u32 {
        match self {
            Proof::Loss => 0b00,
            Proof::Draw => 0b01,
            Proof::Win => 0b11,
        }
    }

    /// The outcome of a game with this result for `color`, without points.
    pub fn outcome(self, color: Color) -> Outcome {
        match self {
            Proof::Loss => Outcome::win(color.opponent()),
            Proof::Draw => Outcome::DRAW,
            Proof::Win => Outcome::win(color),
        }
    }
}

/// Proven bounds of a position: with best play the side to move gets at least `low` and at most
/// `high`. New facts only narrow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    low: Proof,
    high: Proof,
}

impl Bounds {
    /// Any result is possible: nothing is proven.
    pub const OPEN: Bounds = Bounds::between(Proof::Loss, Proof::Win);

    const fn between(low: Proof, high: Proof) -> Bounds {
        Bounds { low, high }
    }

    /// The exact result.
    pub const fn exactly(proof: Proof) -> Bounds {
        Bounds::between(proof, proof)
    }

    /// This result or a better one is achievable.
    pub const fn at_least(proof: Proof) -> Bounds {
        Bounds::between(proof, Proof::Win)
    }

    /// No better result is achievable.
    pub const fn at_most(proof: Proof) -> Bounds {
        Bounds::between(Proof::Loss, proof)
    }

    /// The worst result that is still possible.
    pub const fn low(self) -> Proof {
        self.low
    }

    /// The best result that is still possible.
    pub const fn high(self) -> Proof {
        self.high
    }

    /// The exact result, if known.
    pub fn proof(self) -> Option<Proof> {
        (self.low == self.high).then_some(self.low)
    }

    /// The bounds for the opponent.
    #[must_use]
    pub const fn flip(self) -> Bounds {
        Bounds::between(self.high.flip(), self.low.flip())
    }

    /// Intersection of two facts. Never wider than `self`, even if a mistake makes them contradict
    /// each other.
    #[must_use]
    pub fn and(self, other: Bounds) -> Bounds {
        Bounds {
            low: self.low.max(other.low).min(self.high),
            high: self.high.min(other.high).max(self.low),
        }
    }

    /// Bounds for a side that may choose between two moves, given the bounds of each: folded over
    /// all moves, starting from [`Bounds::exactly`] a loss, it gives the bounds of the position.
    #[must_use]
    pub fn or(self, other: Bounds) -> Bounds {
        Bounds::between(self.low.max(other.low), self.high.max(other.high))
    }

    /// An expected result in [-1, 1], clamped to the bounds.
    pub fn clamp(self, value: f32) -> f32 {
        value.clamp(self.low.value(), self.high.value())
    }

    /// Bounds in four bits, two for each end, 0 when nothing is proven. OR-ing the bits of several
    /// facts gives those of [`Bounds::and`]: facts can be added to an atomic word without a lock.
    pub const fn to_bits(self) -> u32 {
        // Excluded results: bit 0 a loss, bit 1 a loss and a draw; bit 2 a win, bit 3 a win and a
        // draw.
        self.low.excludes() | self.high.flip().excludes() << 2
    }

    /// The inverse of [`Bounds::to_bits`]; further bits are ignored.
    pub fn from_bits(bits: u32) -> Bounds {
        let at_least = |excluded| match excluded {
            0b00 => Proof::Loss,
            0b01 => Proof::Draw,
            _ => Proof::Win,
        };
        let (low, high) = (at_least(bits & 0b11), at_least(bits >> 2 & 0b11).flip());
        Bounds::between(low, high.max(low))
    }
}

/// What is proven of a position, for its side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeResult {
    /// Its result.
    pub bounds: Bounds,
    /// The legal moves that are not proven to lose; `None` if none is proven to.
    pub open_moves: Option<Vec<Move>>,
}

impl ProbeResult {
    /// Nothing is proven.
    pub const NONE: ProbeResult = ProbeResult {
        bounds: Bounds::OPEN,
        open_moves: None,
    };
}

impl From<Bounds> for ProbeResult {
    fn from(bounds: Bounds) -> ProbeResult {
        ProbeResult {
            bounds,
            ..ProbeResult::NONE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROOFS: [Proof; 3] = [Proof::Loss, Proof::Draw, Proof::Win];

    /// All possible bounds.
    fn all() -> Vec<Bounds> {
        let pairs = PROOFS
            .into_iter()
            .flat_map(|low| PROOFS.map(|high| Bounds { low, high }));
        pairs.filter(|bounds| bounds.low <= bounds.high).collect()
    }

    /// The results that bounds leave possible.
    fn possible(bounds: Bounds) -> Vec<Proof> {
        let within = |proof: &Proof| (bounds.low..=bounds.high).contains(proof);
        PROOFS.into_iter().filter(within).collect()
    }

    #[test]
    fn bounds_survive_bits_and_facts_are_added_by_or() {
        assert_eq!(all().len(), 6);
        assert_eq!(Bounds::OPEN.to_bits(), 0);
        for one in all() {
            assert_eq!(Bounds::from_bits(one.to_bits()), one);
            assert_eq!(one.flip().flip(), one);
            for other in all() {
                let both: Vec<Proof> = PROOFS
                    .into_iter()
                    .filter(|proof| {
                        possible(one).contains(proof) && possible(other).contains(proof)
                    })
                    .collect();
                if both.is_empty() {
                    continue;
                }
                assert_eq!(possible(one.and(other)), both, "{one:?} and {other:?}");
                let bits = one.to_bits() | other.to_bits();
                assert_eq!(Bounds::from_bits(bits), one.and(other));
            }
        }
    }

    #[test]
    fn a_choice_is_worth_its_best_move_whatever_the_moves_are_worth() {
        for one in all() {
            for other in all() {
                let choices = possible(one)
                    .into_iter()
                    .flat_map(|a| possible(other).into_iter().map(move |b| a.max(b)));
                let choices: Vec<Proof> = choices.collect();
                let (least, most) = (choices.iter().min(), choices.iter().max());
                let got = one.or(other);
                assert_eq!((Some(&got.low), Some(&got.high)), (least, most));
            }
        }
        let loss = Bounds::exactly(Proof::Loss);
        let moves = [Bounds::exactly(Proof::Draw), Bounds::at_most(Proof::Draw)];
        let all = moves.into_iter().fold(loss, Bounds::or);
        assert_eq!(all.proof(), Some(Proof::Draw));
        assert_eq!(all.clamp(0.3), 0.0);
    }

    #[test]
    fn outcomes_are_seen_from_both_sides() {
        let seven_and_a_half = HalfPoints(15);
        let white = Outcome::by_points(HalfPoints(-15));
        assert_eq!(
            (white.winner, white.margin),
            (Some(Color::White), Some(seven_and_a_half))
        );
        assert_eq!(
            (seven_and_a_half.to_string(), HalfPoints(14).to_string()),
            ("7.5".to_owned(), "7".to_owned())
        );
        assert_eq!(white.value_for(Color::Black), -1.0);
        assert_eq!(
            Outcome::by_points(HalfPoints(0)).proof_for(Color::White),
            Proof::Draw
        );
        for proof in PROOFS {
            for color in Color::BOTH {
                assert_eq!(proof.outcome(color).proof_for(color), proof);
                assert_eq!(
                    proof.outcome(color).proof_for(color.opponent()),
                    proof.flip()
                );
            }
        }
    }

    #[test]
    fn half_points_are_taken_exactly_and_nothing_else_is() {
        for (text, halves) in [
            ("6.5", 13),
            ("0", 0),
            ("-0", 0),
            ("-5.5", -11),
            (" 7 ", 14),
            ("400", 800),
            ("-400", -800),
            ("1e1", 20),
        ] {
            assert_eq!(text.parse(), Ok(HalfPoints(halves)), "{text}");
        }
        for (text, number) in [
            ("4.75", "4.75"),
            ("5.1", "5.1"),
            ("24.75", "24.75"),
            ("-0.25", "-0.25"),
            ("6.499999999999", "6.499999999999"),
            ("400.5", "400.5"),
            ("1000", "1000"),
            ("-1e30", "-1e30"),
            ("1.7976931348623157e308", "1.7976931348623157e308"),
        ] {
            let error = text.parse::<HalfPoints>().unwrap_err().to_string();
            let expected =
                format!("a komi must be a multiple of one half from -400 to 400, not {number}");
            assert_eq!(error, expected);
        }
        for text in [
            "",
            "nan",
            "inf",
            "-inf",
            "1e999",
            "six",
            "6,5",
            "6.5 points",
        ] {
            assert_eq!(
                text.parse::<HalfPoints>(),
                Err(BadKomi::NotANumber),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for halves in [-800, -13, -1, 0, 1, 14, 15, 800] {
            let komi = HalfPoints(halves);
            assert_eq!(komi.to_string().parse(), Ok(komi));
            assert_eq!(HalfPoints::komi(komi.points()), Ok(komi));
        }
    }
}
