//! Who plays, as networks that imitate people are told (KataGo's `humanSLProfile`).

use std::f32::consts::TAU;
use std::fmt;
use std::str::FromStr;

/// Numbers that such networks read of the players and their game.
pub(super) const NUMBERS: usize = 192;

/// Places in a row, by KataGo's own order.
const IS_HUMAN: [usize; 2] = [0, 1];
const RANKS: [usize; 2] = [6, 40];
const RANK_LENGTH: usize = 34;
const UNKNOWN_RATING: usize = 74;
const TIME_UNKNOWN: usize = 75;
const TIME_BYOYOMI: usize = 79;
const TIMES: usize = 82;
const AREA: usize = 86;
const DATE: usize = 87;
const DATE_WAVES: usize = 32;
const SOURCE: usize = 151;

/// Sources of games.
const KGS: usize = 2;
const GOGOD: usize = 5;
const GO4GO: usize = 6;
/// The last year of which the networks have seen games of the first source of professionals.
const LAST_OF_GOGOD: u16 = 2020;
/// Years of professional games.
const YEARS: std::ops::RangeInclusive<u16> = 1800..=2023;

/// The players whom a network shall imitate: amateurs of a rank, before or after programs had taught people new
/// openings, or professionals of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HumanProfile {
    /// `rank_5k`: players of this rank in 2020; `preaz_5k`: in 2016, before AlphaZero.
    Amateurs {
        /// 1 for 9 dan, 9 for 1 dan, 10 for 1 kyu, 29 for 20 kyu.
        rank: u8,
        /// Whether before AlphaZero.
        early: bool,
    },
    /// `proyear_1995`: professionals of this year.
    Professionals {
        /// 1800 to 2023.
        year: u16,
    },
}

/// A text that names no players.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "is rank_20k to rank_9d, preaz_20k to preaz_9d (before 2017), or proyear_1800 to proyear_2023"
)]
pub struct UnknownProfile;

impl FromStr for HumanProfile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<HumanProfile, UnknownProfile> {
        let read = || {
            let (kind, name) = text.split_once('_')?;
            Some(match kind {
                "rank" | "preaz" => HumanProfile::Amateurs {
                    rank: rank(name)?,
                    early: kind == "preaz",
                },
                "proyear" => HumanProfile::Professionals {
                    year: name.parse().ok().filter(|year| YEARS.contains(year))?,
                },
                _ => return None,
            })
        };
        read().ok_or(UnknownProfile)
    }
}

/// The place of a rank from the top: 1 for `9d`, 29 for `20k`.
fn rank(name: &str) -> Option<u8> {
    let (number, grade) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let number: u8 = number.parse().ok()?;
    match grade {
        "d" if (1..=9).contains(&number) => Some(10 - number),
        "k" if (1..=20).contains(&number) => Some(9 + number),
        _ => None,
    }
}

impl fmt::Display for HumanProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            HumanProfile::Professionals { year } => write!(f, "proyear_{year}"),
            HumanProfile::Amateurs { rank, early } => {
                f.write_str(if early { "preaz_" } else { "rank_" })?;
                match rank {
                    ..10 => write!(f, "{}d", 10 - rank),
                    _ => write!(f, "{}k", rank - 9),
                }
            }
        }
    }
}

