//! `tengen`: the engine's command line. One file a subcommand, in `cli`.

mod cli;

use std::io::Write as _;

use cli::output;

fn main() {
    let status = match cli::start() {
        Ok(()) => 0,
        // Whoever read a table has seen enough, as `head` does.
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => {
            output::complain(&error);
            1
        }
    };
    // Nobody is left to tell when even that fails.
    let _ = std::io::stdout().flush();
    // Threads may still search. The usual end would clear up ONNX Runtime under them, and they would
    // crash the process.
    signal_hook::low_level::exit(status)
}
