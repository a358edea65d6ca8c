//! How a session is held: every request is looked up in the table of commands.

use std::sync::Arc;

use super::commands::{self, Arguments, COMMANDS, Run};
use super::line::{Stream, reply};
use super::{Failure, Interrupts, Protocol, Request, Session};

impl Protocol for Session {
    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, request: &Request, send: &mut dyn FnMut(&str)) {
        let arguments = Arguments::of(request);
        let result = match commands::find(&request.name).map(|command| command.run) {
            Some(Run::Answer(run)) => run(self, &arguments),
            Some(Run::List(run)) => run(COMMANDS, &arguments),
            Some(Run::Stream(run)) => {
                let mut stream = Stream::new(&request.id, send);
                let result = run(self, &arguments, &mut stream);
                if stream.is_open() {
                    return stream.close(&result.unwrap_or_default());
                }
                result
            }
            None => Err(Failure::UnknownCommand),
        };
        send(&reply(&request.id, result));
    }

    fn idle(&mut self) {
        if self.options.ponder {
            let engine = &mut *self.engine;
            self.interrupts.until_input(|stop| engine.ponder(stop));
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