impl HumanProfile {
    /// What a network is told of these players, both of the same rank, on a board of `area` points.
    pub(super) fn row(self, area: usize) -> [f32; NUMBERS] {
        let mut row = [0.0; NUMBERS];
        let (rank, days, source) = match self {
            HumanProfile::Amateurs { rank, early: false } => (rank, days(2020, 3), KGS),
            HumanProfile::Amateurs { rank, early: true } => (rank, days(2016, 9), KGS),
            HumanProfile::Professionals { year } if year <= LAST_OF_GOGOD => {
                (1, days(year, 6), GOGOD)
            }
            HumanProfile::Professionals { year } => (1, days(year, 6), GO4GO),
        };
        for (human, ranks) in IS_HUMAN.into_iter().zip(RANKS) {
            row[human] = 1.0;
            let lit = usize::from(rank).min(RANK_LENGTH);
            row[ranks..ranks + lit].fill(1.0);
        }
        // Amateurs have 20 minutes and five periods of 30 seconds. Games of professionals count as rated.
        let (unknown_rating, kind, [main, period, periods]) = match self {
            HumanProfile::Amateurs { .. } => (0.5, TIME_BYOYOMI, [1200.0, 30.0, 5.0_f32]),
            HumanProfile::Professionals { .. } => (0.0, TIME_UNKNOWN, [0.0; 3]),
        };
        row[UNKNOWN_RATING] = unknown_rating;
        row[kind] = 1.0;
        row[TIMES..AREA].copy_from_slice(&[
            0.4 * ((main + 60.0).ln() - 6.5),
            0.3 * ((period + 1.0).ln() - 3.0),
            0.5 * ((periods + 2.0).ln() - 1.5),
            0.25 * (2.0_f32.ln() - 1.5),
        ]);
        row[AREA] = 0.5 * (area as f32 / 361.0).ln();
        let waves = row[DATE..DATE + 2 * DATE_WAVES].chunks_exact_mut(2);
        for (wave, pair) in waves.enumerate() {
            let period = 7.0 * 80_000.0_f64.powf(wave as f64 / (DATE_WAVES - 1) as f64);
            let turns = (f64::from(days) / period).fract() as f32;
            pair.copy_from_slice(&[(turns * TAU).cos(), (turns * TAU).sin()]);
        }
        row[SOURCE + source] = 1.0;
        row
    }
}

/// Days from 1970-01-01 to the first of a month.
fn days(year: u16, month: u8) -> i32 {
    const BEFORE: [i32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let year = i32::from(year);
    let leap_days = |year: i32| year / 4 - year / 100 + year / 400;
    let this_leap = i32::from(month > 2 && leap_days(year) > leap_days(year - 1));
    365 * (year - 1970) + leap_days(year - 1) - leap_days(1969)
        + BEFORE[usize::from(month) - 1]
        + this_leap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in [
            "rank_9d",
            "rank_1d",
            "rank_1k",
            "preaz_20k",
            "proyear_1800",
            "proyear_2023",
        ] {
            let profile: HumanProfile = name.parse().unwrap();
            assert_eq!(profile.to_string(), name);
        }
        for wrong in [
            "",
            "rank_",
            "rank_10d",
            "rank_0k",
            "rank_21k",
            "5k",
            "proyear_1799",
            "rank_5k_3k",
            "rank_段",
        ] {
            assert_eq!(
                wrong.parse::<HumanProfile>(),
                Err(UnknownProfile),
                "{wrong}"
            );
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days(1970, 1), 0);
        assert_eq!(days(2020, 3), 18_322);
        assert_eq!(days(2016, 9), 17_045);
        assert_eq!(days(1969, 6), -214);
        assert_eq!(days(1800, 6), -61_940);
    }

    /// Both sides' ranks are thermometers, filled from the top.
    #[test]
    fn a_rank_is_told_for_both_sides() {
        let row = |name: &str| name.parse::<HumanProfile>().unwrap().row(81);
        let lit = |row: [f32; NUMBERS], from: usize| row[from..from + 34].iter().sum::<f32>();
        for (name, expected) in [
            ("rank_9d", 1.0),
            ("rank_1k", 10.0),
            ("preaz_20k", 29.0),
            ("proyear_1995", 1.0),
        ] {
            let row = row(name);
            assert_eq!([lit(row, 6), lit(row, 40)], [expected; 2], "{name}");
            assert_eq!(row[75..82].iter().sum::<f32>(), 1.0);
            assert_eq!(row[151..].iter().sum::<f32>(), 1.0);
            assert_eq!(row[74], if name.starts_with("pro") { 0.0 } else { 0.5 });
        }
        assert_eq!(row("rank_5k")[153], 1.0, "KGS");
        assert_eq!(row("proyear_2020")[156], 1.0);
        assert_eq!(row("proyear_2021")[157], 1.0);
    }
}
