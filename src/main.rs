//! `tengen`: the engine's command line. One file a subcommand, in `cli`.

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
        // Whoever read a table has seen enough, as `head` does.
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => {
            output::complain(&error);
            1
        }
    };
    program::end(status)
}
