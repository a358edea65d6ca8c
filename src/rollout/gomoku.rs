//! Gomoku's random playouts.

use super::Playout;
use crate::game::gomoku::Gomoku;

impl Playout for Gomoku {}
