//! Checks whether this processor has the instructions that the program was compiled for; without it
//! the program would die with `Illegal instruction`.

use std::io::Write as _;

/// Message for a processor older than x86-64-v3, the target of `.cargo/config.toml`.
const TOO_OLD: &[u8] = b"this program was built for processors with AVX2, BMI2 and FMA (x86-64-v3: Intel since \
2013, AMD since 2015), and this processor lacks some of them: build it with RUSTFLAGS=\"-C target-cpu=x86-64\" \
cargo build --release, which runs on all\n";

/// Ends the process with a message if it would soon die of an illegal instruction.
///
/// Call it first in `main`, and put the rest into a function that is never inlined: the compiler
/// may use those instructions in `main` itself. For the same reason nothing here loops, formats
/// text or copies anything.
#[expect(
    clippy::disallowed_methods,
    reason = "nothing has begun, and returning would run code that this processor cannot"
)]
#[inline(never)]
pub fn check() {
    if !has_all() {
        // If even that fails, nothing can be reported.
        let _ = std::io::stderr().write_all(TOO_OLD);
        std::process::exit(1);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has_all() -> bool {
    true
}

#[cfg(target_arch = "x86_64")]
fn has_all() -> bool {
    use std::arch::x86_64::__cpuid_count;

    const fn bit(wanted: bool, bit: u32) -> u32 {
        (wanted as u32) << bit
    }
    // Bits as in Intel's manual, volume 2A, CPUID.
    const BASIC: u32 = bit(cfg!(target_feature = "fma"), 12)
        | bit(cfg!(target_feature = "movbe"), 22)
        | bit(cfg!(target_feature = "avx"), 27)
        | bit(cfg!(target_feature = "avx"), 28)
        | bit(cfg!(target_feature = "f16c"), 29);
    const EXTENDED: u32 = bit(cfg!(target_feature = "bmi1"), 3)
        | bit(cfg!(target_feature = "avx2"), 5)
        | bit(cfg!(target_feature = "bmi2"), 8);
    const AMD: u32 = bit(cfg!(target_feature = "lzcnt"), 5);

    let leaves = __cpuid_count(0, 0).eax;
    let extended = if leaves < 7 {
        0
    } else {
        __cpuid_count(7, 0).ebx
    };
    let amd = __cpuid_count(0x8000_0001, 0).ecx;
    let basic = __cpuid_count(1, 0).ecx;
    let missing = (BASIC & !basic) | (EXTENDED & !extended) | (AMD & !amd);
    missing == 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn who_gets_here_has_all() {
        assert!(super::has_all());
    }
}
