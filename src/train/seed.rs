//! Seeds for the numbered parts of a run.

/// The seed of part `number` of a run: whoever draws it gets the same numbers, in whatever order
/// the parts are made. An odd multiplier spreads neighbours over the seeds; xoshiro's seeding by
/// SplitMix64 does the mixing.
pub(super) fn numbered_seed(seed: u64, number: u64) -> u64 {
    seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
