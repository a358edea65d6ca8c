//! Compares a backend and device with the reference computation of a network.

use crate::encode::{Encode, find};
use crate::engine::{Backend, EngineOptions, built_in, none_built_in};
use crate::games::with_game;
use anyhow::Context as _;
use serde::Serialize;
use tengen_nn::eval::{
    BackendKind, Batch, Device, Difference, EvalError, EvaluatorFactory, LoadOptions, ModelSource,
    open_best,
};

use super::super::output;
use crate::command::phases;

/// Rows per call: an unusual number, so that partial batches are tested, too.
const ROWS: usize = 100;

/// Difference between two ways of computing a network, over all positions.
#[derive(Debug, Serialize)]
struct Agreement {
    backend: String,
    device: String,
    /// Difference from `native` in f32, or from `tract` where `native` does not know the network.
    #[serde(flatten)]
    difference: Difference,
}

pub(super) fn run(options: &EngineOptions, positions: u32, json: bool) -> anyhow::Result<()> {
    let found = with_game!(&options.game, options.board(), |empty| compare(
        &empty, options, positions
    ))??;
    let difference = &found.difference;
    output::print_report(&found, json, |found| {
        format!(
            "{} on {}, {} positions: policy {:.6} nats (at most {:.6}), value {:.6} (at most {:.6}), \
             same best move {:.1}%",
            found.backend,
            found.device,
            difference.positions,
            difference.policy_kl,
            difference.policy_kl_max,
            difference.value,
            difference.value_max,
            100.0 * difference.same_best
        )
    })
}

/// The network that was asked for, or the built-in one in the form for a backend.
pub(super) fn network(
    options: &EngineOptions,
    kind: BackendKind,
    device: Device,
) -> anyhow::Result<ModelSource> {
    let (game, board) = (&options.game, options.board());
    let own = || built_in(game, board, kind, device);
    let source = options.model.clone().map(ModelSource::File).or_else(own);
    source.with_context(|| format!("{}: give one with --model", none_built_in(game, board)))
}

fn compare<G: Encode>(
    empty: &G,
    options: &EngineOptions,
    positions: u32,
) -> anyhow::Result<Agreement> {
    let load = options.load();
    let named = match options.backend {
        Backend::Network(kind) => Some(kind),
        Backend::Auto | Backend::Rollout => None,
    };
    let likely = named.unwrap_or_else(|| BackendKind::usual(options.device));
    let asked = network(options, likely, load.device)?;
    // The f32 form of the built-in network.
    let exact = network(options, BackendKind::Tract, Device::Cpu)?;
    let on_processor = LoadOptions {
        device: Device::Cpu,
        ..load.clone()
    };
    // ONNX Runtime is not asked: it would be compared with itself.
    let open = |kind| EvaluatorFactory::open(kind, &exact, &on_processor);
    let first = match open(BackendKind::Native) {
        Err(EvalError::Unavailable { .. }) => open(BackendKind::Tract),
        opened => opened,
    };
    let first = first.context("there is nothing to compare with")?;
    let mut first = first.make()?;
    let (kind, factory) = match named {
        Some(kind) => (kind, EvaluatorFactory::open(kind, &asked, &load)?),
        None => {
            let opened = open_best(&asked, &load)?;
            (opened.kind, opened.factory)
        }
    };
    let mut second = factory.make()?;
    let all: Vec<G> = phases(empty, positions)
        .filter(|position| position.outcome().is_none())
        .collect();
    let mut difference = Difference::default();
    for part in all.chunks(ROWS) {
        let encoding = find(first.info(), empty)?;
        let mut batch = Batch::new(first.info().row_len());
        let mut legal = Vec::new();
        for position in part {
            encoding.encode(position, batch.push(encoding.cache_key(position)));
            let mut moves = vec![false; first.info().policy_len];
            for mv in position.legal_moves() {
                moves[mv.index()] = true;
            }
            legal.push(moves);
        }
        let found = Difference::between([&mut first, &mut second], &batch, &legal)?;
        difference = difference.and(found);
    }
    Ok(Agreement {
        backend: kind.to_string(),
        device: load.device.to_string(),
        difference,
    })
}
