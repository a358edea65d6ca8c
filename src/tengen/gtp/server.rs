//! The event loop: a thread that only reads, and one that answers.
//!
//! Nothing here waits for a thread to end: when the loop returns, the program can end.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use super::Interrupts;
use super::line::{Input, LONGEST, Line, Lines, next_piece};

/// Bytes per read; the capacity of a pipe on Linux.
const CHUNK: usize = 64 * 1024;

/// Commands that arrived together, and beginnings of lines that are too long for one.
struct Message<C> {
    number: u64,
    commands: Vec<Result<C, Vec<u8>>>,
}

/// Bytes that are kept of a line that is too long.
const BEGINNING: usize = 100;

/// A protocol as driven by the server.
pub trait Protocol: 'static {
    /// A parsed line.
    type Command: Send + 'static;

    /// Bytes that end a line.
    const LINE_ENDS: &'static [u8] = b"\n";

    /// Parses a line, without its end.
    fn parse(line: &[u8]) -> Input<Self::Command>;

    /// Whether a command stops a search begun before it arrived, like [`Input::Interrupt`].
    fn cuts(_: &Self::Command) -> bool {
        false
    }

    /// Whether a command ends the session.
    fn ends(command: &Self::Command) -> bool;

    /// Interrupts of its searches.
    fn interrupts(&self) -> Arc<Interrupts>;

    /// Answers one command: passes complete pieces of text to `send` as soon as they should be
    /// read.
    fn answer(&mut self, command: &Self::Command, send: &mut dyn FnMut(&str));

    /// Answers a line that is too long, of which this is the beginning.
    fn refuse(&mut self, beginning: &[u8], send: &mut dyn FnMut(&str));

    /// Called when all received commands are answered. May work until there is input.
    fn idle(&mut self);
}

/// Answers the commands in `input`, in order, until one that ends the session or the end of input.
///
/// # Errors
/// Fails when the reader thread cannot be started or a reply cannot be written. A controller that
/// closes its end of the pipe ends the session without an error.
pub fn serve(
    mut conversation: impl Protocol,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> std::io::Result<()> {
    let result = converse(&mut conversation, input, output);
    // The program ends now. Dropping the session would let its search threads unload their backend
    // during process teardown.
    std::mem::forget(conversation);
    result
}

fn converse<C: Protocol>(
    conversation: &mut C,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> std::io::Result<()> {
    let (sender, messages) = channel();
    let interrupts = conversation.interrupts();
    let reader = CommandReader::<C> {
        interrupts: Arc::clone(&interrupts),
        messages: sender,
        number: 0,
        commands: 0,
    };
    std::thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || reader.run(input))?;
    for message in messages {
        interrupts.handle(message.number, message.commands.len());
        for command in &message.commands {
            interrupts.begin_command();
            let mut written = Ok(());
            let mut send = |text: &str| {
                if written.is_ok() {
                    let all = output.write_all(text.as_bytes());
                    written = all.and_then(|()| output.flush());
                }
            };
            match command {
                Ok(command) => conversation.answer(command, &mut send),
                Err(beginning) => conversation.refuse(beginning, &mut send),
            }
            match written {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                written => written?,
            }
            if command.as_ref().is_ok_and(C::ends) {
                return Ok(());
            }
        }
        conversation.idle();
    }
    Ok(())
}

/// The reading side.
struct CommandReader<C: Protocol> {
    interrupts: Arc<Interrupts>,
    messages: Sender<Message<C::Command>>,
    /// Number of the last message sent.
    number: u64,
    /// Commands read so far.
    commands: u64,
}

impl<C: Protocol> CommandReader<C> {
    fn run(mut self, mut input: impl Read) {
        let mut chunk = vec![0; CHUNK];
        let mut lines = Lines::new(C::LINE_ENDS, LONGEST);
        loop {
            let piece = next_piece(&mut input, &mut chunk);
            let at_end = piece.is_empty();
            let (mut commands, mut is_complete) = (Vec::new(), at_end);
            let mut take = |line: Line<'_>| {
                is_complete = true;
                commands.extend(self.parse(line));
            };
            match at_end {
                true => lines.end(&mut take),
                false => lines.feed(piece, &mut take),
            }
            if is_complete && !self.pass_on(commands, at_end) {
                return;
            }
        }
    }

    /// The command of a line, if it has one that is to be answered.
    fn parse(&mut self, line: Line<'_>) -> Option<Result<C::Command, Vec<u8>>> {
        let line = match line {
            Ok(line) => C::parse(line),
            Err(beginning) => {
                self.commands += 1;
                return Some(Err(beginning.iter().take(BEGINNING).copied().collect()));
            }
        };
        match line {
            Input::Nothing => None,
            Input::Interrupt => {
                self.interrupts.interrupt(self.commands);
                None
            }
            Input::Command(command) => {
                if C::cuts(&command) {
                    self.interrupts.interrupt(self.commands);
                }
                self.commands += 1;
                Some(Ok(command))
            }
        }
    }

    /// Sends commands; false when no more input follows.
    fn pass_on(&mut self, commands: Vec<Result<C::Command, Vec<u8>>>, at_end: bool) -> bool {
        let closes = at_end || commands.iter().flatten().any(C::ends);
        self.number += 1;
        if closes {
            self.interrupts.close(self.number);
        }
        self.interrupts.arrive(self.number);
        let message = Message {
            number: self.number,
            commands,
        };
        self.messages.send(message).is_ok() && !closes
    }
}

#[cfg(test)]
mod tests {
    use super::super::session::testing::session;
    use super::*;
    use crate::engine::testing::Behaviour;

    /// Returns its bytes in the given pieces.
    struct Pieces<I>(I);

    impl<I: Iterator<Item = &'static [u8]>> Read for Pieces<I> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let piece = self.0.next().unwrap_or_default();
            into[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[track_caller]
    fn check(pieces: &'static [&'static [u8]], expected: &str) {
        let mut output = Vec::new();
        let input = Pieces(pieces.iter().copied());
        serve(session(Behaviour::Highest), input, &mut output).expect("a Vec takes everything");
        assert_eq!(String::from_utf8_lossy(&output), expected);
    }

    #[test]
    fn lines_are_put_together_from_pieces() {
        check(
            &[b"protocol_", b"version\n1 na", b"me\n"],
            "= 2\n\n=1 Tengen\n\n",
        );
    }

    #[test]
    fn the_last_line_needs_no_end() {
        check(&[b"\n\n# c\n", b"protocol_version"], "= 2\n\n");
        check(&[], "");
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_and_the_next_is_answered() {
        let long =
            "7 name ".to_owned() + &"a".repeat(LONGEST) + "\nname\n# " + &"a".repeat(LONGEST);
        let mut output = Vec::new();
        let input = std::io::Cursor::new(long.into_bytes());
        serve(session(Behaviour::Highest), input, &mut output).expect("a Vec takes everything");
        assert_eq!(
            String::from_utf8_lossy(&output),
            "?7 syntax error: the line is longer than 4 MiB and was skipped\n\n= Tengen\n\n"
        );
    }

    #[test]
    fn nothing_is_answered_after_quit() {
        check(&[b"3 quit\nname\n", b"name\n"], "=3 \n\n");
    }

    #[test]
    fn a_script_is_played_in_order() {
        check(
            &[b"genmove b\ngenmove w\nplay b e1\nundo\ngenmove b\nquit\n"],
            "= E1\n\n= D1\n\n? illegal move: the point is occupied\n\n= \n\n= D1\n\n= \n\n",
        );
    }
}
