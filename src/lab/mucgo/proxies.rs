//! Proxies for the ply at which the middle game begins or ends.
//!
//! A 5 dan player marked 500 games by hand for the paper; those games and marks cannot be had. Each
//! proxy here is a rule that a program can apply, with its reason in its help.

use tengen::game::{Bits, Color, Game, Move};
use tengen::games::go::LargeGo;

/// A rule that finds a ply in a game.
#[derive(Clone, Copy)]
pub struct Proxy {
    /// Its name.
    pub name: &'static str,
    /// The rule and its reason, for people.
    pub help: &'static str,
    /// The ply, from 1, for the traits of each move of a game; `None` if the game does not get there.
    pub(super) find: fn(&[MoveTraits]) -> Option<u32>,
}

/// What the proxies look at in a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveTraits {
    /// Beside an enemy stone.
    contact: bool,
    /// No stone within [`NEAR`] steps.
    open: bool,
    /// Captures.
    takes: bool,
    /// On the first or second line.
    low: bool,
    /// On the first line.
    edge: bool,
    /// Points farther than [`NEAR`] steps from every stone after it.
    far: usize,
    /// Points farther than one step from every stone after it.
    apart: usize,
}

/// Steps from a stone beyond which a point is open.
const NEAR: usize = 3;

/// Open points of a board whose large areas are taken: a quarter of 19x19. With it the mean is the
/// paper's, 49.
const FEW_FAR: usize = 90;

/// Points that are not beside a stone when borders are closed: a fifth of 19x19. With it the mean is
/// the paper's, 162.
const FEW_APART: usize = 72;

/// Plies of a window in which moves are counted.
const WINDOW: usize = 10;

/// Moves of a window that are enough.
const MANY: usize = 5;

/// Proxies for the beginning of the middle game.
pub const BEGINS: &[Proxy] = &[
    Proxy {
        name: "fight",
        help: "of ten moves five touch an enemy stone: the opening's distances have become contact",
        find: |traits| window(traits, |traits| traits.contact),
    },
    Proxy {
        name: "no-open",
        help: "the last move that has no stone within three steps: the large points are taken",
        find: |traits| {
            let last = traits.iter().rposition(|traits| traits.open)?;
            let goes_on = last + WINDOW < traits.len();
            goes_on.then_some(last as u32 + 1)
        },
    },
    Proxy {
        name: "capture",
        help: "the first stone is captured: a fight has a result",
        find: |traits| first(traits, |traits| traits.takes),
    },
    Proxy {
        name: "taken",
        help: "a quarter of the board is farther than three steps from every stone: the large areas are taken",
        find: |traits| first(traits, |traits| traits.far <= FEW_FAR),
    },
];

/// Proxies for its end.
pub const ENDS: &[Proxy] = &[
    Proxy {
        name: "low",
        help: "of ten moves five are on the first or second line: what is left is along the edge",
        find: |traits| window(traits, |traits| traits.low),
    },
    Proxy {
        name: "edge",
        help: "the third move on the first line: borders reach the edge",
        find: |traits| {
            let moves = traits.iter().enumerate();
            let third = moves.filter(|(_, traits)| traits.edge).nth(2)?.0;
            Some(third as u32 + 1)
        },
    },
    Proxy {
        name: "closed",
        help: "a fifth of the board is not beside a stone: borders are closed, and points are left",
        find: |traits| first(traits, |traits| traits.apart <= FEW_APART),
    },
];

/// The ply of the first move with a trait.
fn first(traits: &[MoveTraits], has: fn(&MoveTraits) -> bool) -> Option<u32> {
    let first = traits.iter().position(has)?;
    Some(first as u32 + 1)
}

/// The first ply of the first window with [`MANY`] moves that have a trait.
fn window(traits: &[MoveTraits], has: fn(&MoveTraits) -> bool) -> Option<u32> {
    let many = |moves: &[MoveTraits]| moves.iter().filter(|traits| has(traits)).count() >= MANY;
    let first = traits.windows(WINDOW).position(many)?;
    Some(first as u32 + 1)
}

/// The traits of a game's moves, up to the first pass.
pub(super) fn traits(start: &LargeGo, moves: &[Move]) -> Vec<MoveTraits> {
    let mut position = start.clone();
    let moves = moves.iter().take_while(|&&mv| mv != start.pass());
    moves.map(|&mv| play(&mut position, mv)).collect()
}

