//! AVX-512: one register is one line.

#![allow(unsafe_code, reason = "vector instructions")]

use std::arch::asm;
#[allow(clippy::wildcard_imports, reason = "names of instructions")]
use std::arch::x86_64::*;

use super::avx2::word_operations;
use super::conv::tiles;
use super::simd::{Bytes, Job, Lanes, Simd, Tile, Words, operations};

/// Proof that this processor has AVX-512 F and BW, and VNNI if `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512<const VNNI: bool>(());

impl<const VNNI: bool> Avx512<VNNI> {
    /// The proof, if the processor has them.
    pub(super) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && (!VNNI || is_x86_feature_detected!("avx512vnni"));
        has.then_some(Avx512(()))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn enter_vnni<J: Job>(simd: Avx512<true>, job: J) -> J::Output {
    job.run(simd)
}

#[target_feature(enable = "avx512f,avx512bw")]
fn enter_plain<J: Job>(simd: Avx512<false>, job: J) -> J::Output {
    job.run(simd)
}

impl<const VNNI: bool> Simd for Avx512<VNNI> {
    type F = __m512;
    type I = __m512i;
    type W = __m256i;

    #[inline(always)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        // SAFETY: `self` exists only where `detect` has found the features that each asks for.
        unsafe {
            if VNNI {
                enter_vnni(Avx512(()), job)
            } else {
                enter_plain(Avx512(()), job)
            }
        }
    }

    fn tile<J: Tile>(self, blocks: usize, points: usize, job: J) {
        // 32 registers: up to 28 sums, one point's channel, and a line of weights a block.
        tiles!(self, blocks, points, job;
            1: 1 2 3 4 5 6 7 8 9 10;
            2: 1 2 3 4 5 6 7 8 9 10;
            3: 1 2 3 4 5 6 7 8 9;
        );
    }

    fn most_points(blocks: usize) -> usize {
        match blocks {
            1 | 2 => 10,
            3 => 9,
            _ => 0,
        }
    }

    #[inline(always)]
    fn prefetch<T>(self, line: &T) {
        // SAFETY: every x86-64 processor has this instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(line).cast()) }
    }

    word_operations!();

    operations! {
        fn splat(x: f32) -> Self::F { _mm512_set1_ps(x) }
        fn load(line: &Lanes<f32>) -> Self::F { _mm512_load_ps(line.0.as_ptr()) }
        fn store(x: Self::F, line: &mut Lanes<f32>) -> () { _mm512_store_ps(line.0.as_mut_ptr(), x) }
        fn mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F { _mm512_fmadd_ps(a, b, c) }
        fn add(a: Self::F, b: Self::F) -> Self::F { _mm512_add_ps(a, b) }
        fn max(a: Self::F, b: Self::F) -> Self::F { _mm512_max_ps(a, b) }
        fn min(a: Self::F, b: Self::F) -> Self::F { _mm512_min_ps(a, b) }
        fn mul(a: Self::F, b: Self::F) -> Self::F { _mm512_mul_ps(a, b) }
        fn div(a: Self::F, b: Self::F) -> Self::F { _mm512_div_ps(a, b) }
        fn round(x: Self::F) -> Self::F { _mm512_roundscale_ps::<0>(x) }
        fn power_of_two(x: Self::F) -> Self::F { _mm512_scalef_ps(_mm512_set1_ps(1.0), x) }
        fn turn(x: Self::F, by: Self::F) -> Self::F {
            let swapped = _mm512_permute_ps::<0b10_11_00_01>(x);
            let products = _mm512_mul_ps(swapped, _mm512_movehdup_ps(by));
            _mm512_fmaddsub_ps(x, _mm512_moveldup_ps(by), products)
        }
        fn sum(x: Self::F) -> f32 { _mm512_reduce_add_ps(x) }
        fn largest(x: Self::F) -> f32 { _mm512_reduce_max_ps(x) }
        fn to_words(x: Self::F) -> Words {
            let mut words = Words::default();
            let narrow = _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(x));
            _mm256_store_si256(words.0.as_mut_ptr().cast(), narrow);
            words
        }
        fn to_word_pairs(low: Self::F, high: Self::F) -> Lanes<i32> {
            // Too large numbers become the nearest word.
            let low = _mm512_cvtepi16_epi32(_mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(low)));
            let high = _mm512_cvtepi16_epi32(_mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(high)));
            let low = _mm512_and_si512(low, _mm512_set1_epi32(0xffff));
            let mut pairs = Lanes([0; 16]);
            let both = _mm512_or_si512(low, _mm512_slli_epi32::<16>(high));
            _mm512_store_si512(pairs.0.as_mut_ptr().cast(), both);
            pairs
        }
        fn splat_int(x: i32) -> Self::I { _mm512_set1_epi32(x) }
        fn load_int(line: &Lanes<i32>) -> Self::I { _mm512_load_si512(line.0.as_ptr().cast()) }
        fn store_int(x: Self::I, line: &mut Lanes<i32>) -> () {
            _mm512_store_si512(line.0.as_mut_ptr().cast(), x)
        }
        fn dot(sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I {
            if VNNI {
                return _mm512_dpbusd_epi32(sum, bytes, weights);
            }
            // In two halves of 16 bits each: nothing saturates.
            let even = _mm512_and_si512(bytes, _mm512_set1_epi16(0xff));
            let odd = _mm512_srli_epi16::<8>(bytes);
            let even_weights = _mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(weights));
            let odd_weights = _mm512_srai_epi16::<8>(weights);
            dot_pairs(dot_pairs(sum, even, even_weights), odd, odd_weights)
        }
        fn dot_words(sum: Self::I, words: Self::I, weights: Self::I) -> Self::I {
            if VNNI {
                return _mm512_dpwssd_epi32(sum, words, weights);
            }
            dot_pairs(sum, words, weights)
        }
        fn to_float(x: Self::I) -> Self::F { _mm512_cvtepi32_ps(x) }
        fn to_bytes(x: Self::F) -> Bytes {
            // Values that are too large stay too large after narrowing, even beyond 32 bits.
            let x = _mm512_max_ps(x, _mm512_setzero_ps());
            let mut bytes = Bytes::default();
            let narrow = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(x));
            _mm_storeu_si128(bytes.0.as_mut_ptr().cast(), narrow);
            bytes
        }
    }
}

/// In each lane: `sum` + the products of two words with two weights.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn dot_pairs(sum: __m512i, words: __m512i, weights: __m512i) -> __m512i {
    let mut sum = _mm512_add_epi32(sum, _mm512_madd_epi16(words, weights));
    // As in `avx2.rs`: in another order registers would be lacking.
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) sum, options(pure, nomem, nostack, preserves_flags));
    }
    sum
}
