//! A review as text for a terminal, and the summary of several games: each player's statistics, as text or JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::game::{Color, Game as _, GameInfo};
use crate::games::info;
use crate::games::nogo::SmallNoGo;
use crate::program::counted;
use serde::Serialize;

use super::facts::{Class, Game, Review, Tally};
use super::judge::sum;

/// Columns of the curve.
const COLUMNS: usize = 72;
/// Moves of a line that fit beside the rest.
const LINE: usize = 6;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Full text for one game.
pub(super) fn game(review: &Review) -> String {
    let mut lines = vec![title(review), basis(review)];
    lines.extend(guess(review));
    lines.extend(interrupted(review));
    let scale = "Black's winrate, from 0 (▁) to 100% (█), before each move";
    lines.push(format!("\n{scale}\n{}\n", curve(review)));
    let mistakes = mistakes(review, Class::Inaccuracy);
    if mistakes.is_empty() {
        lines.push("no inaccuracies, mistakes or blunders".to_owned());
    } else {
        lines.push(" move         played    loss   Black's winrate   instead".to_owned());
        lines.extend(mistakes);
    }
    let tally = |side| review.players[side as usize].clone();
    let rows = Color::BOTH.map(|side| (player(review, side), tally(side)));
    lines.push(format!("\n{}", table(&rows)));
    lines.join("\n")
}

/// Text for one game among many: players, statistics, and the decisive move.
pub(super) fn line(review: &Review) -> String {
    let [black, white] = review.players.each_ref().map(Tally::loss);
    let title = title(review);
    let mut lines = vec![format!("{title}; average loss {black} and {white}")];
    lines.extend(interrupted(review));
    lines.extend(mistakes(review, Class::Blunder));
    lines.join("\n")
}

