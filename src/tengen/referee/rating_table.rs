//! Ratings of all engines in one or more result files, and their list as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::MatchError;
use super::results::GameEntry;
use super::score_board::{ScoreBoard, repeats_text};
use crate::game::BoardSize;
use crate::stats::{Interval, MatchScore, Meeting, RatedPair, fit_with_intervals};

/// One engine's row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingRow {
    /// Name of the engine.
    pub name: String,
    /// Its rating; the anchor's is 0.
    pub elo: f64,
    /// 95% interval of its rating; an end without evidence is infinite, `null` in JSON.
    pub interval: Interval,
    /// Number of games that it played.
    pub games: u32,
    /// Mean score in them, in 0..=1.
    pub score: f64,
    /// Number of games that it won, drew and lost, and of pairs by their points.
    pub tally: MatchScore,
    /// The same against each of its opponents.
    pub against: BTreeMap<String, MatchScore>,
}

/// A rating list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingTable {
    /// The engine with the rating 0.
    pub anchor: String,
    /// All engines, the strongest first.
    pub rows: Vec<RatingRow>,
    /// Black's mean score over all games, in 0..=1.
    pub black_score: f64,
    /// Number of games that repeat others move for move, and are not counted.
    pub repeated: u32,
}

impl RatingTable {
    /// The ratings of all engines in these files, each a list of games on a board of this size.
    ///
    /// # Errors
    /// [`MatchError`] if the games do not determine an engine's distance to the anchor.
    pub fn new(
        size: BoardSize,
        files: &[Vec<GameEntry>],
        anchor: &str,
    ) -> Result<RatingTable, MatchError> {
        let mut board = ScoreBoard::new(size);
        // By file and number: pair numbers are those of one file.
        let mut pairs: BTreeMap<(usize, usize), Vec<&GameEntry>> = BTreeMap::new();
        for (file, games) in files.iter().enumerate() {
            for game in games.iter().filter(|game| board.add_of_file(file, game)) {
                pairs.entry((file, game.pair)).or_default().push(game);
            }
        }
        let games = pairs.values().flatten();
        let names: BTreeSet<&str> = games
            .flat_map(|game| [&*game.black, &*game.white])
            .collect();
        let names: Vec<&str> = names.into_iter().collect();
        let place = names.iter().position(|&name| name == anchor);
        let place = place.ok_or_else(|| {
            let names = names.join(", ");
            MatchError(format!(
                "the anchor `{anchor}` played no game; there are: {names}"
            ))
        })?;
        let rated = |games: &Vec<&GameEntry>| {
            let meetings = games.iter().map(|game| meeting(&names, game));
            meetings.collect::<RatedPair>()
        };
        let pairs: Vec<RatedPair> = pairs.values().map(rated).collect();
        refuse_unconnected(&names, place, &pairs)?;
        let fitted = fit_with_intervals(names.len(), place, &pairs);
        let mut rows: Vec<RatingRow> = names
            .iter()
            .enumerate()
            .map(|(engine, &name)| {
                let others = names
                    .iter()
                    .map(|&other| (other, board.meeting(name, other)));
                let met = others.filter(|(_, score)| score.games() > 0);
                let against: BTreeMap<String, MatchScore> = met
                    .map(|(other, score)| (other.to_owned(), score))
                    .collect();
                let none = MatchScore::default();
                let tally = against.values().fold(none, MatchScore::and);
                RatingRow {
                    name: name.to_owned(),
                    elo: fitted.elo[engine],
                    interval: fitted.intervals[engine],
                    games: tally.games(),
                    score: tally.score(),
                    tally,
                    against,
                }
            })
            .collect();
        rows.sort_by(|a, b| b.elo.total_cmp(&a.elo));
        Ok(RatingTable {
            anchor: anchor.to_owned(),
            rows,
            black_score: board.black_score(),
            repeated: board.repeated(),
        })
    }
}

