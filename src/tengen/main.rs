//! `tengen`: the engine's command line. Each subcommand is a file in `cli`.

mod cli;

use cli::output;
use tengen::{processor, program};

fn main() {
    processor::check();
    run();
}

#[inline(never)]
fn run() {
    let status = match cli::start() {
        Ok(()) => 0,
        // A reader that closes its pipe early (as `head` does) is not an error.
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => {
            output::complain(&error);
            1
        }
    };
    program::end(status)
}
