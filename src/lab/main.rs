//! `tengen-lab`: its program.

fn main() {
    tengen::processor::check();
    tengen_lab::cli::run();
}
