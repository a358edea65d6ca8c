//! Batches of a few fixed sizes: a GPU's libraries plan again for each size but the last one, which
//! takes far longer than the evaluation.

use std::ops::Range;

/// Rows of the calls. A smaller batch is padded to the next size, and a larger one takes several
/// calls.
pub(super) const SIZES: [usize; 7] = [1, 8, 32, 64, 128, 256, 512];

/// One call: the rows of a batch that it evaluates, and its index in [`SIZES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) rows: Range<usize>,
    pub(super) size: usize,
}

/// The calls for a batch of this many rows, given the available sizes (ascending).
pub(super) fn calls(rows: usize, sizes: &[usize]) -> impl Iterator<Item = Call> + '_ {
    let most = sizes.last().copied().unwrap_or(1).max(1);
    (0..rows).step_by(most).map(move |start| {
        let rows = start..rows.min(start + most);
        let size = sizes.partition_point(|&size| size < rows.len());
        Call { rows, size }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_call_that_is_just_large_enough() {
        for rows in 0..3000 {
            let mut next = 0;
            for call in calls(rows, &SIZES) {
                assert_eq!(call.rows.start, next);
                next = call.rows.end;
                assert!(call.rows.len() <= SIZES[call.size], "{rows}: {call:?}");
                let smaller = call.size.checked_sub(1).map_or(0, |size| SIZES[size]);
                assert!(call.rows.len() > smaller, "{rows}: {call:?}");
            }
            assert_eq!(next, rows);
        }
        assert!(SIZES.is_sorted());
    }

    #[test]
    fn what_is_too_large_takes_several_calls() {
        let sizes: Vec<usize> = calls(20, &[1, 8]).map(|call| call.rows.len()).collect();
        assert_eq!(sizes, [8, 8, 4]);
    }
}
