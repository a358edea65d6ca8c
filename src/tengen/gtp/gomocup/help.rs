//! Help for a user who types commands to a brain.

/// Commands and descriptions, in the order of a game.
const HELP: [(&str, &str); 12] = [
    (
        "START 15",
        "an empty board of 15x15; RECTSTART 20,15 one of 20x15",
    ),
    ("BEGIN", "have the engine make the first move"),
    (
        "TURN 7,7",
        "your move: column and row from the upper left, from 0; it answers with its own",
    ),
    (
        "BOARD",
        "a position: lines of x,y,1 (its stones) and x,y,2 (yours), then DONE; it moves",
    ),
    ("TAKEBACK 7,7", "take the last stone back"),
    ("RESTART", "a new game on the same board"),
    (
        "INFO timeout_turn 5000",
        "milliseconds for each of its moves; 0 is as fast as possible",
    ),
    (
        "INFO timeout_match 60000",
        "milliseconds for all of its moves",
    ),
    (
        "INFO rule 0",
        "0 freestyle, 1 exactly five, 4 Renju, 8 Caro, 9 Caro with exactly five",
    ),
    (
        "SWAP2BOARD",
        "an opening: 0, 3 or 5 lines of x,y, then DONE",
    ),
    ("ABOUT", "name and version"),
    ("END", "end the program"),
];

/// Lines that any manager accepts.
pub(super) fn lines() -> impl Iterator<Item = String> {
    HELP.iter()
        .map(|(command, what)| format!("MESSAGE {command}: {what}"))
}
