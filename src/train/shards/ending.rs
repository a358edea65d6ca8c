//! The end of a game, point by point: targets of the auxiliary heads (docs/methods.md#networks).
//!
//! Computed for any game from its rules. If points are counted ([`tengen::game::Scored::current_score`]), an ending
//! consists of the owners of points and the lead; the rest of this text is about other games.
//! Closed points are meaningful where legality is monotone. In NoGo nothing is ever captured, so
//! the final board contains every stone. It does not show *when* a point became closed: each point
//! and colour has one fate, filled while open or closed while empty, and [`Ending::closed_own`]
//! stores the second kind. This is what territory means in NoGo; the stones alone are half parity.

use tengen::game::{
    Bits, BoardSize, Color, Game, HalfPoints, Move, Outcome, Symmetry, ply_cap, scoring, zobrist,
};

/// Larger margins are clamped (Gao & Wu 2021, 3.2.2: most gaps are within 5 points).
pub const MAX_MARGIN: i8 = 5;

/// A set of points of any board.
pub type PointSet = Bits<{ zobrist::MAX_POINTS.div_ceil(64) }>;

/// The end of a game, from one side's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// That side's stones on the final board; its points, if points are counted.
    pub own: PointSet,
    /// The opponent's stones on the final board, or points.
    pub theirs: PointSet,
    /// Points that were empty and forbidden to that side at any time.
    pub closed_own: PointSet,
    /// Points that were empty and forbidden to the opponent at any time.
    pub closed_theirs: PointSet,
    /// 1 + the moves that the winner could still make alone on the final board, at most
    /// [`MAX_MARGIN`]; negative for the loser; 0 in a draw, and if points are counted.
    pub margin: i8,
    /// Final lead of that side, if points are counted.
    pub lead: Option<HalfPoints>,
}

impl Ending {
    /// Black's view of an ending converted to a side's.
    pub(crate) fn seen_by(&self, color: Color) -> Ending {
        match color {
            Color::Black => *self,
            Color::White => self.swapped(),
        }
    }

    /// The same ending from the opponent's view.
    #[must_use]
    pub fn swapped(&self) -> Ending {
        Ending {
            own: self.theirs,
            theirs: self.own,
            closed_own: self.closed_theirs,
            closed_theirs: self.closed_own,
            margin: -self.margin,
            lead: self.lead.map(|lead| HalfPoints(-lead.0)),
        }
    }

    /// The same ending under a symmetry of its board.
    #[must_use]
    pub fn turned(&self, size: BoardSize, symmetry: Symmetry) -> Ending {
        let turned = |set: PointSet| -> PointSet {
            let points = set.iter();
            points.map(|point| symmetry.apply(size, point)).collect()
        };
        Ending {
            own: turned(self.own),
            theirs: turned(self.theirs),
            closed_own: turned(self.closed_own),
            closed_theirs: turned(self.closed_theirs),
            ..*self
        }
    }
}

/// How a training game ends at a position: by its rules; if points are counted, as soon as the
/// winner is certain; and at the ply limit, as it stands, which is a draw if no points are counted.
pub fn result<G: Game>(position: &G) -> Option<Outcome> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome);
    }
    let too_long = position.ply() >= ply_cap(position.size());
    match scoring::current_score(position) {
        Some(current_score) if current_score.decided || too_long => {
            Some(Outcome::by_points(current_score.black_ahead))
        }
        None if too_long => Some(Outcome::DRAW),
        _ => None,
    }
}

/// The ending from Black's view, and the winner; `None` when a move is illegal or the game has not
/// ended.
pub(crate) fn of<G: Game>(start: &G, moves: &[Move]) -> Option<(Ending, Outcome)> {
    let counts_points = scoring::current_score(start).is_some();
    let mut position = start.clone();
    let mut closed = [PointSet::EMPTY; 2];
    let mut note = |position: &G| {
        if !counts_points {
            note_closed(position, &mut closed);
        }
    };
    note(&position);
    for &mv in moves {
        if !position.is_legal(mv) {
            return None;
        }
        position.play(mv);
        note(&position);
    }
    if counts_points {
        return counted(&position);
    }
    let outcome = position.outcome()?;
    let mut stones = [PointSet::EMPTY; 2];
    for point in position.size().points() {
        if let Some(color) = position.stone(point) {
            stones[color.index()].insert(point);
        }
    }
    let margin = match outcome.winner {
        None => 0,
        Some(winner) => {
            let left = MAX_MARGIN as usize - 1;
            let margin = 1 + moves_alone(&position, winner, Move(0), left) as i8;
            outcome.value_for(Color::Black) as i8 * margin
        }
    };
    let (black, white) = (Color::Black.index(), Color::White.index());
    let ending = Ending {
        own: stones[black],
        theirs: stones[white],
        closed_own: closed[black],
        closed_theirs: closed[white],
        margin,
        lead: None,
    };
    Some((ending, outcome))
}

