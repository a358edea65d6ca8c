//! Operations on sixteen numbers, and code built on them.

/// Channels that are computed together, independent of the processor's own width.
pub const LANES: usize = 16;

/// Sixteen numbers: the channels of a block at one point, or a row of packed weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes<T>(pub [T; LANES]);

/// Sixteen channels at one point in eight bits, in four groups of four.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Bytes(pub [[u8; 4]; LANES / 4]);

/// Sixteen channels at one point in 16 bits, in eight groups of two.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Words(pub [[i16; 2]; LANES / 2]);

/// Two words in the 32 bits of a lane.
#[inline(always)]
pub fn joined([low, high]: [i16; 2]) -> i32 {
    i32::from(high) << 16 | i32::from(low.cast_unsigned())
}

/// Operations of a processor on sixteen numbers. See [the kernels](super).
pub trait Simd: Copy {
    /// Sixteen f32.
    type F: Copy;
    /// Sixteen i32.
    type I: Copy;
    /// Sixteen i16.
    type W: Copy;

    /// Compiles `job` for this processor, and runs it.
    fn enter<J: Job>(self, job: J) -> J::Output;
    /// Runs the tile of this many channel blocks and points; see [`conv`](super::conv).
    fn tile<J: Tile>(self, blocks: usize, points: usize, job: J);
    /// Maximum points of a tile with this many channel blocks; 0 if there are no such tiles.
    fn most_points(blocks: usize) -> usize;

    /// Prefetches memory into the second-level cache.
    fn prefetch<T>(self, line: &T);
    fn splat(self, x: f32) -> Self::F;
    fn load(self, line: &Lanes<f32>) -> Self::F;
    fn store(self, x: Self::F, line: &mut Lanes<f32>);
    /// a x b + c.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// The larger number; `b` if that is not a number.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// The nearest whole number.
    fn round(self, x: Self::F) -> Self::F;
    /// 2^x for whole numbers from -126 to 127.
    fn power_of_two(self, x: Self::F) -> Self::F;
    /// Each two neighbouring lanes as a complex number, times those of `by`.
    fn turn(self, x: Self::F, by: Self::F) -> Self::F;
    /// The sum of the lanes.
    fn sum(self, x: Self::F) -> f32;
    /// The largest of the lanes.
    fn largest(self, x: Self::F) -> f32;

    fn splat_int(self, x: i32) -> Self::I;
    fn load_int(self, line: &Lanes<i32>) -> Self::I;
    fn store_int(self, x: Self::I, line: &mut Lanes<i32>);
    /// In each lane: `sum` + the products of the four `bytes` with the four signed bytes of `weights`. Exact. The
    /// bytes are signed where `Level::least_byte` says so.
    fn dot(self, sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I;
    /// In each lane: `sum` + the products of the two `words` with the two of `weights`, in 32 bits. Plain Rust,
    /// as that of `to_words` and `to_word_pairs`, is enough where words are not faster: only tests compute them there.
    #[inline(always)]
    fn dot_words(self, sum: Self::I, words: Self::I, weights: Self::I) -> Self::I {
        let lanes = |x: Self::I| {
            let mut line = Lanes([0; LANES]);
            self.store_int(x, &mut line);
            line.0
        };
        let (sum, words, weights) = (lanes(sum), lanes(words), lanes(weights));
        let pair = |lane: i32| [i32::from(lane as i16), lane >> 16];
        self.load_int(&Lanes(std::array::from_fn(|i| {
            let ([a, b], [c, d]) = (pair(words[i]), pair(weights[i]));
            sum[i] + a * c + b * d
        })))
    }
    /// The numbers that bytes represent, which are signed where
    /// `Level::least_byte` says so.
    fn widen(self, bytes: &Bytes) -> Self::W;
    fn store_words(self, x: Self::W, words: &mut Words);
    /// Rounded to the nearest whole number that a word can hold.
    #[inline(always)]
    fn to_words(self, x: Self::F) -> Words {
        let words = words(self, x);
        Words(std::array::from_fn(|i| [words[2 * i], words[2 * i + 1]]))
    }
    /// The same of two, [`joined`] in each lane.
    #[inline(always)]
    fn to_word_pairs(self, low: Self::F, high: Self::F) -> Lanes<i32> {
        let (low, high) = (words(self, low), words(self, high));
        Lanes(std::array::from_fn(|i| joined([low[i], high[i]])))
    }
    fn add_words(self, a: Self::W, b: Self::W) -> Self::W;
    /// a - b.
    fn subtract_words(self, a: Self::W, b: Self::W) -> Self::W;
    /// Each word times the same number.
    fn scale_words(self, a: Self::W, factor: i16) -> Self::W;
    fn to_float(self, x: Self::I) -> Self::F;
    /// Rounded to the nearest whole number in 0..=255, or in -128..=127 where bytes are signed.
    fn to_bytes(self, x: Self::F) -> Bytes;
}

/// Each number rounded, in plain Rust.
#[inline(always)]
fn words<S: Simd>(simd: S, x: S::F) -> [i16; LANES] {
    let mut line = Lanes::default();
    simd.store(x, &mut line);
    // `as` stops at the largest and at the smallest word.
    line.0.map(|x| x.round_ties_even() as i16)
}

/// Code that is compiled for each kind of processor.
pub trait Job {
    type Output;
    /// Must be `#[inline(always)]`, and so must everything it calls: code that is not inlined is
    /// compiled without these instructions.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A job with compile-time numbers of blocks and points.
pub trait Tile {
    /// Must be `#[inline(always)]`, as [`Job::run`].
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S);
}

/// The points of a tile from `start`.
#[inline(always)]
pub(super) fn points<T, const POINTS: usize>(plane: &[T], start: usize) -> &[T; POINTS] {
    plane[start..]
        .first_chunk()
        .expect("the border is wide enough")
}

#[inline(always)]
pub(super) fn points_mut<T, const POINTS: usize>(
    plane: &mut [T],
    start: usize,
) -> &mut [T; POINTS] {
    plane[start..]
        .first_chunk_mut()
        .expect("the border is wide enough")
}

/// Operations that are one instruction, or a few.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! operations {
    ($(fn $name:ident($($arg:ident: $kind:ty),*) -> $result:ty { $($body:tt)* })*) => {
        $(#[inline(always)]
        fn $name(self, $($arg: $kind),*) -> $result {
            // SAFETY: `self` exists only where `detect` has found these instructions. Pointers come
            // from references to whole lines, which are aligned to their size.
            unsafe { $($body)* }
        })*
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use operations;

/// The same instruction on each of the 2 or 4 registers of a line: `each!(2: f(a, b))` is
/// `[f(a[0], b[0]), f(a[1], b[1])]`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! each {
    (2: $f:ident($($x:expr),*)) => { [$f($($x[0]),*), $f($($x[1]),*)] };
    (4: $f:ident($($x:expr),*)) => { [$f($($x[0]),*), $f($($x[1]),*), $f($($x[2]),*), $f($($x[3]),*)] };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use each;

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    /// 3 (a + b) - 2 a, and its products with weights.
    struct WordOperations {
        bytes: [Bytes; 2],
        weights: Lanes<i32>,
    }

    impl Job for WordOperations {
        type Output = (Words, Lanes<i32>);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let [a, b] = [simd.widen(&self.bytes[0]), simd.widen(&self.bytes[1])];
            let sum = simd.scale_words(simd.add_words(a, b), 3);
            let mut words = Words::default();
            simd.store_words(simd.subtract_words(sum, simd.scale_words(a, 2)), &mut words);
            let mut products = Lanes([7; LANES]);
            let pair = simd.splat_int(joined(words.0[1]));
            let sums = simd.load_int(&products);
            let sums = simd.dot_words(sums, pair, simd.load_int(&self.weights));
            simd.store_int(sums, &mut products);
            (words, products)
        }
    }

