//! The encodings of NoGo.

mod seed;
mod v1;
mod v2;

pub use seed::{NoGoAsf, NoGoAz};
pub use v1::NoGoV1;
pub use v2::NoGoV2;

use super::NoGo;
use crate::encode::{Encode, Encoding};

impl<const WORDS: usize> Encode for NoGo<WORDS> {
    fn encodings() -> &'static [&'static dyn Encoding<Self>] {
        &[&NoGoAz, &NoGoAsf, &NoGoV2, &NoGoV1]
    }
}
