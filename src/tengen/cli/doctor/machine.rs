//! Findings about the machine itself.

use tengen::engine::EngineOptions;

use super::finding::{Finding, State};

/// Processor features.
pub(super) fn processor() -> Finding {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
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
    let skills = if skills.is_empty() {
        std::env::consts::ARCH.to_owned()
    } else {
        skills.join(", ")
    };
    Finding::ok("processor", format!("{threads} threads, {skills}"))
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
    Finding {
        state: State::Broken,
        what: "memory",
        text,
        fix: format!("tengen gtp --memory-mib {}", (free / 2).max(16)),
    }
}

/// Free memory on Linux.
fn free_memory_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}
