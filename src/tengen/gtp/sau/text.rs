//! Text for the operator: help, and points and the board in the platform's and the usual notation.

use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move};
use crate::gtp::board::{COLUMNS, format_move, mark, parse_vertex};
use crate::program::counted;
use crate::record::Vertex;

/// Help text.
pub(super) const HELP: &str = "\
new black, new white   begin a game in which Tengen plays this colour
load COLOUR FILE       go on with a recorded game (SGF), in which Tengen has this colour
move EE, move E5       the other side's move, in the platform's notation or the usual one
error                  the last move of Tengen was refused: have it choose another
undo [N]               take back one stone, or N
go                     have Tengen play, when it is its turn
clock OWN [OPPONENT]   set the clocks: seconds, or minutes and seconds as 13:20
board                  the position, in both notations
end [black|white]      the game is over, and who has won; again to correct it
quit                   end the program
";

/// The platform takes these words for commands wherever they begin in a line
/// (docs/methods.md#protocols).
const COMMANDS: [&str; 2] = ["move ", "name "];

/// One line of text without a command of the SAU platform: it reads the standard error stream, too.
pub fn harmless(text: &str) -> String {
    let line = text.replace(char::is_control, " ");
    COMMANDS.iter().fold(line, |line, command| {
        line.replace(command, &command.replace(' ', "_"))
    })
}

/// The position: column letters and row letters of the platform above and to the right, the usual
/// ones below and to the left.
pub(super) fn board(engine: &dyn Engine) -> String {
    let size = engine.size();
    let record = engine.record();
    let last = record.plays.last().map_or_else(String::new, |last| {
        let point = match last.play.vertex {
            Vertex::Point(point) => write_both(point, size),
            Vertex::Pass => "pass".to_owned(),
        };
        format!(", last {} {point}", last.play.color)
    });
    let clocks = [Color::Black, Color::White].map(|color| engine.clock_state(color).clock.left());
    let letters = |all: &[u8]| -> String {
        let columns = all.iter().take(size.width.into());
        columns
            .flat_map(|&letter| [' ', char::from(letter)])
            .collect()
    };
    let platform: Vec<u8> = (b'A'..=b'Z').collect();
    let mut lines = vec![
        format!(
            "{} played{last}, {} to play; black's clock {}, white's {}",
            counted(record.plays.len(), "stone"),
            engine.to_move(),
            clocks[0],
            clocks[1]
        ),
        format!("  {}   platform", letters(&platform)),
    ];
    for y in (0..size.height).rev() {
        let row = (0..size.width).map(|x| mark(engine, size.point(x, y)));
        let row: String = row.map(|mark| format!(" {mark}")).collect();
        let down = platform.get(usize::from(size.height - 1 - y));
        let down = char::from(down.copied().unwrap_or(b' '));
        lines.push(format!("{:2}{row} {down}", y + 1));
    }
    lines.push(format!("  {}   usual", letters(COLUMNS)));
    lines.join("\n") + "\n"
}

/// Parses two letters, column from the left and row from the top, or a letter and the row's number
/// from the bottom. The usual notation has no column I; on up to nine columns it can only be the
/// ninth, as in the championship's records.
pub(super) fn read_vertex(text: &str, size: BoardSize) -> Option<Move> {
    if let [column, row] = text.as_bytes()
        && row.is_ascii_alphabetic()
    {
        let index = |letter: u8| letter.to_ascii_uppercase().checked_sub(b'A');
        let (x, down) = (index(*column)?, index(*row)?);
        return (x < size.width && down < size.height)
            .then(|| size.point(x, size.height - 1 - down));
    }
    let ninth = text.strip_prefix(['I', 'i']).filter(|_| size.width <= 9);
    let usual = ninth.map_or_else(|| text.to_owned(), |row| format!("J{row}"));
    match parse_vertex(&usual, size) {
        Ok(Vertex::Point(point)) => Some(point),
        _ => None,
    }
}

/// Two letters, for the platform.
pub(super) fn write_vertex(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    let letters = [x, size.height - 1 - y].map(|index| char::from(b'A' + index));
    letters.iter().collect()
}

/// Both notations, for users.
pub(super) fn write_both(point: Move, size: BoardSize) -> String {
    format!(
        "{} = {}",
        write_vertex(point, size),
        format_move(point, size)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_told_is_a_command_to_the_platform() {
        assert_eq!(
            harmless("no folder /my name here\nmove AA"),
            "no folder /my name_here move_AA"
        );
    }

    #[test]
    fn vertices_count_from_the_top_and_have_an_i() {
        let size = BoardSize::square(9);
        for (text, usual, x, y) in [
            ("AA", "A9", 0, 8),
            ("II", "J1", 8, 0),
            ("AI", "a1", 0, 0),
            ("IA", "I9", 8, 8),
            ("ED", "E6", 4, 5),
        ] {
            let point = size.point(x, y);
            assert_eq!(read_vertex(text, size), Some(point), "{text}");
            assert_eq!(read_vertex(usual, size), Some(point), "{usual}");
            assert_eq!(write_vertex(point, size), text);
        }
        assert_eq!(write_both(size.point(8, 0), size), "II = J1");
        for text in [
            "", "A", "AJ", "JA", "A0", "A10", "K1", "1A", "AAA", "@@", "盤", "pass",
        ] {
            assert_eq!(read_vertex(text, size), None, "{text}");
        }
        // With ten columns or more, I is ambiguous.
        assert_eq!(read_vertex("I5", BoardSize::square(10)), None);
    }
}
