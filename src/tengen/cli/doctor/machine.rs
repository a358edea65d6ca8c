//! Findings about the machine itself: processor, memory, and GPUs: whether and how fast a network runs on them.

use std::path::Path;
use std::process::Command;

use crate::engine::EngineOptions;
use crate::program::counted;
use crate::system;
use tengen_nn::eval::{
    BackendKind, CudaDevices, Device, EvalError, EvaluatorFactory, FETCH, FETCH_FOR_GPUS,
    LoadOptions, ModelSource, NEEDED_FOR_GPUS, NO_SUCH_GPU, has_driver,
};

use super::backend::{BackendAnswer, Finding, Reference, State, backend, evaluate, precision};

/// Processor features.
pub(super) fn processor() -> Finding {
    let threads = counted(system::processors(), "thread");
    let mut skills: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx2") {
            skills.push("AVX2");
        }
        if std::is_x86_feature_detected!("avx512f") {
            skills.push("AVX-512");
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        skills.push("64-bit ARM with NEON");
        if std::arch::is_aarch64_feature_detected!("dotprod") {
            skills.push("dot products");
        }
    }
    let skills = match skills.is_empty() {
        true => std::env::consts::ARCH.to_owned(),
        false => skills.join(", "),
    };
    Finding::ok("processor", format!("{threads}, {skills}"))
}

/// Whether the search tree fits into free memory.
pub(super) fn memory(options: &EngineOptions) -> Finding {
    let wanted = u64::from(options.search.memory_mib) + u64::from(options.cache_mib);
    let Some(free) = free_memory_mib() else {
        return Finding::ok("memory", format!("{wanted} MiB for tree and cache"));
    };
    let text = format!("{free} MiB free, at most {wanted} MiB for tree and cache");
    if wanted < free {
        return Finding::ok("memory", text);
    }
    let fix = format!("tengen gtp --memory-mib {}", (free / 2).max(16));
    Finding::broken("memory", text, fix)
}

/// Memory that this process may still have, on Linux: what is free, less where it is limited.
fn free_memory_mib() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let free = number_after("MemAvailable:", &read("/proc/meminfo"))? << 10;
    // Of a container, and of `ulimit -v`.
    let group = number_after("", &read("/sys/fs/cgroup/memory.max"));
    let limits = [
        group,
        number_after("Max address space", &read("/proc/self/limits")),
    ];
    let least = limits.into_iter().flatten().fold(free, u64::min);
    Some(least >> 20)
}

/// The number that follows these words at the beginning of a line.
fn number_after(words: &str, text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(words))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Rows of the timed calls.
const ROWS: usize = 256;

/// A finding for each requested GPU, or for the first one; the network is loaded like this, but there.
pub(super) fn gpus(
    model: &ModelSource,
    load: &LoadOptions,
    wanted: Device,
    reference: Option<Reference<'_>>,
) -> Vec<Finding> {
    let asked = wanted != Device::Cpu;
    if cfg!(target_os = "linux") && !has_driver(Path::new("/")) {
        let text = "no NVIDIA driver is loaded".to_owned();
        return vec![Finding::missing(
            "gpu",
            text,
            asked,
            "tengen gtp --device cpu",
        )];
    }
    let cards = match wanted {
        Device::Cuda(cards) => cards,
        Device::Cpu => CudaDevices::only(0),
    };
    let [visible, order] =
        ["CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"].map(|name| std::env::var(name).ok());
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
        let id = drivers_id(number, visible.as_deref());
        let name = name(&id, is_counted_alike(&id, order.as_deref()));
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
            finding.fix = fix(one.as_ref().err(), load.ort_library.is_named());
        }
        finding
    });
    found.collect()
}

