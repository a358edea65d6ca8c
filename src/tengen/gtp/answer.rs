//! Executes requests: each is looked up in the command table.

use std::sync::Arc;

use super::commands::{self, Arguments, COMMANDS, Run};
use super::line::{Stream, parse_line, reply};
use super::{Failure, Input, Interrupts, Protocol, Request, Session};
use crate::search::AnalysisOptions;

impl Protocol for Session {
    type Command = Request;

    fn parse(line: &[u8]) -> Input<Request> {
        parse_line(line)
    }

    fn ends(request: &Request) -> bool {
        request.name == "quit"
    }

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, request: &Request, send: &mut dyn FnMut(&str)) {
        let Some(command) = commands::find(&request.name) else {
            return send(&reply(&request.id, Err(Failure::UnknownCommand)));
        };
        let usage = [command.name, command.arguments];
        let arguments = Arguments::of(usage, request);
        let result = match command.run {
            Run::Answer(run) => run(self, &arguments),
            Run::List(run) => run(self, COMMANDS, &arguments),
            Run::Stream(run) => {
                let mut stream = Stream::new(&request.id, send);
                let result = run(self, &arguments, &mut stream);
                if stream.is_open() {
                    return stream.close(&result.unwrap_or_default());
                }
                result
            }
        };
        send(&reply(&request.id, result));
    }

    fn idle(&mut self) {
        if self.options.ponder {
            let engine = &mut *self.engine;
            self.interrupts.until_input(|stop| {
                engine.ponder(stop, &AnalysisOptions::default(), &mut |_| {});
            });
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
