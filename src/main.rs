//! `tengen`: the engine's command line. One file a subcommand, in `cli`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::start() {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read a table has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
