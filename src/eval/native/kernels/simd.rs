//! What a processor does with sixteen numbers, and what is written with it.

/// Channels that are computed together, whatever the processor's own width.
pub(in super::super) const LANES: usize = 16;

/// Sixteen numbers: the channels of a block at one point, or a row of packed weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(64))]
pub(in super::super) struct Line<T>(pub(in super::super) [T; LANES]);

/// Sixteen channels at one point in eight bits, in four groups of four.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C, align(16))]
pub(in super::super) struct Bytes(pub(in super::super) [[u8; 4]; LANES / 4]);

/// What a processor does with sixteen numbers. See [the kernels](super).
pub(in super::super) trait Simd: Copy {
    /// Sixteen f32.
    type F: Copy;
    /// Sixteen i32.
    type I: Copy;

    /// Has `job` compiled for this processor, and runs it.
    fn enter<J: Job>(self, job: J) -> J::Output;
    /// Runs the tile of this many channel blocks and points; see [`conv`](super::conv).
    fn tile<J: Tile>(self, blocks: usize, points: usize, job: J);
    /// The most points of a tile of this many channel blocks; 0 where there are no such tiles.
    fn most_points(blocks: usize) -> usize;

    /// Asks for memory that will be read soon, to come as far as the second-level cache.
    fn prefetch<T>(self, line: &T);
    fn splat(self, x: f32) -> Self::F;
    fn load(self, line: &Line<f32>) -> Self::F;
    fn store(self, x: Self::F, line: &mut Line<f32>);
    /// a x b + c.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn max(self, a: Self::F, b: Self::F) -> Self::F;

    fn zero(self) -> Self::I;
    fn load_int(self, line: &Line<i32>) -> Self::I;
    fn store_int(self, x: Self::I, line: &mut Line<i32>);
    /// In each lane: `sum` + the products of the four `bytes` with the lane's four weights. Exact. The
    /// bytes are signed where [`Level::least_byte`](super::Level::least_byte) says so.
    fn dot(self, sum: Self::I, bytes: Self::I, weights: Self::I) -> Self::I;
    /// The same four bytes in each lane.
    fn splat_bytes(self, bytes: [u8; 4]) -> Self::I;
    /// Four weights a lane.
    fn load_weights(self, line: &Line<[i8; 4]>) -> Self::I;
    fn to_float(self, x: Self::I) -> Self::F;
    /// Rounded to the nearest whole number in 0..=255, or in -128..=127 where bytes are signed.
    fn to_bytes(self, x: Self::F) -> Bytes;
}

/// Something to be compiled for each kind of processor.
pub(in super::super) trait Job {
    type Output;
    /// Must be `#[inline(always)]`, and all it calls too: what is not inlined is compiled for any
    /// processor.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A job with a number of blocks and points that the compiler knows.
pub(in super::super) trait Tile {
    /// Must be `#[inline(always)]`, as [`Job::run`].
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S);
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
/// Operations that are one instruction, or a few.
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
pub(super) use operations;
