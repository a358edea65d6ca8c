//! NEON, of every 64-bit ARM processor: four registers are one line.
//!
//! Products of bytes are of signed bytes: dot products of signed with unsigned bytes came years
//! later.

#![allow(unsafe_code, reason = "vector instructions")]

#[allow(clippy::wildcard_imports, reason = "names of instructions")]
use std::arch::aarch64::*;
use std::arch::asm;

use super::conv::tiles;
use super::simd::{Bytes, Job, Lanes, Simd, Tile, Words, each, operations};

/// Proof that this processor has NEON, and dot products of bytes if `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neon<const DOT: bool>(());

impl<const DOT: bool> Neon<DOT> {
    /// The proof, if the processor has them.
    pub(super) fn detect() -> Option<Self> {
        // Bytes of a register are counted from its low end, and so must be those of a number.
        let has = cfg!(target_endian = "little")
            && std::arch::is_aarch64_feature_detected!("neon")
            && (!DOT || std::arch::is_aarch64_feature_detected!("dotprod"));
        has.then_some(Neon(()))
    }
}

#[target_feature(enable = "neon,dotprod")]
fn enter_dot<J: Job>(simd: Neon<true>, job: J) -> J::Output {
    job.run(simd)
}

#[target_feature(enable = "neon")]
fn enter_plain<J: Job>(simd: Neon<false>, job: J) -> J::Output {
    job.run(simd)
}

impl<const DOT: bool> Simd for Neon<DOT> {
    type F = [float32x4_t; 4];
    type I = [int32x4_t; 4];
    type W = [int16x8_t; 2];

    #[inline(always)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        // SAFETY: `self` exists only where `detect` has found the features that each asks for.
        unsafe {
            if DOT {
                enter_dot(Neon(()), job)
            } else {
                enter_plain(Neon(()), job)
            }
        }
    }

    fn tile<J: Tile>(self, blocks: usize, points: usize, job: J) {
        // 32 registers: up to 24 sums, one point's channel, and four of weights.
        tiles!(self, blocks, points, job; 1: 1 2 3 4 5 6;);
    }

    fn most_points(blocks: usize) -> usize {
        if blocks == 1 { 6 } else { 0 }
    }

    #[inline(always)]
    fn prefetch<T>(self, line: &T) {
        let line = std::ptr::from_ref(line);
        // SAFETY: every 64-bit ARM processor has this instruction, and it reads nothing. The function
        // for it is not stable yet (rust-lang/rust#117217).
        unsafe {
            asm!("prfm pldl2keep, [{0}]", in(reg) line, options(nostack, preserves_flags, readonly));
        }
    }

    operations! {
        fn splat(x: f32) -> Self::F { [vdupq_n_f32(x); 4] }
        fn load(line: &Lanes<f32>) -> Self::F {
            let line = quarters(&line.0);
            each!(4: vld1q_f32(line))
        }
        fn store(x: Self::F, line: &mut Lanes<f32>) -> () {
            let start = line.0.as_mut_ptr();
            vst1q_f32(start, x[0]);
            vst1q_f32(start.add(4), x[1]);
            vst1q_f32(start.add(8), x[2]);
            vst1q_f32(start.add(12), x[3]);
        }
        fn mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F { each!(4: vfmaq_f32(c, a, b)) }
        fn add(a: Self::F, b: Self::F) -> Self::F { each!(4: vaddq_f32(a, b)) }
        fn max(a: Self::F, b: Self::F) -> Self::F { each!(4: vmaxq_f32(a, b)) }
        fn min(a: Self::F, b: Self::F) -> Self::F { each!(4: vminq_f32(a, b)) }
        fn mul(a: Self::F, b: Self::F) -> Self::F { each!(4: vmulq_f32(a, b)) }
        fn div(a: Self::F, b: Self::F) -> Self::F { each!(4: vdivq_f32(a, b)) }
        fn round(x: Self::F) -> Self::F { each!(4: vrndnq_f32(x)) }
        fn power_of_two(x: Self::F) -> Self::F { each!(4: power_of_two(x)) }
        fn turn(x: Self::F, by: Self::F) -> Self::F { each!(4: turn(x, by)) }
        fn sum(x: Self::F) -> f32 {
            vaddvq_f32(vaddq_f32(vaddq_f32(x[0], x[1]), vaddq_f32(x[2], x[3])))
        }
        fn largest(x: Self::F) -> f32 {
            vmaxvq_f32(vmaxq_f32(vmaxq_f32(x[0], x[1]), vmaxq_f32(x[2], x[3])))
        }
        fn splat_int(x: i32) -> Self::I { [vdupq_n_s32(x); 4] }
        fn load_int(line: &Lanes<i32>) -> Self::I {
            let line = quarters(&line.0);
            each!(4: vld1q_s32(line))
        }
        fn store_int(x: Self::I, line: &mut Lanes<i32>) -> () {
            let start = line.0.as_mut_ptr();
            vst1q_s32(start, x[0]);
            vst1q_s32(start.add(4), x[1]);
            vst1q_s32(start.add(8), x[2]);
            vst1q_s32(start.add(12), x[3]);
        }
        fn dot(sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I {
            if DOT {
                return each!(4: dot(sum, bytes, weights));
            }
            each!(4: dot_in_halves(sum, bytes, weights))
        }
        fn widen(bytes: &Bytes) -> Self::W {
            let bytes = vld1q_s8(bytes.0.as_ptr().cast());
            [vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes)]
        }
        fn store_words(x: Self::W, words: &mut Words) -> () {
            let start = words.0.as_mut_ptr().cast::<i16>();
            vst1q_s16(start, x[0]);
            vst1q_s16(start.add(8), x[1]);
        }
        fn add_words(a: Self::W, b: Self::W) -> Self::W { each!(2: vaddq_s16(a, b)) }
        fn subtract_words(a: Self::W, b: Self::W) -> Self::W { each!(2: vsubq_s16(a, b)) }
        fn scale_words(a: Self::W, factor: i16) -> Self::W {
            [vmulq_n_s16(a[0], factor), vmulq_n_s16(a[1], factor)]
        }
        fn to_float(x: Self::I) -> Self::F { each!(4: vcvtq_f32_s32(x)) }
        fn to_bytes(x: Self::F) -> Bytes {
            // Each step rounds to the nearest representable number.
            let low = vqmovn_s32(vcvtnq_s32_f32(x[0]));
            let low = vqmovn_high_s32(low, vcvtnq_s32_f32(x[1]));
            let high = vqmovn_s32(vcvtnq_s32_f32(x[2]));
            let high = vqmovn_high_s32(high, vcvtnq_s32_f32(x[3]));
            let mut bytes = Bytes::default();
            let narrow = vqmovn_high_s16(vqmovn_s16(low), high);
            vst1q_s8(bytes.0.as_mut_ptr().cast(), narrow);
            bytes
        }
    }
}

