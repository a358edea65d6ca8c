//! Findings about GPUs: their properties, and whether and how fast a network runs on them.

use std::path::Path;
use std::process::Command;

use tengen_nn::eval::{
    BackendKind, CudaDevices, Device, EvalError, EvaluatorFactory, FETCH_SCRIPT, LoadOptions,
    ModelSource, has_driver,
};

use super::backend::{BackendAnswer, Reference, backend, evaluate, precision};
use super::finding::{Finding, State};

/// Rows of the timed calls.
const ROWS: usize = 256;

/// A finding for each requested GPU, or for the first one; the network is loaded like this, but there.
pub(super) fn examine(
    model: &ModelSource,
    load: &LoadOptions,
    wanted: Device,
    reference: Option<Reference<'_>>,
) -> Vec<Finding> {
    let asked = wanted != Device::Cpu;
    if cfg!(target_os = "linux") && !has_driver(Path::new("/")) {
        return vec![Finding {
            state: if asked { State::Broken } else { State::Absent },
            what: "gpu",
            text: "no NVIDIA driver is loaded".to_owned(),
            fix: if asked { "tengen gtp --device cpu" } else { "" }.to_owned(),
        }];
    }
    let cards = match wanted {
        Device::Cuda(cards) => cards,
        Device::Cpu => CudaDevices::only(0),
    };
    let names = names();
    let found = cards.numbers().map(|number| {
        let device = Device::Cuda(CudaDevices::only(number));
        let load = LoadOptions {
            device,
            ..load.clone()
        };
        let (one, many) = match run(model, &load) {
            Ok([one, many]) => (Ok(one), Some(many)),
            Err(error) => (Err(error), None),
        };
        let reference = reference.map(|(answer, tolerance)| (answer, tolerance.on_card()));
        let mut finding = backend("gpu", &one, reference, asked);
        let unknown = "nvidia-smi does not list it".to_owned();
        let name = names.get(usize::from(number)).unwrap_or(&unknown);
        finding.text = match many {
            Some(BackendAnswer { each, .. }) => format!(
                "{device}, {name}; {}, {}, {:.0} positions/s in batches of {ROWS}",
                precision(model),
                finding.text,
                ROWS as f64 / each.as_secs_f64()
            ),
            None => format!("{device}, {name}; {}", finding.text),
        };
        if finding.state == State::Broken {
            finding.fix = format!("{FETCH_SCRIPT} --gpu");
        }
        finding
    });
    found.collect()
}

/// The answers to one row and to many.
fn run(model: &ModelSource, load: &LoadOptions) -> Result<[BackendAnswer; 2], EvalError> {
    let factory = EvaluatorFactory::open(BackendKind::Ort, model, load)?;
    let mut evaluator = factory.make()?;
    Ok([
        evaluate(evaluator.as_mut(), 1)?,
        evaluate(evaluator.as_mut(), ROWS)?,
    ])
}

/// Output of the driver's own program for each GPU, by number: name, driver, memory. Empty without
/// the program.
fn names() -> Vec<String> {
    let query = "--query-gpu=name,driver_version,memory.total,memory.free";
    let said = Command::new("nvidia-smi")
        .args([query, "--format=csv,noheader,nounits"])
        .output();
    let said = said.map(|said| said.stdout).unwrap_or_default();
    read(&String::from_utf8_lossy(&said))
}

/// Its lines as text.
fn read(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        match fields[..] {
            [name, driver, total, free] => {
                format!("{name}, driver {driver}, {free} of {total} MiB free")
            }
            _ => line.trim().to_owned(),
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_drivers_program_says_is_told() {
        let text =
            "NVIDIA H100 80GB HBM3, 580.82.07, 81559, 81037\nNVIDIA L4, 580.82.07, 23034, 22000\n";
        let names = read(text);
        assert_eq!(
            names,
            [
                "NVIDIA H100 80GB HBM3, driver 580.82.07, 81037 of 81559 MiB free",
                "NVIDIA L4, driver 580.82.07, 22000 of 23034 MiB free"
            ]
        );
        assert_eq!(read(""), Vec::<String>::new());
        assert_eq!(read("No devices were found\n"), ["No devices were found"]);
    }
}
