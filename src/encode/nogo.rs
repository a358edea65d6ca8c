//! The encodings of NoGo.

use super::{Encode, Encoding, NoGoAsf, NoGoAz, NoGoV1, NoGoV2};
use crate::game::nogo::NoGo;

impl<const WORDS: usize> Encode for NoGo<WORDS> {
    fn encodings() -> &'static [&'static dyn Encoding<Self>] {
        &[&NoGoAz, &NoGoAsf, &NoGoV2, &NoGoV1]
    }
}
