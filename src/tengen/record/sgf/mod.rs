//! SGF (`FF[4]`): reading the main line of a game and writing a record.
//!
//! The reader accepts files as found in practice (old property names, text before the tree, missing
//! `GM`, invalid values, a missing end), notes what it has skipped, and never panics or recurses,
//! for any bytes; what would take too much memory is refused. Variations are skipped, unless they are asked for ([`read_tree`]). NoGo has no number
//! in SGF: it is written as `GM[1]` with `RU[NoGo]`. Source: SGF `FF[4]` specification (red-bean.com/sgf), game properties and escaping.

mod komi;
mod lexer;
mod node;
mod others;
mod read;
mod results;
mod tree;
mod values;
mod write;

pub(super) use lexer::is_game;
pub use others::{
    Mark, WINRATE, add_property, add_winrate, marks, property, take_property, value_of, with_mark,
};
pub use read::{read, read_until};
pub use results::{Told, told};
pub use tree::{SgfNode, SgfTree, read_tree};
pub use write::{games, root_text, setup_text, write, write_tree};

use thiserror::Error;

use super::{GameRecord, charset};
use crate::game::GameInfo;
use crate::games::{GAMES, info};

/// That there is too much of something, unless it is within its limit.
fn at_most(found: usize, most: usize, what: &str) -> Result<(), SgfError> {
    match found <= most {
        true => Ok(()),
        false => Err(SgfError::Unreadable(format!(
            "the SGF text has more than {most} {what}, too many to read: split it"
        ))),
    }
}

/// The text of an SGF file: in the encoding of its property `CA`, or as detected.
pub fn decode(bytes: &[u8]) -> String {
    charset::decode(bytes, named_charset(bytes))
}

/// The value of the first `CA` in the bytes. It must be found before they can be parsed as SGF: in
/// GBK and Big5 half of a character may look like a bracket.
fn named_charset(bytes: &[u8]) -> Option<&[u8]> {
    let starts = bytes.windows(3).enumerate();
    let mut starts = starts
        .filter(|(_, window)| window == b"CA[")
        .map(|(at, _)| at);
    let start = starts.find(|&at| at == 0 || !bytes[at - 1].is_ascii_alphanumeric())?;
    let value = &bytes[start + 3..];
    let end = value.iter().position(|&byte| byte == b']')?;
    Some(&value[..end])
}

/// SGF's number of a game: 1 for Go and games played like it, 4 for Gomoku.
pub fn game_number(game: &str) -> u32 {
    info(game).map_or(1, |info| info.sgf.0)
}

/// Whether what was read as `game` may be one of `wanted`: a file of NoGo that does not name its rules is read as Go,
/// which has the same number.
pub fn may_be(game: &str, wanted: &str) -> bool {
    game == wanted || info(game).is_some_and(|info| info.sgf.0 == game_number(wanted))
}

/// Takes a record whose file names no game for one of `wanted`, as the user says: GoGui writes all games alike.
pub fn assume(record: &mut GameRecord, wanted: &str) {
    if !record.names_game && !may_be(&record.game, wanted) {
        wanted.clone_into(&mut record.game);
        let note = format!("the file names no game: it is read as {wanted}");
        record.notes.push(note);
    }
}

/// The game of a file, by its number and the name of its rules.
fn game_name(number: u32, rules: Option<&str>) -> Option<&'static str> {
    let fits = |info: &&GameInfo| match info.sgf {
        (its, None) => its == number,
        (its, Some(name)) => {
            its == number && rules.is_some_and(|rules| name.eq_ignore_ascii_case(rules))
        }
    };
    // One that is told by its rules comes before the one that has the number alone.
    let fitting = GAMES.iter().filter(fits);
    let found = fitting.max_by_key(|info| info.sgf.1.is_some());
    found.map(|info| info.name)
}

/// Larger boards have no SGF coordinates.
const MAX_SIDE: u8 = 52;

// What a text of few bytes can name is far larger than itself: a game that needs more is refused.

