//! Text for the operator: help, and the board in both notations.

use super::vertex::write_both;
use crate::engine::Engine;
use crate::game::Color;
use crate::gtp::vertex::COLUMNS;
use crate::record::Vertex;

/// Help text.
pub(super) const HELP: &str = "\
new black, new white   begin a game in which Tengen plays this colour
load COLOUR FILE       go on with a recorded game (SGF), in which Tengen has this colour
move EE, move E5       the other side's move, in the platform's notation or the usual one
error                  the last move of Tengen was refused: have it choose another
undo [N]               take back one stone, or N
go                     have Tengen play, when it is its turn
clock OWN [OPPONENT]   set the clocks, in seconds
board                  the position, in both notations
end [black|white]      the game is over, and who has won; again to correct it
quit                   end the program
";

/// The platform takes these words for commands wherever they begin in a line
/// (docs/methods.md#protocols).
const COMMANDS: [&str; 2] = ["move ", "name "];

/// One line of text without a command of the SAU platform: it reads the standard error stream, too.
#[must_use]
pub fn harmless(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
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
            .map(|&letter| format!(" {}", char::from(letter)))
            .collect()
    };
    let platform: Vec<u8> = (b'A'..=b'Z').collect();
    let mut lines = vec![
        format!(
            "{} stones played{last}, {} to play; black's clock {}, white's {}",
            record.plays.len(),
            engine.to_move(),
            clocks[0],
            clocks[1]
        ),
        format!("  {}   platform", letters(&platform)),
    ];
    for y in (0..size.height).rev() {
        let row: String = (0..size.width)
            .map(|x| match engine.stone(size.point(x, y)) {
                Some(Color::Black) => " X",
                Some(Color::White) => " O",
                None => " .",
            })
            .collect();
        let down = platform.get(usize::from(size.height - 1 - y));
        let down = char::from(down.copied().unwrap_or(b' '));
        lines.push(format!("{:2}{row} {down}", y + 1));
    }
    lines.push(format!("  {}   usual", letters(COLUMNS)));
    lines.join("\n") + "\n"
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
}
