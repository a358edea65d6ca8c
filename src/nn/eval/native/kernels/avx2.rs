//! AVX2 with FMA: two registers are one line.

#![allow(unsafe_code, reason = "vector instructions")]

use std::arch::asm;
#[allow(clippy::wildcard_imports, reason = "names of instructions")]
use std::arch::x86_64::*;

use super::conv::tiles;
use super::simd::{Bytes, Job, Lanes, Simd, Tile, Words, each, operations};

/// Proof that this processor has AVX2 and FMA, and AVX-VNNI if `true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2<const VNNI: bool>(());

impl<const VNNI: bool> Avx2<VNNI> {
    /// The proof, if the processor has them.
    pub(super) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && (!VNNI || is_x86_feature_detected!("avxvnni"));
        has.then_some(Avx2(()))
    }
}

#[target_feature(enable = "avx2,fma,avxvnni")]
fn enter_vnni<J: Job>(simd: Avx2<true>, job: J) -> J::Output {
    job.run(simd)
}

#[target_feature(enable = "avx2,fma")]
fn enter_plain<J: Job>(simd: Avx2<false>, job: J) -> J::Output {
    job.run(simd)
}

/// The operations on sixteen words, which are one register with AVX-512, too.
macro_rules! word_operations {
    () => {
        $crate::eval::native::kernels::simd::operations! {
            fn widen(bytes: &Bytes) -> Self::W {
                _mm256_cvtepu8_epi16(_mm_load_si128(bytes.0.as_ptr().cast()))
            }
            fn store_words(x: Self::W, words: &mut Words) -> () {
                _mm256_store_si256(words.0.as_mut_ptr().cast(), x)
            }
            fn add_words(a: Self::W, b: Self::W) -> Self::W { _mm256_add_epi16(a, b) }
            fn subtract_words(a: Self::W, b: Self::W) -> Self::W { _mm256_sub_epi16(a, b) }
            fn scale_words(a: Self::W, factor: i16) -> Self::W {
                _mm256_mullo_epi16(a, _mm256_set1_epi16(factor))
            }
        }
    };
}
pub(super) use word_operations;

impl<const VNNI: bool> Simd for Avx2<VNNI> {
    type F = [__m256; 2];
    type I = [__m256i; 2];
    type W = __m256i;

    #[inline(always)]
    fn enter<J: Job>(self, job: J) -> J::Output {
        // SAFETY: `self` exists only where `detect` has found the features that each asks for.
        unsafe {
            if VNNI {
                enter_vnni(Avx2(()), job)
            } else {
                enter_plain(Avx2(()), job)
            }
        }
    }

    fn tile<J: Tile>(self, blocks: usize, points: usize, job: J) {
        // 16 registers: up to 12 for sums, one point's channel, and two of weights.
        tiles!(self, blocks, points, job; 1: 1 2 3 4 5 6;);
    }

    fn most_points(blocks: usize) -> usize {
        if blocks == 1 { 6 } else { 0 }
    }

    #[inline(always)]
    fn prefetch<T>(self, line: &T) {
        // SAFETY: every x86-64 processor has this instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(line).cast()) }
    }

    word_operations!();