/// The ending of a game that counts points. The rules decide the result and the lead; dead stones
/// on the board belong to the side that has secured their points.
fn counted<G: Game>(position: &G) -> Option<(Ending, Outcome)> {
    let (current_score, outcome) = (scoring::current_score(position)?, result(position)?);
    let mut points = [PointSet::EMPTY; 2];
    for (point, owner) in (0..).map(Move).zip(current_score.owners) {
        if let Some(owner) = owner {
            points[owner.index()].insert(point);
        }
    }
    let margin = outcome.margin.unwrap_or(HalfPoints(0)).0;
    let ending = Ending {
        own: points[Color::Black.index()],
        theirs: points[Color::White.index()],
        lead: Some(HalfPoints(match outcome.winner {
            Some(Color::White) => -margin,
            _ => margin,
        })),
        closed_own: PointSet::EMPTY,
        closed_theirs: PointSet::EMPTY,
        margin: 0,
    };
    Some((ending, outcome))
}

/// Adds the points that are empty and forbidden to a side.
fn note_closed<G: Game>(position: &G, closed: &mut [PointSet; 2]) {
    for color in Color::BOTH {
        let mut turned = position.clone();
        turned.set_to_move(color);
        for point in position.size().points() {
            if position.stone(point).is_none() && !turned.is_legal(point) {
                closed[color.index()].insert(point);
            }
        }
    }
}

