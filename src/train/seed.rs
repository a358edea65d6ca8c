//! Seeds for the numbered parts of a run.

/// The seed of part `number` of a run: the same in every run, independent of the order of parts. An
/// odd multiplier spreads neighbours over the seeds; xoshiro's seeding by SplitMix64 mixes them.
pub fn numbered_seed(seed: u64, number: u64) -> u64 {
    seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
