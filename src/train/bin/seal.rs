//! `tengen-train seal`: adds the checksum of newer networks.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;
use tengen_nn::eval::ModelInfo;
use tengen_nn::onnx::{Header, with_checksum};
use tengen_train::durable;

use tengen_train::command::print;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Networks, as ONNX files; an existing checksum is verified
    #[arg(required = true)]
    networks: Vec<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    for path in &args.networks {
        let name = path.display().to_string();
        let onnx = std::fs::read(path).with_context(|| name.clone())?;
        ModelInfo::read(&name, &onnx)?;
        if Header::read(&onnx)?.checksum.is_some() {
            print(&format!("{name}: already has its checksum, which is right"))?;
        } else {
            durable::write(path, &with_checksum(onnx))?;
            print(&format!("{name}: sealed"))?;
        }
    }
    Ok(())
}