/// Maximum number of nodes of a game, and of brackets around one of them.
const MAX_NODES: usize = 1_000_000;
/// Maximum number of properties of a game.
const MAX_PROPERTIES: usize = 2_000_000;
/// Maximum number of points that a game sets up.
const MAX_SET_UP: usize = 4_000_000;
/// Maximum number of games in a text.
const MAX_GAMES: usize = 100_000;

/// Why a file is not a supported game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SgfError {
    /// There is no `(;` in it.
    #[error("no SGF game tree found")]
    NoTree,
    /// Neither a node, a property nor a variation.
    #[error("unexpected character {character:?} in the SGF tree at byte {at}")]
    Unexpected {
        /// The character.
        character: char,
        /// Its byte position.
        at: usize,
    },
    /// It breaks off, has more of something than is read, or a value that its property cannot have.
    #[error("{0}")]
    Unreadable(String),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::game::HalfPoints;
    use crate::game::{BoardSize, Color};
    use crate::record::{LaterSetup, Play, RecordedPlay, Vertex};

    fn color() -> impl Strategy<Value = Color> {
        prop_oneof![Just(Color::Black), Just(Color::White)]
    }

    /// Text that SGF preserves: printable, line breaks only as `\n` and only in `C`.
    fn comment() -> impl Strategy<Value = String> {
        "([\\]\\[\\\\:;()a-zé盤 ]|\n){0,12}"
    }

    fn simple() -> impl Strategy<Value = String> {
        "[\\]\\[\\\\:;()a-zé盤 ]{0,12}"
    }

    fn plays(size: BoardSize) -> impl Strategy<Value = Vec<RecordedPlay>> {
        let area = size.area() as u16;
        let vertex = prop_oneof![
            8 => (0..area).prop_map(|index| Vertex::Point(crate::game::Move(index))),
            1 => Just(Vertex::Pass),
        ];
        let play = (color(), vertex, comment()).prop_map(|(color, vertex, comment)| RecordedPlay {
            play: Play { color, vertex },
            comment,
        });
        proptest::collection::vec(play, 0..20)
    }

    /// Set up after different plays.
    fn later(size: BoardSize) -> impl Strategy<Value = Vec<LaterSetup>> {
        let change = (0..size.area() as u16, proptest::option::of(color()));
        let changes = proptest::collection::btree_map(change.0, change.1, 1..5);
        let setup = (changes, proptest::option::of(color()));
        proptest::collection::btree_map(1_usize..20, setup, 0..3).prop_map(|all| {
            let setup = |(after, (changes, to_move)): (_, (BTreeMap<u16, _>, _))| LaterSetup {
                after,
                changes: changes
                    .into_iter()
                    .map(|(point, stone)| (crate::game::Move(point), stone))
                    .collect(),
                to_move,
            };
            all.into_iter().map(setup).collect()
        })
    }

    fn records() -> impl Strategy<Value = GameRecord> {
        (1_u8..=52, 1_u8..=52)
            .prop_map(|(width, height)| BoardSize::new(width, height))
            .prop_flat_map(|size| {
                let setup = proptest::collection::btree_map(0..size.area() as u16, color(), 0..8);
                let names = (simple(), simple(), simple(), simple(), comment());
                let game = prop_oneof![
                    Just(("go", "")),
                    Just(("go", "Japanese")),
                    Just(("nogo", "")),
                    Just(("gomoku", "their own [old] ones"))
                ];
                let komi = proptest::option::of((-800..=800).prop_map(HalfPoints));
                let handicap = prop_oneof![Just(0_u16), 2_u16..30];
                let start = (setup, proptest::option::of(color()), later(size), handicap);
                (Just(size), game, komi, names, start, plays(size))
            })
            .prop_map(|(size, (game, rules), komi, names, start, plays)| {
                let (setup, to_move, later, handicap) = start;
                let (black, white, result, date, comment) = names;
                let (main_time, overtime) = (result.clone(), date.clone());
                let (event, place) = (black.clone(), white.clone());
                let setup = setup
                    .into_iter()
                    .map(|(point, color)| (crate::game::Move(point), color));
                GameRecord {
                    game: game.to_owned(),
                    names_game: true,
                    size,
                    rules: rules.to_owned(),
                    komi,
                    handicap,
                    black,
                    white,
                    result,
                    date,
                    event,
                    place,
                    main_time,
                    overtime,
                    comment,
                    setup: setup.collect(),
                    to_move,
                    later: later
                        .into_iter()
                        .filter(|setup| setup.after <= plays.len())
                        .collect(),
                    plays,
                    notes: Vec::new(),
                }
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(mut record in records()) {
            let text = write(&record);
            let again = read(&text);
            if record.handicap > 0 && !record.setup.is_empty() && record.plays.is_empty() {
                // Handicap stones exist: it is White's turn.
                record.to_move = record.to_move.or(Some(Color::White));
            }
            prop_assert_eq!(again, Ok(record), "{}", text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|[\\[\\]();\\\\:\nBWACSZ]){0,60}") {
            let _ = read(&text);
            let _ = read_tree(&text);
        }

        #[test]
        fn any_tree_like_text_is_read_or_refused(
            text in "\\(;(SZ|AB|W|B|PL|C|KM|AE|GM)(\\[[a-z0-9:.\\\\\\-]{0,5}\\]){0,3}[;()]{0,2}(B|W|AW)?(\\[[a-zA-Z]{0,5}\\]?)?"
        ) {
            let Ok(tree) = read_tree(&text) else {
                return Ok(());
            };
            // What is written is read again, and writing that changes nothing more.
            let written = write_tree(&tree.beginning, &tree.nodes);
            let again = read_tree(&written).expect("we read what we write");
            prop_assert_eq!(write_tree(&again.beginning, &again.nodes), written);
        }
    }

    #[test]
    fn names_in_the_encodings_of_their_countries() {
        // Second bytes that look like SGF: 功 has `\` in Big5; 臸, 臶 and 臷 have `]`, `[`, `\` in GBK.
        for (label, name) in [
            ("Big5", "功許蓋"),
            ("GBK", "臸臶臷柯洁"),
            ("GB2312", "柯洁"),
            ("gb18030", "㐀柯洁"),
            ("UTF-8", "柯洁"),
        ] {
            let text = format!("(;FF[4]PB[{name}]SZ[9]CA[{label}];B[aa])");
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect(label);
            let (bytes, _, unmappable) = encoding.encode(&text);
            assert!(!unmappable, "{name} in {label}");
            let record = read(&decode(&bytes)).expect(label);
            assert_eq!((record.black.as_str(), record.plays.len()), (name, 1));
        }
        assert_eq!(named_charset(b"(;SCA[x]CA[y]C[CA[z]"), Some(&b"y"[..]));
        assert_eq!(named_charset(b"(;CA[y"), None);
    }

    #[test]
    fn each_game_is_read_as_itself() {
        for info in GAMES {
            let record = GameRecord::new(info.name, info.usual_board);
            assert_eq!(read(&write(&record)), Ok(record));
        }
    }

    #[test]
    fn what_is_not_on_the_board_is_left_out() {
        let mut record = GameRecord::new("go", BoardSize::square(9));
        let points = [80, 81, 700].map(crate::game::Move);
        record.setup = points.map(|point| (point, Color::White)).into();
        for vertex in points.map(Vertex::Point) {
            let color = Color::Black;
            record.push(Play { color, vertex });
        }
        let again = read(&write(&record)).expect("we read what we write");
        assert_eq!((again.setup.len(), again.plays.len()), (1, 1));
        record.size = BoardSize::square(0);
        assert!(!write(&record).contains(";B"));
    }

    #[test]
    fn a_tree_is_written_as_it_was_read() {
        for text in [
            "(;SZ[9]CA[UTF-8]C[root];B[aa]C[one]\n(;W[bb]\n(;B[cc]C[a]TR[aa][bb]LB[cc:1]BL[3.5];W[dd])\n(;B[ee]))\n(;W[ff];B[gg]))\n",
            "(;GM[1]FF[3]SZ[9:9]AP[x]KM[375]HA[0]BR[9d]XX[a\\]b][c]CA[UTF-8];B[]N[pass];AE[aa]AB[bb:cc]PL[W];;W[aa])\n",
        ] {
            let tree = read_tree(text).expect("a tree");
            let plain = |text: &str| text.replace('\n', "");
            let written = write_tree(&tree.beginning, &tree.nodes);
            assert_eq!(plain(&written), plain(text));
        }
        let result = read_tree("(;SZ[9]RE[B+R]PB[x]CA[GBK];B[aa])").expect("a tree");
        let changed = GameRecord {
            result: "W+R".to_owned(),
            ..result.beginning
        };
        let written = write_tree(&changed, &result.nodes);
        assert_eq!(written, "(;SZ[9]RE[W+R]PB[x]CA[UTF-8]\n;B[aa])\n");
        let plain = read("(;SZ[9];B[aa];W[bb])").expect("a game");
        let node = |parent, play: Option<&RecordedPlay>| SgfNode {
            parent,
            play: play.map(|recorded| recorded.play),
            ..SgfNode::default()
        };
        let line = [
            node(0, None),
            node(0, plain.plays.first()),
            node(1, plain.plays.last()),
        ];
        assert_eq!(write_tree(&plain, &line), write(&plain));
    }

    #[test]
    fn nodes_that_mean_several_things_become_several() {
        let text = "(;SZ[9]B[aa];AB[bb]W[cc];B[dd][ee]TR[aa];W[zz];B[ff])(;SZ[9];B[gg])";
        let tree = read_tree(text).expect("a tree");
        let kinds: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| {
                (
                    node.parent,
                    node.play.is_some(),
                    node.setup.is_some(),
                    node.is_broken,
                )
            })
            .collect();
        assert_eq!(
            kinds,
            [
                (0, false, false, false),
                (0, true, false, false),
                (1, false, true, false),
                (2, true, false, false),
                (3, true, false, false),
                (4, true, false, false),
                (5, false, false, true),
                (6, true, false, false),
            ]
        );
        assert_eq!(tree.nodes[6].others, "W[zz]");
        assert_eq!(tree.beginning.to_move, Some(Color::Black));
        assert_eq!(tree.rest, "(;SZ[9];B[gg])");
        assert_eq!(read_tree(";"), Err(SgfError::NoTree));
    }

    #[test]
    fn a_property_of_a_variation_without_a_node_is_of_the_node_before() {
        let text = "(;SZ[9];B[aa](C[x]TR[cc];W[bb])(;W[cc]))";
        let tree = read_tree(text).expect("a tree");
        let parents: Vec<_> = tree.nodes.iter().map(|node| node.parent).collect();
        assert_eq!(parents, [0, 0, 1, 1]);
        let before = &tree.nodes[1];
        assert_eq!((&*before.comment, &*before.others), ("x", "TR[cc]"));
        let record = read(text).expect("the main line");
        let comments: Vec<_> = record.plays.iter().map(|play| &*play.comment).collect();
        assert_eq!(comments, ["x", ""]);
    }

    #[test]
    fn large_trees_are_read_in_proportion_to_their_text() {
        let long = ";B[aa];W[bb]".repeat(20_000);
        let text = format!("(;SZ[9]{long}{})", "(;B[cc]C[x])(;B[dd])".repeat(20_000));
        let tree = read_tree(&text).expect("a tree");
        assert_eq!(tree.nodes.len(), 80_001);
        assert!(
            tree.nodes[40_001..]
                .iter()
                .all(|node| node.parent == 40_000)
        );
        let deep = "(;B[aa]".repeat(20_000);
        assert_eq!(read_tree(&deep).map(|tree| tree.nodes.len()), Ok(20_001));
        let endless = ";".repeat(1_000_001);
        assert!(read_tree(&format!("(;SZ[9]{endless})")).is_err());
    }

    #[test]
    fn deep_nesting_does_not_exhaust_the_stack() {
        let deep = "(;B[aa]".repeat(200_000);
        assert_eq!(read(&deep).map(|record| record.plays.len()), Ok(200_000));
        assert_eq!(read(&"(".repeat(200_000)), Err(SgfError::NoTree));
    }
}
