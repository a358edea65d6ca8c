//! Ratings of a run's networks, from matches with each other and with random playouts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::CyclePlan;
use super::run_folder::{RunFolder, load, network_name};
use crate::TrainError;
use crate::durable;
use crate::play::matches::PairResult;
use tengen::stats::{MatchScore, Meeting, RatingsWithIntervals, fit_with_intervals};

/// Result of a finished match between two players of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// One player's name.
    pub first: String,
    /// The other player's name.
    pub second: String,
    /// The first player's results, as Black first.
    pub pairs: Vec<PairResult>,
}

impl MatchRecord {
    /// The first player's score.
    pub fn score(&self) -> MatchScore {
        score(&self.pairs)
    }
}

/// The first player's score in these pairs.
pub fn score(pairs: &[PairResult]) -> MatchScore {
    let mut score = MatchScore::default();
    for [black, white] in pairs {
        score.add(*black);
        score.add(*white);
        score.pairs.add(*black, *white);
    }
    score
}

/// A player's rating.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedPlayer {
    /// A network's name, or that of an anchor such as `rollouts`.
    pub name: String,
    /// Elo; the anchor's is 0.
    pub elo: f64,
    /// Low end of the 95% interval; infinite without evidence.
    pub low: f64,
    /// High end of the 95% interval.
    pub high: f64,
    /// Games it played.
    pub games: u32,
}

/// The name of random playouts.
pub fn anchor_name(playouts: u64) -> String {
    format!("rave-{playouts}")
}

/// All matches of a folder.
///
/// # Errors
/// [`TrainError`] when a file cannot be read.
pub fn match_records(folder: &Path) -> Result<Vec<MatchRecord>, TrainError> {
    let files = durable::list(folder, "", "json")?;
    let read = files.iter().map(|path| load(path));
    read.filter_map(Result::transpose).collect()
}

/// Ratings of all players of these matches with `anchor` at 0, the strongest first.
pub fn rate(match_records: &[MatchRecord], anchor: &str) -> Vec<RatedPlayer> {
    let mut players: BTreeMap<&str, u32> = BTreeMap::new();
    for record in match_records {
        let games = 2 * record.pairs.len() as u32;
        *players.entry(&record.first).or_default() += games;
        *players.entry(&record.second).or_default() += games;
    }
    let names: Vec<&str> = players.keys().copied().collect();
    let place = |name: &str| names.iter().position(|known| *known == name);
    let Some(anchor) = place(anchor) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for record in match_records {
        let (Some(first), Some(second)) = (place(&record.first), place(&record.second)) else {
            continue;
        };
        for [as_black, as_white] in &record.pairs {
            let game = |points| Meeting {
                first,
                second,
                points,
                games: 1.0,
            };
            pairs.push(vec![game(as_black.points()), game(as_white.points())]);
        }
    }
    let RatingsWithIntervals { elo, intervals } = fit_with_intervals(names.len(), anchor, &pairs);
    let mut rated: Vec<RatedPlayer> = names
        .iter()
        .zip(elo.iter().zip(intervals))
        .map(|(name, (&elo, interval))| RatedPlayer {
            name: (*name).to_owned(),
            elo,
            low: interval.low,
            high: interval.high,
            games: players.get(name).copied().unwrap_or(0),
        })
        .collect();
    rated.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    rated
}

/// The anchor for the next network: that of the last network, unless it was too easy or too hard.
pub(super) fn next_anchor(anchors: &[u64], last: &[MatchRecord]) -> u64 {
    let met = anchors
        .iter()
        .enumerate()
        .rev()
        .find_map(|(place, &playouts)| {
            let name = anchor_name(playouts);
            let met = last.iter().find(|record| record.second == name)?;
            Some((place, met.score().score()))
        });
    let place = match met {
        Some((place, score)) if score >= 0.8 => place + 1,
        Some((place, score)) if score <= 0.1 => place.saturating_sub(1),
        Some((place, _)) => place,
        None => 0,
    };
    anchors
        .get(place)
        .or(anchors.last())
        .copied()
        .unwrap_or_default()
}

/// The ratings of a run's players by the matches of its first generations, the weakest anchor at 0.
///
/// # Errors
/// [`TrainError`] when a file cannot be read.
pub(crate) fn ratings(
    plan: &CyclePlan,
    run_folder: &RunFolder,
    generations: u32,
) -> Result<Vec<RatedPlayer>, TrainError> {
    let anchors = plan.rating.as_ref().map(|rating| &rating.anchors);
    let Some(&first) = anchors.and_then(|anchors| anchors.first()) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for generation in 0..generations {
        all.extend(match_records(&run_folder.matches(generation))?);
    }
    Ok(rate(&all, &anchor_name(first)))
}

/// The rating of a generation's network, if it has one.
pub(crate) fn rating_of(rated: &[RatedPlayer], generation: u32) -> Option<&RatedPlayer> {
    let name = network_name(generation);
    rated.iter().find(|rated| rated.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::stats::GameResult::{self, Loss, Win};

    fn record(first: &str, second: &str, pairs: &[(PairResult, usize)]) -> MatchRecord {
        let repeat = |(pair, count): &(PairResult, usize)| vec![*pair; *count];
        MatchRecord {
            first: first.to_owned(),
            second: second.to_owned(),
            pairs: pairs.iter().flat_map(repeat).collect(),
        }
    }

    fn even(first: &str, second: &str) -> MatchRecord {
        record(first, second, &[([Win, Loss], 10), ([Loss, Win], 10)])
    }

    #[test]
    fn players_that_never_met_are_rated_by_their_opponents() {
        let strong = [([Win, Win], 10), ([Win, Loss], 10)];
        let rated = rate(
            &[even("b", "rave-100"), record("a", "b", &strong)],
            "rave-100",
        );
        let names: Vec<&str> = rated.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names[0], "a");
        // 30 of 40 points, and a drawn game as the penalty: 185 Elo.
        assert!((180.0..190.0).contains(&rated[0].elo), "{rated:?}");
        assert!(rated[0].low < rated[0].elo && rated[0].elo < rated[0].high);
        assert_eq!(rated.iter().find(|r| r.name == "b").unwrap().games, 80);
        assert!(rate(&[even("a", "b")], "rave-100").is_empty(), "no anchor");
    }

    #[test]
    fn anchors_rise_with_the_network() {
        let anchors = [100, 400, 1600];
        let met = |name: &str, pair: [GameResult; 2]| vec![record("n", name, &[(pair, 10)])];
        assert_eq!(next_anchor(&anchors, &[]), 100);
        assert_eq!(next_anchor(&anchors, &met("rave-100", [Win, Loss])), 100);
        assert_eq!(next_anchor(&anchors, &met("rave-100", [Win, Win])), 400);
        assert_eq!(next_anchor(&anchors, &met("rave-400", [Loss, Loss])), 100);
        assert_eq!(next_anchor(&anchors, &met("rave-1600", [Win, Win])), 1600);
    }
}
