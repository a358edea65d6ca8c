//! The search's settings: one table makes the struct, the parser, the help and the documentation.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

/// How the move to play is chosen among the searched ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveChoice {
    /// The highest lower confidence bound among well-visited moves.
    Lcb,
    /// The most visits.
    Visits,
}

impl Display for MoveChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            MoveChoice::Lcb => "lcb",
            MoveChoice::Visits => "visits",
        })
    }
}

impl FromStr for MoveChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "lcb" => Ok(MoveChoice::Lcb),
            "visits" => Ok(MoveChoice::Visits),
            _ => Err("lcb or visits"),
        }
    }
}

/// Why a setting was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetError {
    /// There is no such setting.
    #[error("unknown setting {name:?}; did you mean {nearest}?")]
    Unknown {
        /// The name given.
        name: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// The value does not parse or is out of range.
    #[error("{name} must be {expected}, not {value:?}")]
    Value {
        /// The setting.
        name: &'static str,
        /// What is allowed, in words.
        expected: String,
        /// The value given.
        value: String,
    },
}

/// One line of the table, as text for help and documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamInfo {
    /// The name to use with `--set name=value`.
    pub name: &'static str,
    /// Default value.
    pub default: String,
    /// Allowed values.
    pub range: String,
    /// What it does.
    pub help: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
}

fn parse<T: FromStr + PartialOrd + Display>(
    name: &'static str,
    value: &str,
    range: &RangeInclusive<T>,
) -> Result<T, SetError> {
    let parsed = value.parse().ok().filter(|v| range.contains(v));
    parsed.ok_or_else(|| SetError::Value {
        name,
        expected: format!("{} to {}", range.start(), range.end()),
        value: value.to_owned(),
    })
}

fn parse_choice(
    name: &'static str,
    value: &str,
    range: &&'static str,
) -> Result<MoveChoice, SetError> {
    value.parse().map_err(|_| SetError::Value {
        name,
        expected: (*range).to_owned(),
        value: value.to_owned(),
    })
}

fn show_range<T: Display>(range: &RangeInclusive<T>) -> String {
    format!("{} to {}", range.start(), range.end())
}

fn show_choice(range: &&'static str) -> String {
    (*range).to_owned()
}

macro_rules! search_params {
    ($($name:ident: $type:ty = $default:expr, $range:expr, $parse:ident, $show:ident, $help:literal, $source:literal;)*) => {
        /// Settings of the search; every field is a line of the table in this file.
        #[derive(Debug, Clone, PartialEq)]
        pub struct SearchParams {
            $(#[doc = $help] #[doc = ""] #[doc = concat!("Source: ", $source, ".")] pub $name: $type,)*
        }

        impl Default for SearchParams {
            fn default() -> Self {
                SearchParams { $($name: $default,)* }
            }
        }

        impl SearchParams {
            /// Sets one setting from text.
            ///
            /// # Errors
            /// [`SetError`] names what is wrong and what is allowed.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
                match name {
                    $(stringify!($name) => {
                        self.$name = $parse(stringify!($name), value, &$range)?;
                        Ok(())
                    })*
                    _ => Err(SetError::Unknown { name: name.to_owned(), nearest: nearest(name) }),
                }
            }

            /// The current value of every setting, in the table's order.
            #[must_use]
            pub fn values(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.to_string()),)*]
            }

            /// The table, for help and documentation.
            #[must_use]
            pub fn table() -> Vec<ParamInfo> {
                vec![$(ParamInfo {
                    name: stringify!($name),
                    default: { let default: $type = $default; default.to_string() },
                    range: $show(&$range),
                    help: $help,
                    source: $source,
                },)*]
            }
        }

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

