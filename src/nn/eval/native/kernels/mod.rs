//! Vector kernels, one generic implementation for every processor.
//!
//! [`Simd`] is the set of operations on sixteen numbers; AVX-512, AVX2, NEON and plain Rust
//! implement it. A value of such a type proves that this processor has the instructions: only
//! [`Level`] creates one, after checking the processor. So the operations are safe to call, and all
//! `unsafe` of the backend is in the files that name instructions. Memory is only accessed
//! through references.
//!
//! No SIMD crate is used: `std::arch` has had all of AVX-512 and VNNI since Rust 1.89, so a crate
//! would only add another set of names; `std::simd` is not stable; and `wide` and `pulp` have no
//! dot product of bytes.

mod activation;
mod arithmetic;
mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod conv;
mod maps;
mod matrix;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod simd;
mod tokens;
pub mod winograd;

pub use activation::Activation;
pub use arithmetic::{Arithmetic, Float, Frequencies, Integer, Word};
pub use attention::{AttentionRoom, AttentionTask, HeadMap, HeadNumbers};
pub use conv::{ConvTask, Epilogue, Rounding, chunk_blocks};
pub use maps::{Combine, Dense, DepthwiseTask, Pool, PoolKind};
pub use matrix::WeightOrder;
pub use simd::{Bytes, LANES, Lanes, Words};
pub use tokens::{Centered, MAX_WORD, Paired, Pairing, RootMeanSquares, Rounded, Scaled};
pub use winograd::{WinogradTask, WordFrequency, Workspace, kernel_frequencies, word_rows};

use simd::{Job, Simd};

use std::fmt;

/// Blocks of outputs that are computed together, at most, on any processor.
pub const WIDEST: usize = 3;

/// Instruction set of a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// AVX-512 with VNNI: Intel since Ice Lake, AMD since Zen 4.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(avx512::Avx512<true>),
    /// AVX-512 without VNNI: Skylake-X.
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512<false>),
    /// AVX2 with VNNI: Intel since Alder Lake where it has no AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx2Vnni(avx2::Avx2<true>),
    /// AVX2 and FMA: nearly all x86 processors since 2013.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2<false>),
    /// NEON with dot products: ARM since 2018, such as all of Apple's M and the Raspberry Pi 5.
    #[cfg(target_arch = "aarch64")]
    NeonDot(neon::Neon<true>),
    /// NEON: every 64-bit ARM processor.
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon<false>),
    /// Plain Rust, for processors without any of these.
    Portable(portable::Portable),
}

impl Level {
    /// All levels of this processor, the fastest first.
    pub fn all() -> Vec<Level> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(avx512::Avx512::detect().map(Level::Avx512Vnni));
            levels.extend(avx512::Avx512::detect().map(Level::Avx512));
            levels.extend(avx2::Avx2::detect().map(Level::Avx2Vnni));
            levels.extend(avx2::Avx2::detect().map(Level::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        {
            levels.extend(neon::Neon::detect().map(Level::NeonDot));
            levels.extend(neon::Neon::detect().map(Level::Neon));
        }
        levels.push(Level::Portable(portable::Portable));
        levels
    }

    /// The fastest level of this processor.
    pub fn best() -> Level {
        Level::all()[0]
    }

    /// Whether products of four bytes, and of two words, are multiplied and added in one instruction, or in two.
    fn multiplies_bytes_and_words(self) -> [bool; 2] {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vnni(_) | Level::Avx2Vnni(_) => [true; 2],
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) | Level::Avx2(_) => [false, true],
            #[cfg(target_arch = "aarch64")]
            Level::NeonDot(_) => [true, false],
            _ => [false; 2],
        }
    }

    /// Whether integers are faster than f32: products of four bytes are, or of two words.
    pub fn has_fast_integers(self) -> bool {
        self.multiplies_bytes_and_words().contains(&true)
    }

    /// Whether 3x3 convolutions of bytes are faster in words.
    pub fn has_faster_words(self) -> bool {
        self.multiplies_bytes_and_words() == [false, true]
    }

    /// Whether products of two words are faster than one of f32.
    pub fn multiplies_words(self) -> bool {
        self.multiplies_bytes_and_words()[1]
    }

    /// The smallest number that an activation byte represents; the largest is 255 more.
    pub(super) fn least_byte(self) -> i16 {
        match self {
            #[cfg(target_arch = "aarch64")]
            Level::NeonDot(_) | Level::Neon(_) => i8::MIN.into(),
            _ => 0,
        }
    }

    /// Numbers of blocks that are computed together, at most [`WIDEST`], group after group.
    pub fn groups(self, blocks: usize) -> Vec<usize> {
        let has_pairs = match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vnni(_) | Level::Avx512(_) => true,
            _ => false,
        };
        match (has_pairs, blocks % 2) {
            (false, _) => vec![1; blocks],
            (true, 0) => vec![2; blocks / 2],
            // Two blocks need fewer loads per product than one, three fewer than two and one.
            (true, _) if blocks > 1 => [vec![3], vec![2; blocks / 2 - 1]].concat(),
            (true, _) => vec![1],
        }
    }

    /// Runs `job` compiled for this level.
    pub fn enter<J: Job>(self, job: J) -> J::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vnni(simd) => simd.enter(job),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(simd) => simd.enter(job),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2Vnni(simd) => simd.enter(job),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(simd) => simd.enter(job),
            #[cfg(target_arch = "aarch64")]
            Level::NeonDot(simd) => simd.enter(job),
            #[cfg(target_arch = "aarch64")]
            Level::Neon(simd) => simd.enter(job),
            Level::Portable(simd) => simd.enter(job),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Vnni(_) => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2Vnni(_) => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Level::NeonDot(_) => "NEON with dot products",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "NEON",
            Level::Portable(_) => "portable code",
        })
    }
}
