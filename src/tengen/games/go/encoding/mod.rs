//! The encodings of Go.

mod katago;
mod seed;
mod v1;
mod v2;

use super::Go;
use crate::encode::{Encode, Encoding};
use seed::Mobile;
use v1::V1;
use v2::V2;

impl<const CELLS: usize, const WORDS: usize> Encode for Go<CELLS, WORDS> {
    fn encodings() -> &'static [&'static dyn Encoding<Self>] {
        &[&katago::BY_RULES, &katago::BY_SUICIDE, &Mobile, &V2, &V1]
    }
}