    operations! {
        fn splat(x: f32) -> Self::F { [_mm256_set1_ps(x); 2] }
        fn load(line: &Lanes<f32>) -> Self::F {
            let [low, high] = halves(&line.0);
            [_mm256_load_ps(low.as_ptr()), _mm256_load_ps(high.as_ptr())]
        }
        fn store(x: Self::F, line: &mut Lanes<f32>) -> () {
            let (low, high) = line.0.split_at_mut(8);
            _mm256_store_ps(low.as_mut_ptr(), x[0]);
            _mm256_store_ps(high.as_mut_ptr(), x[1]);
        }
        fn mul_add(a: Self::F, b: Self::F, c: Self::F) -> Self::F { each!(2: _mm256_fmadd_ps(a, b, c)) }
        fn add(a: Self::F, b: Self::F) -> Self::F { each!(2: _mm256_add_ps(a, b)) }
        fn max(a: Self::F, b: Self::F) -> Self::F { each!(2: _mm256_max_ps(a, b)) }
        fn min(a: Self::F, b: Self::F) -> Self::F { each!(2: _mm256_min_ps(a, b)) }
        fn mul(a: Self::F, b: Self::F) -> Self::F { each!(2: _mm256_mul_ps(a, b)) }
        fn div(a: Self::F, b: Self::F) -> Self::F { each!(2: _mm256_div_ps(a, b)) }
        fn round(x: Self::F) -> Self::F {
            const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
            [_mm256_round_ps::<NEAREST>(x[0]), _mm256_round_ps::<NEAREST>(x[1])]
        }
        fn power_of_two(x: Self::F) -> Self::F { each!(2: power_of_two(x)) }
        fn turn(x: Self::F, by: Self::F) -> Self::F { each!(2: turn(x, by)) }
        fn sum(x: Self::F) -> f32 {
            let sum = _mm256_add_ps(x[0], x[1]);
            let sum = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum));
            let sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
            _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)))
        }
        fn largest(x: Self::F) -> f32 {
            let most = _mm256_max_ps(x[0], x[1]);
            let most = _mm_max_ps(_mm256_castps256_ps128(most), _mm256_extractf128_ps::<1>(most));
            let most = _mm_max_ps(most, _mm_movehl_ps(most, most));
            _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)))
        }
        fn to_words(x: Self::F) -> Words {
            let (low, high) = (_mm256_cvtps_epi32(x[0]), _mm256_cvtps_epi32(x[1]));
            // Packing works within halves of a register, so the quarters come out as 0, 2, 1, 3.
            let packed = _mm256_packs_epi32(low, high);
            let mut words = Words::default();
            let narrow = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            _mm256_store_si256(words.0.as_mut_ptr().cast(), narrow);
            words
        }
        fn to_word_pairs(low: Self::F, high: Self::F) -> Lanes<i32> {
            let mut pairs = Lanes([0; 16]);
            let both = each!(2: word_pairs(low, high));
            let start: *mut __m256i = pairs.0.as_mut_ptr().cast();
            _mm256_store_si256(start, both[0]);
            _mm256_store_si256(start.add(1), both[1]);
            pairs
        }
        fn splat_int(x: i32) -> Self::I { [_mm256_set1_epi32(x); 2] }
        fn load_int(line: &Lanes<i32>) -> Self::I {
            let [low, high] = halves(&line.0);
            [_mm256_load_si256(low.as_ptr().cast()), _mm256_load_si256(high.as_ptr().cast())]
        }
        fn store_int(x: Self::I, line: &mut Lanes<i32>) -> () {
            let (low, high) = line.0.split_at_mut(8);
            _mm256_store_si256(low.as_mut_ptr().cast(), x[0]);
            _mm256_store_si256(high.as_mut_ptr().cast(), x[1]);
        }
        fn dot(sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I {
            if VNNI {
                return each!(2: _mm256_dpbusd_avx_epi32(sum, bytes, weights));
            }
            each!(2: dot_in_halves(sum, bytes, weights))
        }
        fn dot_words(sum: Self::I, words: Self::I, weights: Self::I) -> Self::I {
            if VNNI {
                return each!(2: _mm256_dpwssd_avx_epi32(sum, words, weights));
            }
            each!(2: dot_pairs(sum, words, weights))
        }
        fn to_float(x: Self::I) -> Self::F { each!(2: _mm256_cvtepi32_ps(x)) }
        fn to_bytes(x: Self::F) -> Bytes {
            let (most, least) = (_mm256_set1_ps(255.0), _mm256_setzero_ps());
            let low = _mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps(x[0], most), least));
            let high = _mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps(x[1], most), least));
            // Packing works within halves of a register, so the quarters come out as 0, 2, 1, 3.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
            let words = [_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words)];
            let mut bytes = Bytes::default();
            _mm_storeu_si128(bytes.0.as_mut_ptr().cast(), _mm_packus_epi16(words[0], words[1]));
            bytes
        }
    }
}

#[inline(always)]
fn halves<T>(line: &[T; 16]) -> [&[T]; 2] {
    let (low, high) = line.split_at(8);
    [low, high]
}

/// [`Simd::dot`] through products of 16 bits: unlike those of 8 bits they do not saturate.
#[target_feature(enable = "avx2")]
#[inline]
fn dot_in_halves(sum: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
    let even = _mm256_and_si256(bytes, _mm256_set1_epi16(0xff));
    let odd = _mm256_srli_epi16::<8>(bytes);
    let even_weights = _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(weights));
    let odd_weights = _mm256_srai_epi16::<8>(weights);
    dot_pairs(dot_pairs(sum, even, even_weights), odd, odd_weights)
}

/// In each lane: `sum` + the products of two words with two weights.
#[target_feature(enable = "avx2")]
#[inline]
fn dot_pairs(sum: __m256i, words: __m256i, weights: __m256i) -> __m256i {
    let mut sum = _mm256_add_epi32(sum, _mm256_madd_epi16(words, weights));
    // Compilers add integers in another order, and then lack registers: a network takes 1.1 times as
    // long without this.
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) sum, options(pure, nomem, nostack, preserves_flags));
    }
    sum
}

/// [`Simd::to_word_pairs`] of a half.
#[target_feature(enable = "avx2")]
#[inline]
fn word_pairs(low: __m256, high: __m256) -> __m256i {
    // Too large numbers become the nearest word; low and high ones are packed into halves of four.
    let words = _mm256_packs_epi32(_mm256_cvtps_epi32(low), _mm256_cvtps_epi32(high));
    let places = _mm256_setr_epi8(
        0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12,
        13, 6, 7, 14, 15,
    );
    _mm256_shuffle_epi8(words, places)
}

/// [`Simd::turn`] of a half.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn turn(x: __m256, by: __m256) -> __m256 {
    let swapped = _mm256_permute_ps::<0b10_11_00_01>(x);
    let products = _mm256_mul_ps(swapped, _mm256_movehdup_ps(by));
    _mm256_fmaddsub_ps(x, _mm256_moveldup_ps(by), products)
}

/// [`Simd::power_of_two`] of a half: the exponent of a number, which is stored with 127 added.
#[target_feature(enable = "avx2")]
#[inline]
fn power_of_two(x: __m256) -> __m256 {
    let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(x), _mm256_set1_epi32(127));
    _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
}