/// Rows of players.
pub(super) fn table(rows: &[(String, Tally)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let mut lines = vec![" ".repeat(width)];
    for (name, _) in Tally::default().columns() {
        let _ = write!(lines[0], "  {name}");
    }
    for (name, tally) in rows {
        let mut line = format!("{name:width$}");
        for (column, figure) in tally.columns() {
            let _ = write!(line, "  {figure:>0$}", column.len());
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn player(review: &Review, side: Color) -> String {
    let own = review.game.player(side);
    match own == side.capital() {
        true => own.to_owned(),
        false => format!("{} {own}", side.capital()),
    }
}

fn title(review: &Review) -> String {
    let game = &review.game;
    let players = Color::BOTH.map(|side| player(review, side)).join(" - ");
    let facts = [&game.result, &game.date];
    let facts = facts.iter().filter(|fact| !fact.is_empty());
    let facts: String = facts.map(|fact| format!(", {fact}")).collect();
    let (file, board, rules) = (&game.file, board(review), rules(game));
    let moves = counted(game.moves.len(), "move");
    format!("{file}: {players}{facts}, {moves} of {board}{rules}")
}

/// The rules by which a game was judged, and the komi, after a comma; empty where there is one set of rules.
pub(super) fn rules(game: &Game) -> String {
    let has_several = |info: &&GameInfo| !info.offered_rules.is_empty();
    if info(&game.game).filter(has_several).is_none() {
        return String::new();
    }
    let komi = game.komi.map(|komi| format!(", komi {komi}"));
    format!(", {}{}", game.rules, komi.unwrap_or_default())
}

/// Game and board.
fn board(review: &Review) -> String {
    let game = &review.game;
    let name = info(&game.game).map_or(&*game.game, |info| info.title);
    format!("{name} {}x{}", game.width, game.height)
}

/// How to say that it is a game of Go, where the file does not.
fn guess(review: &Review) -> Option<String> {
    let game = &review.game;
    let open = game.game == SmallNoGo::NAME && game.rules.is_empty();
    open.then(|| format!("read as {}: --game go for Go", board(review)))
}

/// From where on a game was reviewed, unless it was from its beginning.
fn interrupted(review: &Review) -> Option<String> {
    let first = review.positions.first().filter(|first| first.moves > 0)?;
    let number = first.moves + 1;
    Some(format!("interrupted: reviewed from move {number} on"))
}

/// Basis of the judgement, and proven results.
fn basis(review: &Review) -> String {
    let judge = match review.by_network {
        true => format!("network {}", review.settings.network),
        false => "random playouts, no network".to_owned(),
    };
    let proven = review.proven.map_or(String::new(), |(moves, winner)| {
        let name = winner.capital();
        let last = review.positions.last();
        let is_over = last.is_some_and(|last| last.candidates.is_empty());
        match moves == review.game.moves.len() {
            true if is_over => format!("; {name} has won"),
            true => format!("; proven at the end: {name} wins"),
            false => format!(
                "; proven from move {} on, {name} winning before it",
                moves + 1
            ),
        }
    });
    format!("{} a position, {judge}{proven}", review.settings.search)
}

/// A bar per position, thinned if there are too many.
fn curve(review: &Review) -> String {
    let count = review.positions.len();
    let step = count.div_ceil(COLUMNS).max(1);
    let bar = |winrate: Option<f32>| {
        winrate.map_or('·', |winrate| {
            let height = (winrate * BARS.len() as f32) as usize;
            BARS[height.min(BARS.len() - 1)]
        })
    };
    let positions = review.positions.iter().step_by(step);
    positions.map(|position| bar(position.winrate)).collect()
}

/// A line for each move of at least this severity.
fn mistakes(review: &Review, least: Class) -> Vec<String> {
    let bad = review.mistakes().filter(|(.., class)| *class >= least);
    let after = |moves: usize| {
        let next = review.positions.iter().find(|next| next.moves == moves + 1);
        next.and_then(|next| next.winrate)
    };
    let percent =
        |share: Option<f32>| share.map_or("-".to_owned(), |share| format!("{:.1}", 100.0 * share));
    let row = bad.map(|(position, played, judged, class)| {
        let curve = match class {
            Class::ThrownAway => "won -> lost".to_owned(),
            _ => {
                let [before, after] = [position.winrate, after(position.moves)].map(percent);
                format!("{before:>5} -> {after:<5}")
            }
        };
        let better = judged.better.get(..LINE).unwrap_or(&judged.better);
        format!(
            "{:5}  {:5}  {:<5}  {:>6}%   {curve:^15}   {:<20}  {}",
            position.moves + 1,
            played.color.capital(),
            played.at,
            percent(judged.loss),
            better.join(" "),
            class.name(),
        )
    });
    row.collect()
}

/// Data of the reviewed games for the summary.
#[derive(Debug, Default)]
pub(super) struct Summary {
    games: usize,
    /// By name.
    players: BTreeMap<String, Vec<Tally>>,
}

/// As JSON.
#[derive(Serialize)]
struct SummaryJson {
    games: usize,
    players: BTreeMap<String, PlayerTally>,
}

#[derive(Serialize)]
struct PlayerTally {
    games: usize,
    #[serde(flatten)]
    tally: Tally,
}

impl Summary {
    /// Of a game that was interrupted the statistics say little.
    pub(super) fn add(&mut self, review: &Review) {
        if !review.is_whole() {
            return;
        }
        self.games += 1;
        for (side, tally) in Color::BOTH.into_iter().zip(&review.players) {
            let name = review.game.player(side).to_owned();
            self.players.entry(name).or_default().push(tally.clone());
        }
    }

    /// Whether no game has been reviewed.
    pub(super) fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Each player's games and total statistics.
    pub(super) fn players(&self) -> impl Iterator<Item = (&str, usize, Tally)> {
        let players = self.players.iter();
        players.map(|(name, tallies)| (name.as_str(), tallies.len(), sum(tallies.clone())))
    }

    pub(super) fn json(&self) -> anyhow::Result<String> {
        let players = self.players();
        let plain = SummaryJson {
            games: self.games,
            players: players
                .map(|(name, games, tally)| (name.to_owned(), PlayerTally { games, tally }))
                .collect(),
        };
        Ok(serde_json::to_string(&BTreeMap::from([(
            "summary", plain,
        )]))?)
    }

    pub(super) fn text(&self) -> String {
        let rows: Vec<(String, Tally)> = self
            .players()
            .map(|(name, number, tally)| (format!("{name}, {}", counted(number, "game")), tally))
            .collect();
        format!("\n{}\n{}", counted(self.games, "game"), table(&rows))
    }
}

#[cfg(test)]
mod tests {
    use crate::command::played;
    use crate::game::BoardSize;

    use super::super::facts::{Position, Settings};
    use super::*;

    #[test]
    fn an_interrupted_game_says_so_and_is_in_no_total() {
        let mut record = played("nogo", BoardSize::square(3), "A1 B2").expect("moves");
        record.black = "one".to_owned();
        let position = |moves| Position {
            moves,
            to_move: Color::Black,
            winrate: Some(0.5),
            lead: None,
            winner: None,
            visits: 1,
            candidates: Vec::new(),
            played: None,
        };
        let review = |positions: Vec<Position>| Review {
            game: Game::new("a.sgf".to_owned(), &record),
            settings: Settings {
                version: String::new(),
                search: String::new(),
                network: String::new(),
                changed: Vec::new(),
                nodes: 1,
                thresholds: [0.05, 0.1, 0.2],
            },
            by_network: true,
            positions,
            proven: None,
            players: Default::default(),
        };
        let (part, whole) = (
            review(vec![position(1), position(2)]),
            review((0..3).map(position).collect()),
        );
        assert_eq!(
            line(&part),
            "a.sgf: Black one - White, 2 moves of NoGo 3x3; average loss - and -\n\
             interrupted: reviewed from move 2 on"
        );
        assert!(!line(&whole).contains("interrupted"), "{}", line(&whole));
        let mut summary = Summary::default();
        summary.add(&part);
        assert!(summary.is_empty());
        summary.add(&whole);
        assert!(
            summary.text().starts_with("\n1 game\n"),
            "{}",
            summary.text()
        );
        assert!(
            summary.text().contains("one, 1 game "),
            "{}",
            summary.text()
        );
    }
}
