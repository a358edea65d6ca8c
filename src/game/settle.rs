//! What the stones on a board count when the players stop: which are dead, and whose the points are.

use super::{BoardSize, Color, HalfPoints, Move, Outcome};

/// What is expected to become of each point if the game is played to its end: by playouts, or by a
/// network.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// Whose each point will be: 1 Black's for certain, -1 White's.
    pub owner: Vec<f32>,
    /// The same of points with stones if the side whose stone it is moves next, where that was looked
    /// at; of other points 0.
    pub defended: Option<Vec<f32>>,
    /// The chance of each point, in [0, 1], to be a liberty that both sides share and neither fills,
    /// or a stone beside one.
    pub shared: Vec<f32>,
    /// By how many points Black will be ahead, komi included.
    pub black_ahead: f32,
    /// The standard deviation of it, in points.
    pub deviation: f32,
}

/// What a point is when the players stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A stone that stays.
    Alive,
    /// A stone that stays, for nobody can attack it without losing what attacks.
    Seki,
    /// A stone that is taken off.
    Dead,
    /// An empty point that counts for one side.
    Territory(Color),
    /// An empty point that counts for nobody.
    Dame,
}

/// A position as the players may agree to count it.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// What each point is.
    pub fates: Vec<Fate>,
    /// By how much Black is ahead, komi included.
    pub black_ahead: HalfPoints,
    /// The same if White got all that is not certain, and if Black did.
    pub range: [HalfPoints; 2],
    /// Empty points that nobody has enclosed, and that count for whoever plays there.
    pub open: usize,
}

impl Settled {
    /// The result if the players agree on it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome::by_points(self.black_ahead)
    }

    /// Whether it is certain of every point.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.range[0] == self.range[1]
    }

    /// Who wins, whatever becomes of what is not certain; nobody where that decides.
    #[must_use]
    pub fn certain_winner(&self) -> Option<Color> {
        let [least, most] = self.range.map(|ahead| Outcome::by_points(ahead).winner);
        least.filter(|_| least == most)
    }

    /// The points of one fate, ascending.
    pub fn points(&self, fate: Fate) -> impl Iterator<Item = Move> {
        let all = self.fates.iter().enumerate();
        all.filter(move |(_, found)| **found == fate)
            .map(|(index, _)| Move(index as u16))
    }

    /// The empty points that dead stones among `these` reach, on a board of this size.
    #[must_use]
    pub fn around_dead(&self, size: BoardSize, these: impl Fn(Move) -> bool) -> Vec<Move> {
        let mut reached = vec![false; size.area()];
        let mut todo: Vec<Move> = self.points(Fate::Dead).filter(|&mv| these(mv)).collect();
        while let Some(point) = todo.pop() {
            let open = !matches!(self.fates[point.index()], Fate::Alive | Fate::Seki);
            if !open || std::mem::replace(&mut reached[point.index()], true) {
                continue;
            }
            let (x, y) = size.column_row(point);
            let (width, height) = (size.width, size.height);
            let around = [
                (x > 0).then(|| size.point(x - 1, y)),
                (x + 1 < width).then(|| size.point(x + 1, y)),
                (y > 0).then(|| size.point(x, y - 1)),
                (y + 1 < height).then(|| size.point(x, y + 1)),
            ];
            todo.extend(around.into_iter().flatten());
        }
        let empty = |fate: &Fate| matches!(fate, Fate::Territory(_) | Fate::Dame);
        let points = (0..size.area()).filter(|&at| reached[at] && empty(&self.fates[at]));
        points.map(|at| Move(at as u16)).collect()
    }
}
