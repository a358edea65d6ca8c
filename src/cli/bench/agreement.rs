//! Whether a backend and device say what the plainest way to compute a network says.

use anyhow::Context as _;
use serde::Serialize;
use tengen::encode::{Encode, find};
use tengen::engine::{Backend, EngineOptions, built_in};
use tengen::eval::{
    BackendKind, Batch, Candidate, Device, EvaluatorFactory, LoadOptions, ModelSource, Outputs,
    kl_divergence, log_softmax,
};
use tengen::game::{Move, with_game};

use super::super::output;
use super::positions::random_position;

/// Rows of a call: of no size that anybody computes by habit, so that parts of batches are seen, too.
const ROWS: usize = 100;

/// How two ways to compute a network differ, over all positions.
#[derive(Debug, Default, Serialize)]
struct Agreement {
    backend: String,
    device: String,
    positions: usize,
    /// Kullback-Leibler divergence of the policy over legal moves from that of `native`, in nats.
    policy_kl_mean: f64,
    policy_kl_max: f64,
    /// Difference of the values in [-1, 1].
    value_mean: f64,
    value_max: f64,
    /// Share of positions in which both like the same legal move best.
    same_best: f64,
}

pub(super) fn run(options: &EngineOptions, positions: u32, json: bool) -> anyhow::Result<()> {
    let found = with_game!(&options.game, options.board(), |empty| compare(
        &empty, options, positions
    ))??;
    output::print(&if json {
        serde_json::to_string(&found)?
    } else {
        format!(
            "{} on {}, {} positions: policy {:.6} nats (at most {:.6}), value {:.6} (at most {:.6}), \
             same best move {:.1}%",
            found.backend,
            found.device,
            found.positions,
            found.policy_kl_mean,
            found.policy_kl_max,
            found.value_mean,
            found.value_max,
            100.0 * found.same_best
        )
    })
}

fn compare<G: Encode>(
    empty: &G,
    options: &EngineOptions,
    positions: u32,
) -> anyhow::Result<Agreement> {
    let load = options.load();
    let kind = match options.backend {
        Backend::Network(kind) => kind,
        Backend::Auto if options.device != Device::Cpu => BackendKind::Ort,
        Backend::Auto | Backend::Rollout | Backend::Critic => Candidate::best(&load)?,
    };
    let model = options.model.clone().map(ModelSource::File);
    let own = |kind, device| {
        model
            .clone()
            .or_else(|| built_in(G::NAME, empty.size(), kind, device))
    };
    let none = "none is built in: give one with --model";
    let asked = own(kind, load.device).context(none)?;
    // Of the built-in network the form in f32.
    let exact = own(BackendKind::Tract, Device::Cpu).context(none)?;
    let on_processor = LoadOptions {
        device: Device::Cpu,
        ..load.clone()
    };
    let mut first = EvaluatorFactory::open(BackendKind::Native, &exact, &on_processor)?.make()?;
    let mut second = EvaluatorFactory::open(kind, &asked, &load)?.make()?;
    let all: Vec<G> = (0..positions)
        .map(|i| random_position(empty, i * 60 / positions, u64::from(i)))
        .filter(|position| position.outcome().is_none())
        .collect();
    let mut found = Agreement {
        backend: kind.to_string(),
        device: load.device.to_string(),
        ..Agreement::default()
    };
    for part in all.chunks(ROWS) {
        let (mut a, mut b) = (Outputs::new(), Outputs::new());
        for (evaluator, out) in [(&mut first, &mut a), (&mut second, &mut b)] {
            let encoding = find(evaluator.info(), empty)?;
            let mut batch = Batch::new(evaluator.info().row_len());
            for position in part {
                encoding.encode(position, batch.push(encoding.cache_key(position)));
            }
            evaluator.evaluate(&batch, out)?;
        }
        for (row, position) in part.iter().enumerate() {
            found.add(position, row, [&a, &b]);
        }
    }
    let count = found.positions.max(1) as f64;
    for sum in [
        &mut found.policy_kl_mean,
        &mut found.value_mean,
        &mut found.same_best,
    ] {
        *sum /= count;
    }
    Ok(found)
}

impl Agreement {
    /// Adds what was said of one position to sums and maxima.
    fn add<G: Encode>(&mut self, position: &G, row: usize, outputs: [&Outputs; 2]) {
        let legal: Vec<usize> = position.legal_moves().map(Move::index).collect();
        let [p, q] = outputs.map(|out| log_softmax(legal.iter().map(|&at| out.policy(row)[at])));
        let best =
            |logits: &[f64]| (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
        let kl = kl_divergence(p.iter().copied(), q.iter().copied());
        let value = f64::from(outputs[0].value(row) - outputs[1].value(row)).abs();
        self.positions += 1;
        self.policy_kl_mean += kl;
        self.policy_kl_max = self.policy_kl_max.max(kl);
        self.value_mean += value;
        self.value_max = self.value_max.max(value);
        self.same_best += f64::from(u8::from(best(&p) == best(&q)));
    }
}
