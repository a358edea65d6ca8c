//! `tengen`: the engine's program.

fn main() {
    tengen::processor::check();
    tengen::cli::run();
}
