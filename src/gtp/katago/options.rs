//! How a conversation is held, and what it has from outside.

use std::time::Duration;

use crate::engine::Engine;
use crate::game::{BoardSize, Color, UnknownGame};
use crate::gtp::numbers::View;

/// Makes an engine for a board and rules; the usual ones, where the text is empty.
pub type MakeAnalyst =
    Box<dyn Fn(BoardSize, &str) -> Result<Box<dyn Engine>, UnknownGame> + Send + Sync>;

/// What a conversation has from outside.
pub struct KatagoResources {
    /// Makes the engines.
    pub make: MakeAnalyst,
    /// Has engines that are made from now on know nothing of what others have found out.
    pub forget: Box<dyn Fn()>,
}

/// How queries are answered.
#[derive(Debug, Clone, PartialEq)]
pub struct KatagoOptions {
    /// The program's name.
    pub name: String,
    /// The names of its networks.
    pub networks: Vec<String>,
    /// Positions that are analysed at the same time, at least 1.
    pub positions: usize,
    /// In whose view numbers are told, where a query says nothing; here and below.
    pub perspective: Perspective,
    /// Visits of a search.
    pub visits: u64,
    /// Time of a search, besides.
    pub time: Option<Duration>,
    /// Whether what was asked for is answered after the end of input.
    pub finish: bool,
}

/// In whose view numbers are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Perspective {
    /// Always this side's.
    Side(Color),
    /// That of the side to move.
    Mover,
}

impl std::str::FromStr for Perspective {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Perspective, &'static str> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Ok(Perspective::Side(Color::Black)),
            "w" | "white" => Ok(Perspective::Side(Color::White)),
            "sidetomove" => Ok(Perspective::Mover),
            _ => Err("BLACK, WHITE or SIDETOMOVE"),
        }
    }
}

impl Perspective {
    /// The view of a search with this side to move.
    pub(super) fn view(self, mover: Color) -> View {
        let side = match self {
            Perspective::Side(side) => side,
            Perspective::Mover => mover,
        };
        View { mover, side }
    }
}