#[inline(always)]
fn quarters<T>(line: &[T; 16]) -> [*const T; 4] {
    let quarter = |i: usize| line[4 * i..].as_ptr();
    [quarter(0), quarter(1), quarter(2), quarter(3)]
}

/// [`Simd::dot`] of a quarter, in one instruction.
///
/// # Safety
/// The processor has dot products.
#[inline(always)]
unsafe fn dot(mut sum: int32x4_t, bytes: int32x4_t, weights: int32x4_t) -> int32x4_t {
    // SAFETY: the caller's promise; registers only. The function for it is not stable yet
    // (rust-lang/rust#117224).
    unsafe {
        asm!(
            "sdot {0:v}.4s, {1:v}.16b, {2:v}.16b",
            inout(vreg) sum, in(vreg) bytes, in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// [`Simd::dot`] of a quarter through 16-bit products, which cannot overflow.
#[target_feature(enable = "neon")]
#[inline]
fn dot_in_halves(sum: int32x4_t, bytes: int32x4_t, weights: int32x4_t) -> int32x4_t {
    let (bytes, weights) = (vreinterpretq_s8_s32(bytes), vreinterpretq_s8_s32(weights));
    let low = vmull_s8(vget_low_s8(bytes), vget_low_s8(weights));
    let high = vmull_high_s8(bytes, weights);
    vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)))
}

/// [`Simd::turn`] of a quarter.
#[target_feature(enable = "neon")]
#[inline]
fn turn(x: float32x4_t, by: float32x4_t) -> float32x4_t {
    let swapped = vmulq_f32(vrev64q_f32(x), vtrn2q_f32(by, by));
    // Negative in even lanes.
    let products = vtrn1q_f32(vnegq_f32(swapped), vrev64q_f32(swapped));
    vfmaq_f32(products, x, vtrn1q_f32(by, by))
}

/// [`Simd::power_of_two`] of a quarter: the exponent of a number, which is stored with 127 added.
#[target_feature(enable = "neon")]
#[inline]
fn power_of_two(x: float32x4_t) -> float32x4_t {
    let exponent = vaddq_s32(vcvtnq_s32_f32(x), vdupq_n_s32(127));
    vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent))
}
