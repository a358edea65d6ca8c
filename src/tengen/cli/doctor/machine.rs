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

/// Memory that this process may still have, on Linux: what is free, less where it is limited.
fn free_memory_mib() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let free = free_kib(&read("/proc/meminfo"))? << 10;
    let group = group_limit(&read("/sys/fs/cgroup/memory.max"));
    let limits = [group, address_space(&read("/proc/self/limits"))];
    let least = limits.into_iter().flatten().fold(free, u64::min);
    Some(least >> 20)
}

fn free_kib(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The limit of a container in bytes.
fn group_limit(memory_max: &str) -> Option<u64> {
    memory_max.trim().parse().ok()
}

/// The limit of `ulimit -v` in bytes.
fn address_space(limits: &str) -> Option<u64> {
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_linux_writes_them() {
        assert_eq!(
            free_kib("MemTotal: 9 kB\nMemAvailable:   1234 kB\n"),
            Some(1234)
        );
        assert_eq!(group_limit("536870912\n"), Some(512 << 20));
        assert_eq!(group_limit("max\n"), None);
        let line = |limit: &str| {
            format!("Limit  Soft\nMax address space         {limit}   unlimited   bytes\n")
        };
        assert_eq!(address_space(&line("1048576")), Some(1 << 20));
        assert_eq!(address_space(&line("unlimited")), None);
        assert_eq!(
            (free_kib(""), group_limit(""), address_space("")),
            (None, None, None)
        );
    }
}