/// Maximum number of moves, up to `wanted`, that `color` can make consecutively on points from
/// `first` on, in ascending order. (In NoGo the order does not matter: any subset of a legal
/// position's stones is legal.)
fn moves_alone<G: Game>(position: &G, color: Color, first: Move, wanted: usize) -> usize {
    let mut most = 0;
    let mut turned = position.clone();
    turned.set_to_move(color);
    for mv in turned.legal_moves().filter(|mv| *mv >= first) {
        if most == wanted {
            break;
        }
        let mut next = turned.clone();
        next.play(mv);
        most = most.max(1 + moves_alone(&next, color, mv, wanted - 1));
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::row::finish;
    use crate::shards::row::{Row, Target};
    use tengen::game::Scored as _;
    use tengen::games::go::diagram::diagram;
    use tengen::games::nogo::SmallNoGo;

    fn points(set: PointSet) -> Vec<u16> {
        set.iter().map(|point| point.0).collect()
    }

    #[test]
    fn a_small_game_ends_as_by_hand() {
        // X..O: 1 is closed to White, whose stone would take Black's last liberty; so is 2 to
        // Black. Black plays 1: XX.O, and 2 is closed to both.
        let start = SmallNoGo::new(BoardSize::new(4, 1)).unwrap();
        let moves = [Move(0), Move(3), Move(1)];
        let (ending, outcome) = of(&start, &moves).unwrap();
        assert_eq!(outcome, Outcome::win(Color::Black));
        assert_eq!(
            (points(ending.own), points(ending.theirs)),
            (vec![0, 1], vec![3])
        );
        assert_eq!(points(ending.closed_own), [2]);
        assert_eq!(points(ending.closed_theirs), [1, 2]);
        assert_eq!(ending.margin, 1, "Black has no further move");
        assert_eq!(ending.swapped().margin, -1);
        assert_eq!(ending.swapped().swapped(), ending);
    }

    #[test]
    fn a_point_closed_to_one_side_and_then_filled_is_remembered() {
        // .XX.OO: at 0 a white stone would have no liberty. Black fills it and so ends the game.
        let start = SmallNoGo::new(BoardSize::new(6, 1)).unwrap();
        let moves = [Move(1), Move(5), Move(2), Move(4), Move(0)];
        let (ending, outcome) = of(&start, &moves).unwrap();
        assert_eq!(outcome, Outcome::win(Color::Black));
        assert!(ending.own.contains(Move(0)));
        assert!(
            ending.closed_theirs.contains(Move(0)),
            "White could not live there"
        );
        assert!(!ending.closed_own.contains(Move(0)));
    }

    #[test]
    fn the_margin_counts_what_the_winner_could_still_play() {
        // A cross of White on 3x3: Black can play nowhere.
        let mut position = SmallNoGo::new(BoardSize::square(3)).unwrap();
        for point in [1, 3, 4, 5, 7].map(Move) {
            position.set_to_move(Color::White);
            position.play(point);
        }
        position.set_to_move(Color::Black);
        assert_eq!(position.outcome(), Some(Outcome::win(Color::White)));
        // Four corners are left; the last one would be suicide.
        assert_eq!(moves_alone(&position, Color::White, Move(0), 4), 3);
        assert_eq!(moves_alone(&position, Color::White, Move(0), 2), 2);
        let (ending, _) = of(&position, &[]).unwrap();
        assert_eq!(ending.margin, -4);
        assert_eq!(points(ending.closed_own), [0, 2, 6, 8]);
        assert!(points(ending.closed_theirs).is_empty());
    }

    /// If points are counted the game ends when pass-alive stones decide it, dead stones belong to
    /// their captor, and passes end it by the rules.
    #[test]
    fn points_are_owned_and_led_by() {
        // Black has secured all of 25 points except the upper rows; White's stone at b5 is dead.
        let rows = ".O.X. XXXXX .X.X. XXXXX .....";
        let position = diagram(rows, "chinese komi7", Color::White);
        let (ending, outcome) = of(&position, &[]).unwrap();
        assert_eq!(outcome.winner, Some(Color::Black));
        assert!(position.outcome().is_none());
        assert_eq!(ending.lead, Some(HalfPoints(2 * 25 - 14)));
        assert!(ending.own.contains(Move(21)) && points(ending.theirs).is_empty());
        assert_eq!(ending.swapped().lead, Some(HalfPoints(14 - 2 * 25)));
        // Undecided: not finished.
        let open = diagram(
            "..... ..X.. ..... ..O.. .....",
            "chinese komi7",
            Color::White,
        );
        assert_eq!(of(&open, &[]), None);
        // Two passes end it as the board stands.
        let (ending, outcome) = of(&open, &[Move(25), Move(25)]).unwrap();
        assert_eq!(outcome.winner, Some(Color::White));
        assert_eq!(ending.lead, Some(HalfPoints(-14)));
        assert_eq!(
            (points(ending.own), points(ending.theirs)),
            (vec![17], vec![7])
        );
    }

    #[test]
    fn a_game_that_goes_on_for_too_long_ends_as_it_stands() {
        let mut go = diagram(
            "..... ..X.. ..... ..O.. .....",
            "chinese komi7",
            Color::White,
        );
        let mut nogo = SmallNoGo::new(BoardSize::new(2, 1)).unwrap();
        assert_eq!((result(&go), result(&nogo)), (None, None));
        while go.ply() < 100 {
            assert_eq!(result(&go), None);
            // One side passes, the other is made to.
            go.play(go.pass());
            go = go.resumed();
            go.set_to_move(Color::Black);
            go.set_to_move(Color::White);
        }
        assert_eq!(result(&go), Some(Outcome::by_points(HalfPoints(-14))));
        nogo.play(Move(0));
        assert!(result(&nogo).is_some());
    }

    #[test]
    fn rows_get_result_and_ending_from_their_side_and_keep_what_was_proven() {
        let start = SmallNoGo::new(BoardSize::new(4, 1)).unwrap();
        let moves = [Move(0), Move(3), Move(1)];
        let outcome = Outcome::win(Color::Black);
        let mut position = start.clone();
        let mut rows: Vec<Row> = moves
            .iter()
            .map(|&mv| {
                let row = Row::record(0, &position, &Target::new(vec![(mv, 1.0)], 0.0));
                position.play(mv);
                row
            })
            .collect();
        rows[0].exact = true;
        rows[0].result = -1;
        finish(&mut rows, &start, &moves, outcome);
        let results: Vec<i8> = rows.iter().map(|row| row.result).collect();
        assert_eq!(
            results,
            [-1, -1, 1],
            "the first was proven lost and stays so"
        );
        assert_eq!(rows[1].ending.unwrap().margin, -1);
        assert_eq!(rows[2].ending.unwrap().margin, 1);
        // Aborted: a result, but no ending.
        finish(&mut rows, &start, &moves[..2], outcome);
        assert!(rows.iter().all(|row| row.ending.is_none()));
    }

    #[test]
    fn a_turned_row_has_the_ending_of_the_turned_game() {
        let size = BoardSize::square(4);
        let start = SmallNoGo::new(size).unwrap();
        let (mut position, mut moves) = (start.clone(), Vec::new());
        while let Some(mv) = position.legal_moves().last() {
            moves.push(mv);
            position.play(mv);
        }
        let outcome = position.outcome().unwrap();
        for symmetry in Symmetry::all(size) {
            let mut row = Row::record(0, &start, &Target::new(vec![], 0.0));
            let mut turned = row.clone();
            let images: Vec<Move> = moves.iter().map(|&mv| symmetry.apply(size, mv)).collect();
            finish(std::slice::from_mut(&mut row), &start, &moves, outcome);
            finish(std::slice::from_mut(&mut turned), &start, &images, outcome);
            assert!(row.ending.is_some());
            assert_eq!(row.turned(symmetry).ending, turned.ending);
        }
    }
}
