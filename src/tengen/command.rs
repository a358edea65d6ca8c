//! What the subcommands of several programs share: game files and positions from user input (SGF files, boards and moves
//! as text), and positions for measurements.

use std::iter::Peekable;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::game::{BoardSize, Color, Game, IllegalSetup};
use crate::gtp::{format_move, format_vertex, parse_color, parse_vertex};
use crate::program::counted;
use crate::record::{GameRecord, LaterSetup, Play, Vertex, file, sgf};

/// The SGF files among these paths, and in folders among them, in order.
///
/// # Errors
/// Names a folder that cannot be read or has none.
pub fn sgf_files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let name = || path.display().to_string();
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).with_context(name)? {
            let file = entry.with_context(name)?.path();
            if file
                .extension()
                .is_some_and(|own| own.eq_ignore_ascii_case("sgf"))
            {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            bail!("{} contains no SGF file", name());
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

/// At most this many of the items, evenly chosen; all without a limit.
pub fn sample<T: Clone>(items: Vec<T>, most: Option<usize>) -> Vec<T> {
    match most.filter(|&most| most < items.len()) {
        None => items,
        Some(most) => (0..most)
            .map(|index| items[index * items.len() / most].clone())
            .collect(),
    }
}

/// Random positions from all phases of a game.
pub fn phases<G: Game>(empty: &G, positions: u32) -> impl Iterator<Item = G> {
    (0..positions).map(move |i| random_position(empty, i * 60 / positions, u64::from(i)))
}

/// A position after this many random plies, or fewer if the game ends: the same in every run and on every machine.
pub fn random_position<G: Game>(empty: &G, plies: u32, seed: u64) -> G {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = empty.clone();
    for _ in 0..plies {
        let count = position.legal_count();
        if count <= 2 {
            break;
        }
        let choice = rng.random_range(0..count);
        if let Some(mv) = position.legal_moves().nth(choice) {
            position.play(mv);
        }
    }
    position
}

/// Reads an SGF file, or its first `plies` moves.
///
/// # Errors
/// Names the file that cannot be read, or has fewer moves.
pub fn read(path: &Path, plies: Option<usize>) -> anyhow::Result<GameRecord> {
    let name = || path.display().to_string();
    let most = plies.unwrap_or(usize::MAX);
    let mut record = file::read_sgf(path, most).with_context(name)?;
    for note in &record.notes {
        log::warn!("{}: {note}", name());
    }
    if let Some(plies) = plies {
        if plies > record.plays.len() {
            let moves = counted(record.plays.len(), "move");
            bail!("{} has {moves}, not {plies}", name());
        }
        record.truncate(plies);
    }
    Ok(record)
}

/// A board such as 5 or 4x6.
///
/// # Errors
/// Names what is no board.
pub fn board_size(text: &str) -> anyhow::Result<BoardSize> {
    let size = text.parse();
    size.with_context(|| format!("--size takes a board such as 5 or 4x6, not {text:?}"))
}

/// A record of the moves in `text`; a colour before a move overrides the turn.
///
/// # Errors
/// Names what is no point, or a colour without one.
pub fn played(game: &str, size: BoardSize, text: &str) -> anyhow::Result<GameRecord> {
    let mut record = GameRecord::new(game, size);
    let mut color = Color::Black;
    // A colour whose point follows.
    let mut waiting = None;
    for word in text.split(|c: char| c.is_whitespace() || c == ',') {
        if word.is_empty() {
            continue;
        }
        // A column's letter is followed by a row, so a colour is not a vertex.
        if let Ok(named) = parse_color(word) {
            color = named;
            if let Some(before) = waiting.replace(word) {
                return Err(without_point(before));
            }
            continue;
        }
        waiting = None;
        let vertex =
            parse_vertex(word, size).with_context(|| format!("{word:?} on a board of {size}"))?;
        record.push(Play { color, vertex });
        color = color.opponent();
    }
    match waiting {
        Some(last) => Err(without_point(last)),
        None => Ok(record),
    }
}

/// Error for a colour that no point follows.
fn without_point(color: &str) -> anyhow::Error {
    anyhow!(
        "{color:?} is a colour without a point, such as \"{color} C3\"; --to-move names the side to \
         move"
    )
}

/// The final position of a record, whose game starts with this empty board.
///
/// # Errors
/// As [`replay`].
pub fn position<G: Game>(record: &GameRecord, empty: G) -> anyhow::Result<G> {
    let mut last = None;
    replay(empty, record, |position| last = Some(position.clone()))?;
    last.context("a record has at least its first position")
}

/// Every position of a record, the first one included, whose game starts with this empty board.
///
/// # Errors
/// As [`replay`].
pub fn positions<G: Game>(record: &GameRecord, empty: G) -> anyhow::Result<Vec<G>> {
    let mut all = Vec::new();
    replay(empty, record, |position| all.push(position.clone()))?;
    Ok(all)
}

/// Calls a function with each of these positions.
///
/// # Errors
/// If the record is of another game, or names a move or a setup that the rules do not allow.
pub fn replay<G: Game>(
    empty: G,
    record: &GameRecord,
    mut see: impl FnMut(&G),
) -> anyhow::Result<()> {
    if sgf::game_number(&record.game) != sgf::game_number(G::NAME) {
        bail!(
            "the file is a game of {}, not of {}",
            record.game,
            G::INFO.title
        );
    }
    // At once: stones that stand together may be illegal as moves in any order (Renju).
    let start = empty.set_up(&record.setup, record.first_to_move());
    let start = start.map_err(|illegal| misplaced(illegal, record.size));
    let mut position = start.context("the stones set up at the start")?;
    let mut later = record.later.iter().peekable();
    for (index, recorded) in record.plays.iter().enumerate() {
        set_up(&mut position, &mut later, index)?;
        see(&position);
        place(&mut position, recorded.play)?;
    }
    set_up(&mut position, &mut later, record.plays.len())?;
    see(&position);
    Ok(())
}

/// Applies the record's setup after this many moves.
fn set_up<'a, G: Game>(
    position: &mut G,
    later: &mut Peekable<impl Iterator<Item = &'a LaterSetup>>,
    plays: usize,
) -> anyhow::Result<()> {
    while let Some(setup) = later.next_if(|setup| setup.after <= plays) {
        let changed = setup.on(position);
        let changed = changed.map_err(|illegal| misplaced(illegal, position.size()));
        *position = changed.with_context(|| format!("the stones set up after move {plays}"))?;
    }
    Ok(())
}

/// Error for a stone that cannot be set up.
fn misplaced(illegal: IllegalSetup, size: BoardSize) -> anyhow::Error {
    let point = format_move(illegal.point, size);
    anyhow!("the {} stone on {point} cannot stand there", illegal.color)
}

fn place<G: Game>(position: &mut G, play: Play) -> anyhow::Result<()> {
    position.set_to_move(play.color);
    let (passes, mv) = (G::INFO.passes, play.vertex.index(position.size()));
    match play.vertex {
        vertex if (passes || vertex != Vertex::Pass) && position.is_legal(mv) => {
            position.play(mv);
            Ok(())
        }
        vertex => bail!(
            "{} at {} is not legal after {}: {}",
            play.color,
            format_vertex(vertex, position.size()),
            counted(position.ply(), "move"),
            position.why_illegal(mv)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::gomoku::{Gomoku, GomokuRules};
    use crate::games::nogo::SmallNoGo;

    fn end(record: &GameRecord) -> anyhow::Result<SmallNoGo> {
        position(record, SmallNoGo::new(record.size)?)
    }

    #[test]
    fn moves_are_read_with_and_without_colours() {
        let size = BoardSize::square(4);
        let record = played("nogo", size, "a1 B2, w C3 w d4").expect("legal vertices");
        let colors: Vec<Color> = record.plays.iter().map(|play| play.play.color).collect();
        use Color::{Black, White};
        assert_eq!(colors, [Black, White, White, White]);
        let position = end(&record).expect("legal moves");
        assert_eq!((position.ply(), position.to_move()), (4, Black));
    }

    /// Row by row, the last black stone would make a double three, which Renju forbids.
    #[test]
    fn stones_are_set_up_at_once() {
        let size = BoardSize::square(15);
        let empty = Gomoku::with_rules(size, GomokuRules::Renju).unwrap();
        let at = |text: &str| parse_vertex(text, size).unwrap().index(size);
        let stones = ["H10", "H9", "F8", "G8", "H8"].map(|point| (at(point), Color::Black));
        let mut record = played("gomoku", size, "").unwrap();
        record.setup = stones.to_vec();
        let found = position(&record, empty.clone()).unwrap();
        assert_eq!(found.ply(), 5);
        record.setup.push(stones[0]);
        check_refused(position(&record, empty), "set up");
    }

    #[track_caller]
    fn check_refused<T>(result: anyhow::Result<T>, part: &str) {
        let text = result.err().map(|error| format!("{error:#}"));
        assert!(
            text.as_deref().is_some_and(|t| t.contains(part)),
            "{text:?}"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let size = BoardSize::square(4);
        check_refused(board_size("4x"), "4x6");
        check_refused(board_size("0"), "4x6");
        check_refused(played("nogo", size, "E5"), "E5");
        check_refused(played("nogo", size, "A"), "\"A\"");
        for colors in ["b", "A1 B2 b", "black w C3", "b, b A1"] {
            check_refused(played("nogo", size, colors), "without a point");
        }
        let twice = played("nogo", size, "A1 A1").expect("vertices");
        check_refused(
            end(&twice),
            "white at A1 is not legal after 1 move: the point is occupied",
        );
        let pass = played("nogo", size, "pass").expect("a vertex");
        check_refused(end(&pass), "black at pass");
        check_refused(read(Path::new("/nowhere.sgf"), None), "/nowhere.sgf");
        let folder = tengen_nn::files::scratch::Scratch::new("command-files");
        for name in ["b.SGF", "a.sgf", "c.txt"] {
            std::fs::write(folder.path().join(name), "(;)").expect("writable");
        }
        let found = sgf_files(&[folder.path().to_owned()]).expect("a folder of games");
        let names = found.iter().filter_map(|path| path.file_name()?.to_str());
        assert_eq!(names.collect::<Vec<_>>(), ["a.sgf", "b.SGF"]);
        let mut dead = GameRecord::new("nogo", size);
        let corner = [
            ("A4", Color::Black),
            ("A3", Color::White),
            ("B4", Color::White),
        ];
        let at = |text| parse_vertex(text, size).expect("a point").index(size);
        dead.setup = corner.map(|(text, color)| (at(text), color)).to_vec();
        check_refused(end(&dead), "stone on B4 cannot stand there");
    }
}
