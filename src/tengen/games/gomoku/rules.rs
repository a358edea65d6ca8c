//! Variants of Gomoku: the length of a winning row, and the moves forbidden to Black.

use std::fmt;
use std::str::FromStr;

use crate::game::{Color, Rules, UnknownRules};

/// Which length of a row wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Five {
    /// Five stones or more.
    OrMore,
    /// Five stones.
    Exactly,
    /// Six or more, and five that are not between two stones of the other side.
    OrMoreNotBlocked,
    /// Five stones that are not between two stones of the other side.
    ExactlyNotBlocked,
}

/// A variant of Gomoku; see [`GomokuRules::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum GomokuRules {
    /// Five or more in a row win.
    #[default]
    Freestyle,
    /// Exactly five win; overlines do not count.
    Standard,
    /// Black wins by exactly five and may not make an overline, two fours or two threes at once;
    /// White wins by five or more. The rules of the Renju International Federation.
    Renju,
    /// Six or more win, and five unless both ends are blocked by the opponent. The edge of the board
    /// does not block.
    Caro,
    /// Exactly five win, unless both ends are blocked by the opponent.
    StandardCaro,
}

/// The variants, for messages.
const KNOWN: &str = "freestyle (five or more win), standard (exactly five), renju (moves forbidden to \
                     Black), caro (six or more, or five not blocked at both ends), standard-caro \
                     (exactly five, not blocked at both ends)";

impl GomokuRules {
    /// All variants, in the order of messages.
    pub const ALL: [GomokuRules; 5] = [
        GomokuRules::Freestyle,
        GomokuRules::Standard,
        GomokuRules::Renju,
        GomokuRules::Caro,
        GomokuRules::StandardCaro,
    ];

    /// Their names and numbers, in the same order.
    const WORDS: [(&str, i64); 5] = [
        ("freestyle", 0),
        ("standard", 1),
        ("renju", 4),
        ("caro", 8),
        ("standard-caro", 9),
    ];

    /// The name of the variant.
    pub const fn name(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// The number in Gomocup's protocol and in SGF of its managers: a sum of bits, 1 for exactly five, 4 for Renju, 8 for
    /// Caro.
    pub const fn number(self) -> i64 {
        Self::WORDS[self as usize].1
    }

    /// The variant of this number.
    pub fn numbered(number: i64) -> Option<GomokuRules> {
        Self::ALL.into_iter().find(|rules| rules.number() == number)
    }

    /// The rows that win for a colour.
    pub const fn five(self, color: Color) -> Five {
        match (self, color) {
            (GomokuRules::Freestyle, _) | (GomokuRules::Renju, Color::White) => Five::OrMore,
            (GomokuRules::Standard, _) | (GomokuRules::Renju, Color::Black) => Five::Exactly,
            (GomokuRules::Caro, _) => Five::OrMoreNotBlocked,
            (GomokuRules::StandardCaro, _) => Five::ExactlyNotBlocked,
        }
    }

    /// Whether some empty points may be forbidden to a colour.
    pub const fn forbids(self, color: Color) -> bool {
        matches!((self, color), (GomokuRules::Renju, Color::Black))
    }
}

impl Rules for GomokuRules {
    fn record_name(&self) -> Option<String> {
        Some(self.name().to_owned())
    }
}

impl fmt::Display for GomokuRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GomokuRules {
    type Err = UnknownRules;

    /// Takes the names and numbers of other programs, too.
    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        let name = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        // "Standard Gomoku".
        let name = match name.strip_suffix("-gomoku").unwrap_or(&name) {
            "free-style" => "freestyle",
            "rif" | "free-renju" => "renju",
            name => name,
        };
        let mut all = Self::ALL.into_iter();
        let named = all.find(|rules| rules.name() == name);
        let found = named.or_else(|| Self::numbered(name.parse().ok()?));
        found.ok_or_else(|| UnknownRules::new(text, KNOWN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_text() {
        for rules in GomokuRules::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
            let recorded = rules.record_name().map(|name| name.parse());
            assert_eq!(recorded, Some(Ok(rules)));
        }
        assert_eq!("Standard_Caro".parse(), Ok(GomokuRules::StandardCaro));
        for (other, rules) in [
            ("0", GomokuRules::Freestyle),
            ("1", GomokuRules::Standard),
            ("4", GomokuRules::Renju),
            ("9", GomokuRules::StandardCaro),
            ("RIF", GomokuRules::Renju),
            ("Free Renju", GomokuRules::Renju),
            ("free-style", GomokuRules::Freestyle),
            ("Freestyle Gomoku", GomokuRules::Freestyle),
            ("Standard Gomoku", GomokuRules::Standard),
        ] {
            assert_eq!(other.parse(), Ok(rules), "{other}");
        }
        for unknown in ["2", "", "gomoku", "swap2"] {
            assert!(unknown.parse::<GomokuRules>().is_err(), "{unknown}");
        }
        let refused = "chinese".parse::<GomokuRules>().unwrap_err().to_string();
        assert!(
            refused.contains("`chinese`") && refused.contains("renju"),
            "{refused}"
        );
    }
}