/// What helps where a GPU was asked for and does not work, by a library that was named or by the usual one.
fn fix(error: Option<&EvalError>, is_named: bool) -> String {
    let fix = match error {
        _ if cfg!(target_os = "macos") => FETCH_FOR_GPUS,
        None => return format!("another version: {FETCH_FOR_GPUS}"),
        Some(EvalError::Unavailable { reason, .. })
            if [FETCH, FETCH_FOR_GPUS]
                .iter()
                .any(|fetch| reason.contains(fetch)) =>
        {
            if is_named {
                return format!(
                    "leave --ort-library and ORT_DYLIB_PATH out, and Tengen looks in the usual places; {FETCH_FOR_GPUS}"
                );
            }
            FETCH_FOR_GPUS
        }
        Some(EvalError::Unavailable { reason, .. }) if reason.contains(NO_SUCH_GPU) => {
            "--device cuda:0"
        }
        Some(EvalError::Unavailable { .. }) => NEEDED_FOR_GPUS,
        Some(_) => "--device cpu",
    };
    fix.to_owned()
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

/// How the driver calls CUDA's GPU of this number, which counts only those of `CUDA_VISIBLE_DEVICES`, if that is set.
fn drivers_id(number: u8, visible: Option<&str>) -> String {
    match visible {
        Some(ids) => ids
            .split(',')
            .nth(number.into())
            .unwrap_or_default()
            .trim()
            .to_owned(),
        None => number.to_string(),
    }
}

/// Whether the driver and CUDA mean the same card by this number, or name: CUDA counts the fastest one first, unless it is
/// told to count by slot, as the driver does.
fn is_counted_alike(id: &str, order: Option<&str>) -> bool {
    order == Some("PCI_BUS_ID") || id.parse::<u16>().is_err()
}

/// Output of the driver's own program for a GPU: name, driver, memory.
fn name(id: &str, is_certain: bool) -> String {
    let query = "--query-gpu=name,driver_version,memory.total,memory.free";
    let ask = |which: &[&str]| {
        let mut program = Command::new("nvidia-smi");
        let said = program
            .args(which)
            .args([query, "--format=csv,noheader,nounits"])
            .output();
        let said = said.map(|said| said.stdout).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    };
    let told = read(&ask(&["-i", id]));
    match is_certain || are_equal(&ask(&[])) {
        true => told,
        false => format!(
            "{told}, or another card: CUDA counts the fastest first, and like nvidia-smi only with \
             CUDA_DEVICE_ORDER=PCI_BUS_ID in the environment"
        ),
    }
}

/// Whether these cards, one a line, are of one kind.
fn are_equal(cards: &str) -> bool {
    let mut kinds = cards.lines().map(|card| card.split(',').next());
    let first = kinds.next();
    kinds.all(|kind| Some(kind) == first)
}

/// Its line as text.
fn read(text: &str) -> String {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    match fields[..] {
        [name, driver, total, free] => {
            format!("{name}, driver {driver}, {free} of {total} MiB free")
        }
        [""] => "nvidia-smi does not list it".to_owned(),
        _ => text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_linux_writes_them() {
        assert_eq!(
            number_after("MemAvailable:", "MemTotal: 9 kB\nMemAvailable:   1234 kB\n"),
            Some(1234)
        );
        assert_eq!(number_after("", "536870912\n"), Some(512 << 20));
        assert_eq!(number_after("", "max\n"), None);
        let line = |limit: &str| {
            format!("Limit  Soft\nMax address space         {limit}   unlimited   bytes\n")
        };
        assert_eq!(
            number_after("Max address space", &line("1048576")),
            Some(1 << 20)
        );
        assert_eq!(number_after("Max address space", &line("unlimited")), None);
        assert_eq!(
            (
                number_after("MemAvailable:", ""),
                number_after("", ""),
                number_after("Max address space", "")
            ),
            (None, None, None)
        );
    }

    #[test]
    fn what_the_drivers_program_says_is_told() {
        assert_eq!(
            read("NVIDIA L4, 580.82.07, 23034, 22000\n"),
            "NVIDIA L4, driver 580.82.07, 22000 of 23034 MiB free"
        );
        assert_eq!(read(""), "nvidia-smi does not list it");
        assert_eq!(read("No devices were found\n"), "No devices were found");
    }

    #[test]
    fn of_different_cards_a_number_may_mean_another_one() {
        let one = "NVIDIA GeForce GTX 1660, 580.82.07, 6144, 6000\n";
        let other = "NVIDIA GeForce RTX 3090, 580.82.07, 24576, 24000\n";
        let pairs = [
            String::new(),
            one.to_owned(),
            one.repeat(2),
            one.to_owned() + other,
        ];
        assert_eq!(
            pairs.map(|cards| are_equal(&cards)),
            [true, true, true, false]
        );
        assert!(is_counted_alike("1", Some("PCI_BUS_ID")) && is_counted_alike("GPU-1", None));
        assert!(!is_counted_alike("1", None) && !is_counted_alike("1", Some("FASTEST_FIRST")));
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn what_helps_depends_on_what_is_missing() {
        let unavailable = |reason: &str| EvalError::Unavailable {
            backend: "ort",
            reason: reason.to_owned(),
        };
        let too_old = unavailable("cuda:0: CUDA failure 35: CUDA driver version is insufficient");
        assert_eq!(fix(Some(&too_old), false), NEEDED_FOR_GPUS);
        let without_version = unavailable("/a.so: OrtGetApiBase: no such symbol");
        assert_eq!(fix(Some(&without_version), true), NEEDED_FOR_GPUS);
        let of_processors = unavailable(&format!("no GPU support: {FETCH_FOR_GPUS}"));
        assert_eq!(fix(Some(&of_processors), false), FETCH_FOR_GPUS);
        let named = fix(Some(&of_processors), true);
        assert!(named.starts_with("leave --ort-library") && named.ends_with(FETCH_FOR_GPUS));
        let missing = unavailable(&format!("{NO_SUCH_GPU} 3"));
        assert_eq!(fix(Some(&missing), false), "--device cuda:0");
        assert!(fix(None, false).starts_with("another version"));
    }

    #[test]
    fn the_driver_counts_all_cards_and_cuda_the_visible_ones() {
        let of = |visible| [0, 1, 2].map(|number| drivers_id(number, visible));
        assert_eq!(of(None), ["0", "1", "2"]);
        assert_eq!(of(Some("2, GPU-1")), ["2", "GPU-1", ""]);
    }
}