impl fmt::Display for RatingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = "engine";
        let names = self.rows.iter().map(|row| row.name.chars().count());
        let width = names.max().unwrap_or(0).max(head.len());
        writeln!(
            f,
            "    {head:width$}     Elo  95% interval      games    won  drawn   lost  points   score"
        )?;
        for (place, row) in (1..).zip(&self.rows) {
            let (name, elo, games) = (&row.name, row.elo.round() + 0.0, row.games);
            let (wins, draws, losses) = (row.tally.wins, row.tally.draws, row.tally.losses);
            let interval = format!("[{:.0}, {:.0}]", row.interval.low, row.interval.high);
            let points = row.tally.points();
            writeln!(
                f,
                "{place:2}  {name:width$}  {elo:6.0}  {interval:16}  {games:5}  {wins:5}  {draws:5}  {losses:5}  \
                 {points:6.1}  {:5.1}%",
                100.0 * row.score
            )?;
        }
        if self.rows.len() > 2 {
            writeln!(
                f,
                "\nPoints of the engine in a row against that in a column, and their games:"
            )?;
            let numbers = (1..=self.rows.len()).map(|place| format!("  {place:>9}"));
            writeln!(f, "    {:width$}{}", "", numbers.collect::<String>())?;
            for (place, row) in (1..).zip(&self.rows) {
                let against = self.rows.iter().map(|other| row.against.get(&other.name));
                let cells = against.map(|tally| match tally {
                    Some(tally) => {
                        let cell = format!("{}/{}", tally.points(), tally.games());
                        format!("  {cell:>9}")
                    }
                    None => format!("  {:>9}", "-"),
                });
                let (name, cells) = (&row.name, cells.collect::<String>());
                writeln!(f, "{place:2}  {name:width$}{cells}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "Black scored {:.1}%", 100.0 * self.black_score)?;
        match repeats_text(self.repeated) {
            Some(told) => writeln!(f, "{told}"),
            None => Ok(()),
        }
    }
}

/// A game as input of the statistics.
fn meeting(names: &[&str], game: &GameEntry) -> Meeting {
    // `names` contains every player, sorted.
    let index = |name: &String| names.binary_search(&name.as_str()).unwrap_or_default();
    Meeting {
        first: index(&game.black),
        second: index(&game.white),
        points: game.result.for_black().points(),
        games: 1.0,
    }
}

fn refuse_unconnected(
    names: &[&str],
    anchor: usize,
    pairs: &[RatedPair],
) -> Result<(), MatchError> {
    let mut reached = BTreeSet::from([anchor]);
    let mut grown = true;
    while grown {
        let before = reached.len();
        for game in pairs.iter().flatten() {
            if reached.contains(&game.first) || reached.contains(&game.second) {
                reached.extend([game.first, game.second]);
            }
        }
        grown = reached.len() > before;
    }
    let apart = (0..names.len()).filter(|engine| !reached.contains(engine));
    let apart: Vec<&str> = apart.map(|engine| names[engine]).collect();
    if apart.is_empty() {
        return Ok(());
    }
    let (apart, anchor) = (apart.join(", "), names[anchor]);
    Err(MatchError(format!(
        "no chain of games connects {apart} with `{anchor}`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::results::ResultText;
    use crate::referee::results::tests::entry;

    const SIZE: BoardSize = BoardSize::square(9);

    /// Three engines: `b` wins 3 of 4 against `a`, `c` 3 of 4 against `b`, each as Black and White
    /// equally often.
    fn table() -> RatingTable {
        let mut games = Vec::new();
        for round in 0..20 {
            for (index, (weak, strong)) in [("a", "b"), ("b", "c")].into_iter().enumerate() {
                let pair = 2 * round + index;
                let won = |upset: bool, result, otherwise| if upset { otherwise } else { result };
                let as_black = won(round % 4 == 0, ResultText::Black, ResultText::White);
                let as_white = won(round % 4 == 2, ResultText::White, ResultText::Black);
                games.push(entry(2 * pair, strong, weak, as_black));
                games.push(entry(2 * pair + 1, weak, strong, as_white));
            }
        }
        RatingTable::new(SIZE, &[games], "a").unwrap()
    }

    #[test]
    fn ratings_add_up_along_a_chain_of_engines() {
        let table = table();
        let names: Vec<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["c", "b", "a"]);
        let elo: Vec<f64> = table.rows.iter().map(|row| row.elo).collect();
        assert_eq!(elo[2], 0.0);
        assert!((elo[0] - elo[1] - (elo[1] - elo[2])).abs() < 5.0, "{elo:?}");
        // The penalty adds two games, one to each meeting: 30.5 of 41 is 185.3 Elo.
        assert!((elo[1] - elo[2] - 185.3).abs() < 0.5, "{elo:?}");
        let middle = &table.rows[1];
        assert_eq!((middle.games, middle.score), (80, 0.5));
        let lost = middle.against["c"];
        assert_eq!((lost.wins, lost.draws, lost.losses), (10, 0, 30));
        assert_eq!((lost.pairs.pairs(), middle.tally.pairs.pairs()), (20, 40));
        assert!(
            middle.interval.contains(middle.elo)
                && middle.interval.high - middle.interval.low > 50.0
        );
    }

    #[test]
    fn the_list_has_every_engine() {
        let table = table();
        let text = table.to_string();
        let row =
            " 3  a            0  [0, 0]               40     10      0     30    10.0   25.0%\n";
        assert!(text.contains(row), "{text}");
        assert!(text.ends_with("Black scored 50.0%\n"), "{text}");
        let cross = " 2  b           10/40          -      30/40\n";
        assert!(text.contains(cross), "{text}");
    }

    #[test]
    fn a_copy_of_a_file_changes_nothing() {
        let games: Vec<GameEntry> = (0..20)
            .map(|number| match number % 4 {
                0 | 3 => entry(number, "a", "b", ResultText::White),
                _ => entry(number, "b", "a", ResultText::White),
            })
            .collect();
        let once = RatingTable::new(SIZE, std::slice::from_ref(&games), "a").unwrap();
        let more = vec![entry(20, "a", "b", ResultText::Draw)];
        let twice = RatingTable::new(SIZE, &[games.clone(), games.clone()], "a").unwrap();
        assert_eq!(once.rows, twice.rows);
        assert_eq!((once.repeated, twice.repeated), (0, 20));
        assert!(twice.to_string().contains("20 games repeat others"));
        // A copy that was continued has a new game.
        let longer = [games.clone(), [games, more].concat()];
        let longer = RatingTable::new(SIZE, &longer, "a").unwrap();
        assert_eq!((longer.rows[0].games, longer.repeated), (21, 20));
    }

    #[test]
    fn a_sweep_is_no_certainty() {
        let games = (0..4).map(|number| match number % 2 {
            0 => entry(number, "a", "b", ResultText::White),
            _ => entry(number, "b", "a", ResultText::Black),
        });
        let table = RatingTable::new(SIZE, &[games.collect()], "a").unwrap();
        let best = &table.rows[0];
        assert_eq!((best.name.as_str(), best.score), ("b", 1.0));
        assert_eq!(table.black_score, 0.5);
        assert!(
            best.interval.low < 50.0 && best.interval.high > 600.0,
            "{best:?}"
        );
    }

    #[test]
    fn unknown_and_unconnected_engines_are_named() {
        let apart = vec![
            entry(0, "a", "b", ResultText::Black),
            entry(1, "c", "d", ResultText::Black),
        ];
        let error = RatingTable::new(SIZE, &[apart], "a").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no chain of games connects c, d with `a`"
        );
        let others = vec![entry(0, "x", "y", ResultText::Black)];
        let error = RatingTable::new(SIZE, &[others], "a").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the anchor `a` played no game; there are: x, y"
        );
    }
}