fn play(position: &mut LargeGo, mv: Move) -> MoveTraits {
    let (size, mover) = (position.size(), position.to_move());
    let enemies = position.stones(mover.opponent());
    let contact = !(position.around(mv) & enemies).is_empty();
    let open = !near(position, NEAR).contains(mv);
    position.play(mv);
    let (x, y) = size.column_row(mv);
    let line = x.min(y).min(size.width - 1 - x).min(size.height - 1 - y);
    MoveTraits {
        contact,
        open,
        takes: position.stones(mover.opponent()) != enemies,
        low: line <= 1,
        edge: line == 0,
        far: size.area() - near(position, NEAR).count(),
        apart: size.area() - near(position, 1).count(),
    }
}

/// Stones, and the points within this many steps of one.
fn near(position: &LargeGo, steps: usize) -> Bits<6> {
    let stones = position.stones(Color::Black) | position.stones(Color::White);
    (0..steps).fold(stones, |near, _| near | position.next_to(near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::BoardSize;

    const QUIET: MoveTraits = MoveTraits {
        contact: false,
        open: false,
        takes: false,
        low: false,
        edge: false,
        far: 100,
        apart: 200,
    };

    /// What a proxy finds in forty quiet moves, changed by `change`.
    fn find(proxies: &[Proxy], name: &str, change: impl Fn(&mut [MoveTraits])) -> Option<u32> {
        let mut traits = [QUIET; 40];
        change(&mut traits);
        let proxy = proxies.iter().find(|proxy| proxy.name == name);
        (proxy.expect("a proxy").find)(&traits)
    }

    #[test]
    fn plies_by_hand() {
        let contacts = |traits: &mut [MoveTraits]| {
            for at in [2, 12, 14, 16, 18, 21] {
                traits[at].contact = true;
            }
        };
        // 12, 14, 16, 18 and 21 are the fifth of ten from 12 on.
        assert_eq!(find(BEGINS, "fight", contacts), Some(13));
        assert_eq!(find(BEGINS, "fight", |_| ()), None);
        let opens = |traits: &mut [MoveTraits]| {
            for at in [0, 1, 5, 20] {
                traits[at].open = true;
            }
        };
        assert_eq!(find(BEGINS, "no-open", opens), Some(21));
        assert_eq!(
            find(BEGINS, "no-open", |traits| traits[35].open = true),
            None
        );
        assert_eq!(
            find(BEGINS, "capture", |traits| traits[7].takes = true),
            Some(8)
        );
        assert_eq!(find(BEGINS, "taken", |traits| traits[9].far = 90), Some(10));
        assert_eq!(find(BEGINS, "taken", |traits| traits[9].far = 91), None);
        let low =
            |traits: &mut [MoveTraits]| traits[20..25].fill(MoveTraits { low: true, ..QUIET });
        assert_eq!(find(ENDS, "low", low), Some(16));
        let edges = |traits: &mut [MoveTraits]| {
            for at in [3, 30, 35, 36] {
                traits[at].edge = true;
            }
        };
        assert_eq!(find(ENDS, "edge", edges), Some(36));
        assert_eq!(
            find(ENDS, "closed", |traits| traits[38].apart = 72),
            Some(39)
        );
    }

    #[test]
    fn traits_by_hand() {
        let size = BoardSize::square(19);
        let start = LargeGo::new(size).unwrap();
        let at = |x, y| size.point(x, y);
        let moves = [at(0, 1), at(0, 0), at(3, 3), at(18, 9), at(1, 0), at(0, 2)];
        let found = traits(&start, &moves);
        let of = |has: fn(&MoveTraits) -> bool| -> Vec<usize> {
            (0..found.len()).filter(|&at| has(&found[at])).collect()
        };
        assert_eq!(of(|traits| traits.contact), [1, 4, 5]);
        assert_eq!(of(|traits| traits.open), [0, 2, 3]);
        assert_eq!(of(|traits| traits.takes), [4], "the corner");
        assert_eq!(of(|traits| traits.edge), [0, 1, 3, 4, 5]);
        // a2 reaches 4 points in one step and 13 in three; a1 adds one of them, d4 another 5.
        assert_eq!(found[0].apart, 361 - 4);
        assert_eq!(found[0].far, 361 - 13);
        assert_eq!(found[2].apart, 361 - 4 - 1 - 5);
        assert_eq!(traits(&start, &[at(0, 0), size.pass(), at(1, 1)]).len(), 1);
    }
}
