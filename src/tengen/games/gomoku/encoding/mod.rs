//! The encodings of Gomoku.

mod seed;
mod v1;
mod v2;

use super::Gomoku;
use crate::encode::{Encode, Encoding};
use seed::Gobang;
use v1::V1;
use v2::V2;

impl Encode for Gomoku {
    fn encodings() -> &'static [&'static dyn Encoding<Self>] {
        &[&Gobang, &V1, &V2]
    }
}
