//! Summary of several games: each player's statistics.

use std::collections::BTreeMap;

use serde::Serialize;

use super::facts::{Review, Side, Tally};
use super::judge::sum;
use super::text;

/// Data of the reviewed games for the summary.
#[derive(Debug, Default)]
pub(super) struct Summary {
    games: usize,
    /// For games that end proven, the number of moves before the first position from which all are.
    proven: Vec<usize>,
    /// By name.
    players: BTreeMap<String, Vec<Tally>>,
}

/// As JSON.
#[derive(Serialize)]
struct SummaryJson {
    games: usize,
    /// The median of the first moves from which games are proven, over all games.
    median_proven: Option<usize>,
    players: BTreeMap<String, PlayerTally>,
}

#[derive(Serialize)]
struct PlayerTally {
    games: usize,
    #[serde(flatten)]
    tally: Tally,
}

impl Summary {
    pub(super) fn add(&mut self, review: &Review) {
        self.games += 1;
        self.proven.extend(review.proven.map(|(moves, _)| moves));
        for (side, tally) in Side::BOTH.into_iter().zip(&review.players) {
            let name = review.game.player(side).to_owned();
            self.players.entry(name).or_default().push(tally.clone());
        }
    }

    /// `None` also if half of the games are never proven.
    fn median_proven(&self) -> Option<usize> {
        let mut proven = self.proven.clone();
        proven.sort_unstable();
        proven.get(self.games / 2).copied()
    }

    /// Each player's games and total statistics.
    pub(super) fn players(&self) -> impl Iterator<Item = (&str, usize, Tally)> {
        let players = self.players.iter();
        players.map(|(name, tallies)| (name.as_str(), tallies.len(), sum(tallies)))
    }

    pub(super) fn json(&self) -> anyhow::Result<String> {
        let players = self.players();
        let plain = SummaryJson {
            games: self.games,
            median_proven: self.median_proven(),
            players: players
                .map(|(name, games, tally)| (name.to_owned(), PlayerTally { games, tally }))
                .collect(),
        };
        Ok(serde_json::to_string(&BTreeMap::from([(
            "summary", plain,
        )]))?)
    }

    pub(super) fn text(&self) -> String {
        let median = self.median_proven();
        let median = median.map_or("-".to_owned(), |moves| moves.to_string());
        let rows: Vec<(String, Tally)> = self
            .players()
            .map(|(name, games, tally)| (format!("{name}, {games} games"), tally))
            .collect();
        format!(
            "\n{} games; half of them are proven from move {median} on\n{}",
            self.games,
            text::table(&rows)
        )
    }
}