search_params! {
    cpuct: f32 = 1.1, 0.0..=100.0, parse, show_range,
        "Exploration constant of PUCT, for values in [-1, 1].", "NoGoZero+ (S1), c_puct = 1.1; 2.0 lost 32-48 to it at 200 visits (az-5b32c, 2026-11)";
    cpuct_growth: f32 = 0.45, 0.0..=100.0, parse, show_range,
        "Added to cpuct times ln((visits + cpuct_base) / cpuct_base).", "KataGo, methods §4.4";
    cpuct_base: f32 = 500.0, 1.0..=1e9, parse, show_range,
        "Visits at which cpuct begins to grow.", "KataGo, methods §4.4";
    fpu_reduction: f32 = 0.2, 0.0..=2.0, parse, show_range,
        "An unvisited move counts as the node's value less this times the root of the visited policy mass.",
        "KataGo, methods §1.1";
    root_fpu_reduction: f32 = 0.2, 0.0..=2.0, parse, show_range,
        "fpu_reduction at the root; 0 is usual in self-play.", "as in the tree; KataGo's self-play uses 0";
    virtual_loss: f32 = 0.0, 0.0..=10.0, parse, show_range,
        "Losses that a visit in flight counts as; 0 only counts it as a visit.", "WU-UCT, methods §4.1";
    root_policy_temperature: f32 = 1.0, 0.1..=10.0, parse, show_range,
        "Flattens (above 1) or sharpens the root's priors.", "1.03 in NoGoZero+ self-play (S1)";
    root_noise: f32 = 0.0, 0.0..=1.0, parse, show_range,
        "Share of Dirichlet noise in the root's priors.", "0.25 in NoGoZero+ self-play (S1); none in play";
    root_noise_concentration: f32 = 2.43, 0.01..=1000.0, parse, show_range,
        "Total concentration of the root noise, shared by the legal moves.", "0.03 * 81 (S1, methods §1.1)";
    move_choice: MoveChoice = MoveChoice::Lcb, "lcb or visits", parse_choice, show_choice,
        "How the move is chosen.", "KataGo, methods §1.1";
    lcb_deviations: f32 = 5.0, 0.0..=100.0, parse, show_range,
        "Standard errors that the lower confidence bound lies below the value.", "KataGo, methods §1.1";
    lcb_min_visits: f32 = 0.15, 0.0..=1.0, parse, show_range,
        "A move needs this share of the most visited move's visits to be chosen by its bound.", "KataGo, methods §1.1";
    move_temperature: f32 = 0.0, 0.0..=10.0, parse, show_range,
        "Chooses randomly by visits^(1/temperature) at the game's start; 0 always takes the best.", "KataGo self-play uses 0.75";
    move_temperature_halflife: f32 = 9.0, 0.1..=1000.0, parse, show_range,
        "Plies in which move_temperature halves.", "board side, KataGo, methods §1.1";
    batch: u32 = 0, 0..=4096, parse, show_range,
        "Most leaves that a thread evaluates at once; 0 takes the evaluator's advice.", "methods §4.1";
    memory_mib: u32 = 1024, 16..=1_000_000, parse, show_range,
        "Memory of the search tree; the tree is thinned between moves when half of it is full.", "design";
}

impl SearchParams {
    /// The factor of `P / (1 + n)` in PUCT at a node with `total` visits, itself counted:
    /// `c sqrt(N)`, where c grows with the logarithm of the visits.
    #[must_use]
    pub fn exploration(&self, total: f32) -> f32 {
        let growth = ((total + self.cpuct_base) / self.cpuct_base).ln();
        (self.cpuct + self.cpuct_growth * growth) * total.sqrt()
    }
}

/// The known name with the smallest edit distance to `name`.
fn nearest(name: &str) -> &'static str {
    let by_distance = NAMES
        .iter()
        .min_by_key(|known| strsim::damerau_levenshtein(name, known));
    by_distance.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_in_its_own_range_and_round_trips() {
        let mut params = SearchParams::default();
        for (name, value) in SearchParams::default().values() {
            params.set(name, &value).unwrap();
        }
        assert_eq!(params, SearchParams::default());
        assert_eq!(SearchParams::table().len(), params.values().len());
    }

    #[test]
    fn refusals_say_what_is_allowed() {
        let mut params = SearchParams::default();
        let error = params.set("cpuckt", "1").unwrap_err().to_string();
        assert_eq!(error, "unknown setting \"cpuckt\"; did you mean cpuct?");
        let error = params.set("fpu_reduction", "3").unwrap_err().to_string();
        assert_eq!(error, "fpu_reduction must be 0 to 2, not \"3\"");
        assert!(params.set("cpuct", "nan").is_err());
        let error = params.set("move_choice", "best").unwrap_err().to_string();
        assert_eq!(error, "move_choice must be lcb or visits, not \"best\"");
        assert_eq!(params, SearchParams::default());
    }
}
