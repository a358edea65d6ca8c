//! `tengen-train`: its program.

fn main() {
    tengen::processor::check();
    tengen_train::cli::run();
}
