//! Operations on sixteen numbers, and code built on them.

/// Channels that are computed together, independent of the processor's own width.
pub(crate) const LANES: usize = 16;

/// Sixteen numbers: the channels of a block at one point, or a row of packed weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lanes<T>(pub(crate) [T; LANES]);

/// Sixteen channels at one point in eight bits, in four groups of four.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Bytes(pub(crate) [[u8; 4]; LANES / 4]);

/// Operations of a processor on sixteen numbers. See [the kernels](super).
pub(crate) trait Simd: Copy {
    /// Sixteen f32.
    type F: Copy;
    /// Sixteen i32.
    type I: Copy;

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
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// The nearest whole number.
    fn round(self, x: Self::F) -> Self::F;
    /// 2^x for whole numbers from -126 to 127.
    fn power_of_two(self, x: Self::F) -> Self::F;

    fn zero(self) -> Self::I;
    fn load_int(self, line: &Lanes<i32>) -> Self::I;
    fn store_int(self, x: Self::I, line: &mut Lanes<i32>);
    /// In each lane: `sum` + the products of the four `bytes` with the lane's four weights. Exact. The
    /// bytes are signed where [`Level::least_byte`](super::Level::least_byte) says so.
    fn dot(self, sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I;
    /// The same four bytes in each lane.
    fn splat_bytes(self, bytes: [u8; 4]) -> Self::I;
    /// Four weights a lane.
    fn load_weights(self, line: &Lanes<[i8; 4]>) -> Self::I;
    fn to_float(self, x: Self::I) -> Self::F;
    /// Rounded to the nearest whole number in 0..=255, or in -128..=127 where bytes are signed.
    fn to_bytes(self, x: Self::F) -> Bytes;
}

/// Code that is compiled for each kind of processor.
pub(crate) trait Job {
    type Output;
    /// Must be `#[inline(always)]`, and so must everything it calls: code that is not inlined is
    /// compiled without these instructions.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A job with compile-time numbers of blocks and points.
pub(crate) trait Tile {
    /// Must be `#[inline(always)]`, as [`Job::run`].
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S);
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