    #[test]
    fn words_are_computed_alike_on_every_processor() {
        // As signed bytes the same.
        let byte = |i: usize| (5 * i % 128) as u8;
        let bytes = |start: usize| {
            Bytes(std::array::from_fn(|group| {
                std::array::from_fn(|i| byte(start + 4 * group + i))
            }))
        };
        let weight = |i: usize| (i as i16 - 16) * 1999;
        let weights = Lanes(std::array::from_fn(|i| [weight(2 * i), weight(2 * i + 1)]));
        let word = |i: usize| i16::from(byte(i)) + 3 * i16::from(byte(i + 16));
        let expected = std::array::from_fn(|i| [word(2 * i), word(2 * i + 1)]);
        let product = |i: usize, weight: i16| i32::from(word(i)) * i32::from(weight);
        let sums = weights.0.map(|[a, b]| 7 + product(2, a) + product(3, b));
        for level in Level::all() {
            let (words, products) = level.enter(WordOperations {
                bytes: [bytes(0), bytes(16)],
                weights: Lanes(weights.0.map(joined)),
            });
            assert_eq!(words.0, expected, "{level}");
            assert_eq!(products.0, sums, "{level}");
        }
    }

    /// Pairs turned, words made of numbers, and what lanes have together.
    struct NumberOperations([Lanes<f32>; 2]);

    impl Job for NumberOperations {
        type Output = (Lanes<f32>, Words, Lanes<i32>, [f32; 2]);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let [a, b] = [simd.load(&self.0[0]), simd.load(&self.0[1])];
            let mut turned = Lanes::default();
            simd.store(simd.turn(a, b), &mut turned);
            let pairs = simd.to_word_pairs(a, b);
            (
                turned,
                simd.to_words(a),
                pairs,
                [simd.sum(a), simd.largest(a)],
            )
        }
    }

    #[test]
    fn numbers_are_turned_rounded_and_added_alike_on_every_processor() {
        let a: [f32; LANES] = std::array::from_fn(|i| (i as f32 - 7.3) * 1234.6);
        let mut b = a.map(|x| 0.25 - x / 1000.0);
        (b[3], b[4]) = (1e9, -1e9);
        let turned: [f32; LANES] = std::array::from_fn(|i| match i % 2 {
            0 => a[i] * b[i] - a[i + 1] * b[i + 1],
            _ => a[i] * b[i - 1] + a[i - 1] * b[i],
        });
        let word = |x: f32| x.round_ties_even().clamp(-32768.0, 32767.0) as i16;
        for level in Level::all() {
            let (found, words, pairs, [sum, largest]) =
                level.enter(NumberOperations([Lanes(a), Lanes(b)]));
            for (found, wanted) in found.0.iter().zip(turned) {
                assert!(
                    (found - wanted).abs() <= 1e-6 * wanted.abs(),
                    "{level}: {found}, {wanted}"
                );
            }
            assert_eq!(words.0.as_flattened(), a.map(word), "{level}");
            let both = a.iter().zip(b).map(|(&a, b)| joined([word(a), word(b)]));
            let both: Vec<_> = both.collect();
            assert_eq!(pairs.0[..], both, "{level}");
            assert!((sum - a.iter().sum::<f32>()).abs() < 0.1, "{level}: {sum}");
            assert_eq!(largest, a[LANES - 1], "{level}");
        }
    }
}
