//! The event loop: a thread that only reads, and one that answers.
//!
//! Nothing here waits for a thread to end: when the loop returns, the program can end.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::Interrupts;
use super::line::{Input, LONGEST, Line, Lines, next_piece};

/// Bytes per read; the capacity of a pipe on Linux.
const CHUNK: usize = 64 * 1024;

/// Bytes that may wait for their answers before reading pauses: a client that sends without reading must not fill the
/// memory, and no client is that far ahead with an interrupt.
const MOST_WAITING: usize = 4 << 20;

/// Commands that arrived together, and beginnings of lines that are too long for one.
struct Message<C> {
    number: u64,
    commands: Vec<Result<C, Vec<u8>>>,
    /// Bytes of input that it took.
    bytes: usize,
    /// When it arrived.
    arrived: Duration,
}

/// The bytes of all messages that wait.
#[derive(Default)]
struct Backlog {
    bytes: Mutex<usize>,
    /// Signalled when there are fewer.
    less: Condvar,
}

impl Backlog {
    /// Adds a message, as soon as there is room.
    fn add(&self, message: usize) {
        let mut bytes = self.bytes.lock();
        let is_full = |bytes: &mut usize| *bytes > MOST_WAITING;
        self.less.wait_while(&mut bytes, is_full);
        *bytes += message;
    }

    fn remove(&self, message: usize) {
        *self.bytes.lock() -= message;
        self.less.notify_one();
    }
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
    let backlog = Arc::new(Backlog::default());
    let reader = CommandReader::<C> {
        interrupts: Arc::clone(&interrupts),
        backlog: Arc::clone(&backlog),
        messages: sender,
        number: 0,
        commands: 0,
    };
    std::thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || reader.run(input))?;
    for message in messages {
        backlog.remove(message.bytes);
        interrupts.handle(message.number, message.commands.len(), message.arrived);
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
    backlog: Arc<Backlog>,
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
        let mut bytes = 0;
        loop {
            let piece = next_piece(&mut input, &mut chunk);
            bytes += piece.len();
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
            if is_complete && !self.pass_on(commands, std::mem::take(&mut bytes), at_end) {
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

    /// Sends commands that took this many bytes of input; false when no more input follows.
    fn pass_on(
        &mut self,
        commands: Vec<Result<C::Command, Vec<u8>>>,
        bytes: usize,
        at_end: bool,
    ) -> bool {
        let closes = at_end || commands.iter().flatten().any(C::ends);
        self.number += 1;
        if closes {
            self.interrupts.close(self.number);
        }
        let arrived = self.interrupts.arrive(self.number);
        self.backlog.add(bytes);
        let message = Message {
            number: self.number,
            commands,
            bytes,
            arrived,
        };
        self.messages.send(message).is_ok() && !closes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::session::testing::session;
    use super::*;
    use crate::engine::testing::Behaviour;

    /// Far more lines than are kept, and how many bytes of them were read.
    struct Flood(Arc<AtomicUsize>);

    impl Read for Flood {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            into.fill(b'a');
            into[0] = b'\n';
            let before = self.0.fetch_add(into.len(), Ordering::Relaxed);
            let is_over = before > 10 * MOST_WAITING;
            Ok(if is_over { 0 } else { into.len() })
        }
    }

    /// Takes no answer: the pipe breaks when no more is read.
    struct Stuck(Arc<AtomicUsize>);

    impl Write for Stuck {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            let mut before = 0;
            loop {
                let read = self.0.load(Ordering::Relaxed);
                if read == before {
                    assert!(read < 2 * MOST_WAITING, "{read} bytes");
                    return Err(ErrorKind::BrokenPipe.into());
                }
                before = read;
                std::thread::sleep(Duration::from_millis(50));
            }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn input_waits_for_answers_to_be_taken() {
        let read = Arc::new(AtomicUsize::new(0));
        let (input, output) = (Flood(Arc::clone(&read)), Stuck(read));
        serve(session(Behaviour::Highest), input, output).expect("a broken pipe is no error");
    }

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
