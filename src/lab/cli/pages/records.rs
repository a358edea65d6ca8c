//! The records in `docs/results/*.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tengen::referee::MatchRecord;

/// Words in place of others.
pub(super) type Words = BTreeMap<String, String>;

/// All records.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Records {
    /// Machines by their names in records.
    pub(super) machines: BTreeMap<String, String>,
    /// Matches between two engines.
    #[serde(rename = "match")]
    pub(super) matches: Vec<MatchRecord>,
    /// Measurements other than matches, which no page shows.
    #[serde(rename = "measure")]
    pub(super) measures: Vec<Measure>,
    /// Ideas that did not help.
    pub(super) tried: Vec<Tried>,
    /// Speeds of networks.
    #[serde(rename = "speed")]
    pub(super) speeds: Vec<Speed>,
    /// Plots.
    pub(super) chart: Vec<Plot>,
    /// Chinese for the words of the front page's table; names need none.
    pub(super) chinese: Words,
}

/// A measurement with its command.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(dead_code, reason = "read to check the file")]
pub(super) struct Measure {
    pub(super) id: String,
    pub(super) date: String,
    pub(super) topic: String,
    /// What was measured, and how.
    pub(super) what: String,
    /// The values with their units.
    pub(super) result: String,
    pub(super) machine: Option<String>,
    pub(super) command: Option<String>,
}

/// An idea, and its result.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Tried {
    pub(super) id: String,
    pub(super) date: String,
    pub(super) topic: String,
    pub(super) idea: String,
    pub(super) result: String,
}

/// The topics of records, in the order of the pages, with their headings.
pub(super) const TOPICS: [(&str, &str); 10] = [
    ("search", "Search"),
    ("playouts", "Playouts"),
    ("inference", "Inference"),
    ("endings", "Endings of NoGo"),
    ("threats", "Threats in Gomoku"),
    ("scoring", "Scoring in Go"),
    ("time", "Time"),
    ("training", "Training"),
    ("papers", "Papers"),
    ("protocols", "Statistics and protocols"),
];

/// Evaluation speed of a network.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(dead_code, reason = "read to check the file")]
pub(super) struct Speed {
    pub(super) date: String,
    pub(super) network: String,
    /// Number of channels.
    pub(super) channels: u32,
    pub(super) board: String,
    pub(super) precision: String,
    pub(super) machine: String,
    pub(super) threads: u32,
    pub(super) backend: String,
    /// Evaluations per second at batch 1.
    pub(super) per_second: f64,
    /// The best over batches of 1, 4, 8 and 16.
    pub(super) best_per_second: Option<f64>,
    pub(super) command: String,
}

/// A plot of points that are not matches.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Plot {
    /// File name without extension.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) x_label: String,
    pub(super) series: Vec<PlotSeries>,
}

/// One line of a plot.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct PlotSeries {
    pub(super) name: String,
    /// x, y, and both ends of the 95% interval of y if known.
    #[serde(default)]
    pub(super) points: Vec<Vec<f64>>,
    /// Matches of a network against its predecessor: their rating differences are summed, by date.
    #[serde(default)]
    pub(super) chain: Vec<String>,
}

impl Records {
    /// Reads and checks every TOML file of the folder.
    pub(super) fn read(folder: &Path) -> Result<Records> {
        let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut paths: Vec<_> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<std::io::Result<_>>()?;
        paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
        paths.sort();
        let mut all = Records::default();
        for path in &paths {
            let name = || path.display().to_string();
            let text = fs::read_to_string(path).with_context(name)?;
            all.add(toml::from_str(&text).with_context(name)?);
        }
        all.check()?;
        // Newest first; those of a day in the order of their file.
        all.matches.sort_by(|a, b| b.date.cmp(&a.date));
        all.tried.sort_by(|a, b| b.date.cmp(&a.date));
        Ok(all)
    }

    fn add(&mut self, more: Records) {
        self.machines.extend(more.machines);
        self.matches.extend(more.matches);
        self.measures.extend(more.measures);
        self.tried.extend(more.tried);
        self.speeds.extend(more.speeds);
        self.chart.extend(more.chart);
        self.chinese.extend(more.chinese);
    }

    /// The match of this name.
    pub(super) fn find(&self, id: &str) -> Result<&MatchRecord> {
        let found = self.matches.iter().find(|record| record.id == id);
        found.with_context(|| format!("no match `{id}` in docs/results"))
    }

    fn check(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        let ids = self.matches.iter().map(|record| &record.id);
        let ids = ids.chain(self.measures.iter().map(|measure| &measure.id));
        for id in ids.chain(self.tried.iter().map(|tried| &tried.id)) {
            ensure!(seen.insert(id), "two records are called `{id}`");
        }
        let topics = self.measures.iter().map(|measure| &measure.topic);
        for topic in topics.chain(self.tried.iter().map(|tried| &tried.topic)) {
            let known = TOPICS.iter().any(|(name, _)| name == topic);
            ensure!(known, "there is no topic `{topic}`");
        }
        let on_front = self.matches.iter().filter(|record| record.front_page);
        ensure!(
            on_front.clone().all(|record| record.current) && on_front.count() <= MAX_FRONT_ROWS,
            "the front page shows at most {MAX_FRONT_ROWS} matches, and only current ones"
        );
        for record in &self.matches {
            check_match(record).with_context(|| format!("match `{}`", record.id))?;
        }
        Ok(())
    }
}

/// Rows of the front page's table.
const MAX_FRONT_ROWS: usize = 9;

/// Checks for likely typing errors.
fn check_match(record: &MatchRecord) -> Result<()> {
    ensure!(record.games() > 0, "it has no games");
    ensure!(
        !record.current || record.network.is_some(),
        "current matches name Tengen's network"
    );
    if let Some([low, high]) = record.interval {
        let score = record.score();
        // Written to one decimal place.
        ensure!(
            low - 0.05 <= score && score <= high + 0.05,
            "a score of {score:.1}% lies outside [{low}, {high}]"
        );
    }
    if let (Some(elo), Some([low, high])) = (record.elo, record.elo_interval) {
        ensure!(
            low <= elo && elo <= high,
            "{elo} Elo lies outside [{low}, {high}]"
        );
    }
    if let Some(pairs) = record.pairs {
        let in_pairs = 2 * pairs.iter().sum::<u32>();
        ensure!(in_pairs <= record.games(), "it has more pairs than games");
    }
    Ok(())
}
