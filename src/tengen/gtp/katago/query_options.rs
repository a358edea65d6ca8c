//! Options of a session, and search options of a query: limits, moves to avoid, and requested fields.

use std::time::Duration;

use super::fields::{Fields, Object, Refusal};
use crate::game::{BoardSize, Color};
use crate::gtp::analysis::Restriction;
use crate::gtp::numbers::{Perspective, widened};
use tengen_nn::eval::HumanProfile;

/// Default number of principal variation moves after the first, as in KataGo.
const USUAL_LINE: usize = 15;
/// Maximum visits.
const MAX_VISITS: i64 = 1 << 50;
/// Shortest and longest time of a search, in seconds: as in KataGo 0 is no time, and the longest is treated as unlimited.
const SHORTEST: f64 = 0.001;
const LONGEST: f64 = 1e9;
/// Report intervals, in seconds.
const TIMES: std::ops::RangeInclusive<f64> = 0.001..=1e6;

/// Options of query processing.
#[derive(Debug, Clone, PartialEq)]
pub struct KatagoOptions {
    /// Name of its network.
    pub network: Option<String>,
    /// Name of the network that imitates people.
    pub imitator: Option<String>,
    /// Number of positions analysed concurrently, at least 1.
    pub positions: usize,
    /// Default perspective of reported values.
    pub perspective: Perspective,
    /// Default visits per search.
    pub visits: u64,
    /// Default time limit per search.
    pub time: Option<Duration>,
    /// Values of KataGo's settings that hold where the `overrideSettings` of a query have no other.
    pub settings: Object,
    /// Whether remaining queries are answered after the end of input.
    pub finish: bool,
}

/// Options of a query; unset ones have the program's defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct QueryOptions {
    pub(super) perspective: Perspective,
    /// Visits and time per search.
    pub(super) visits: u64,
    pub(super) time: Option<Duration>,
    /// Maximum number of principal variation moves after the first.
    pub(super) line: usize,
    pub(super) ownership: bool,
    pub(super) moves_ownership: bool,
    pub(super) policy: bool,
    pub(super) pv_visits: bool,
    /// Time to the first report during the search, and interval of later ones.
    pub(super) reports: Option<(Duration, Duration)>,
    pub(super) root_policy_temperature: Option<f32>,
    pub(super) restrictions: Vec<Restriction>,
    /// Doublings of the visits of a side, which is the one to move where none is named.
    pub(super) doublings: f32,
    pub(super) doubled_side: Option<Color>,
    /// Whether a side that mirrors is expected to go on with it.
    pub(super) anti_mirror: bool,
    /// People whose moves are asked for, too.
    pub(super) profile: Option<HumanProfile>,
    /// Whether a network imitates people.
    has_imitator: bool,
    /// The program's settings of KataGo.
    settings: Object,
}

/// The supported fields.
#[rustfmt::skip]
pub(super) const FIELDS: &[&str] = &[
    "overrideSettings", "maxVisits", "analysisPVLen", "rootPolicyTemperature", "includeOwnership",
    "includeMovesOwnership", "includePolicy", "includePVVisits", "reportDuringSearchEvery",
    "firstReportDuringSearchAfter", "allowMoves", "avoidMoves",
];

/// The setting that names people whom a network imitates.
const PROFILE: &str = "humanSLProfile";

/// The settings of a side that has more visits, and of mirrored play.
const DOUBLINGS: &str = "playoutDoublingAdvantage";
const DOUBLED_SIDE: &str = "playoutDoublingAdvantagePla";
const ANTI_MIRROR: &str = "antiMirror";

impl QueryOptions {
    /// Default options.
    pub(super) fn of(options: &KatagoOptions) -> QueryOptions {
        QueryOptions {
            perspective: options.perspective,
            visits: options.visits,
            time: options.time,
            line: USUAL_LINE,
            has_imitator: options.imitator.is_some(),
            settings: options.settings.clone(),
            ..QueryOptions::default()
        }
    }

    /// These options updated by those of a query; returns warnings for ignored parts.
    pub(super) fn with(
        mut self,
        query: Fields<'_>,
        size: BoardSize,
    ) -> Result<(QueryOptions, Vec<Refusal>), Refusal> {
        let mut warnings = Vec::new();
        if let Some(settings) = query.get("overrideSettings") {
            let settings = settings.as_object();
            let settings =
                settings.ok_or_else(|| Refusal::new("overrideSettings", "must be an object"))?;
            self.settings.extend(settings.clone());
        }
        let unknown = self.take_settings()?;
        if !unknown.is_empty() {
            let text = format!("unknown and ignored: {}", unknown.join(", "));
            warnings.push(Refusal::new("overrideSettings", text));
        }
        self.take_limits(query)?;
        self.ownership = query.truth("includeOwnership")?;
        self.moves_ownership = query.truth("includeMovesOwnership")?;
        self.policy = query.truth("includePolicy")?;
        self.pv_visits = query.truth("includePVVisits")?;
        let every = query.number("reportDuringSearchEvery", TIMES)?;
        let first = query.number("firstReportDuringSearchAfter", TIMES)?;
        self.reports = first.or(every).map(|first| {
            let every = every.map_or(Duration::MAX, Duration::from_secs_f64);
            (Duration::from_secs_f64(first), every)
        });
        for (field, only) in [("avoidMoves", false), ("allowMoves", true)] {
            self.restrict(query, field, only, size, &mut warnings)?;
        }
        Ok((self, warnings))
    }

    /// Options that are allowed in a query and among its settings.
    fn take_limits(&mut self, fields: Fields<'_>) -> Result<(), Refusal> {
        if let Some(visits) = fields.integer("maxVisits", 1..=MAX_VISITS)? {
            self.visits = visits.unsigned_abs();
        }
        if let Some(moves) = fields.integer("analysisPVLen", 1..=1000)? {
            self.line = usize::try_from(moves).unwrap_or(self.line);
        }
        if let Some(temperature) = fields.number("rootPolicyTemperature", 0.01..=100.0)? {
            self.root_policy_temperature = Some(temperature as f32);
        }
        Ok(())
    }

    /// KataGo's settings by name; unsupported ones are returned.
    pub(super) fn take_settings(&mut self) -> Result<Vec<String>, Refusal> {
        const FIELD: &str = "overrideSettings";
        // Numbers and truths may be strings, the latter in any case; as in KataGo, an empty one takes a setting away.
        let plain = |(name, value): (String, serde_json::Value)| {
            let text = value.as_str().map(str::to_lowercase);
            let known = text.and_then(|text| text.parse().ok());
            (value != "").then(|| (name, known.unwrap_or(value)))
        };
        let settings = std::mem::take(&mut self.settings);
        let settings: Object = settings.into_iter().filter_map(plain).collect();
        let fields = Fields(&settings);
        let within = |refusal: Refusal| refusal.within(FIELD);
        self.take_limits(fields).map_err(within)?;
        let time = fields.number("maxTime", 0.0..=1e20).map_err(within)?;
        if let Some(time) = time {
            let time = Duration::from_secs_f64(time.clamp(SHORTEST, LONGEST));
            self.time = Some(time);
        }
        if let Some(side) = fields.text("reportAnalysisWinratesAs").map_err(within)? {
            let wrong =
                |known| Refusal::new(FIELD, format!("reportAnalysisWinratesAs must be {known}"));
            self.perspective = side.parse().map_err(wrong)?;
        }
        let wide = fields.number("wideRootNoise", 0.0..=5.0).map_err(within)?;
        self.root_policy_temperature = wide.and_then(widened).or(self.root_policy_temperature);
        self.profile = self.human_profile(fields).map_err(within)?;
        let doublings = fields.number(DOUBLINGS, -3.0..=3.0).map_err(within)?;
        self.doublings = doublings.unwrap_or_default() as f32;
        self.doubled_side = fields.color(DOUBLED_SIDE).map_err(within)?;
        self.anti_mirror = fields.truth(ANTI_MIRROR).map_err(within)?;
        const KNOWN: [&str; 10] = [
            PROFILE,
            DOUBLINGS,
            DOUBLED_SIDE,
            ANTI_MIRROR,
            "maxVisits",
            "analysisPVLen",
            "rootPolicyTemperature",
            "maxTime",
            "reportAnalysisWinratesAs",
            "wideRootNoise",
        ];
        // Networks here always see the moves before.
        let is_as_asked = |name: &str| name == "ignorePreRootHistory" && fields.0[name] == false;
        let unknown = settings
            .keys()
            .filter(|name| !KNOWN.contains(&name.as_str()) && !is_as_asked(name));
        Ok(unknown.cloned().collect())
    }

    /// The people of [`PROFILE`].
    fn human_profile(&self, settings: Fields<'_>) -> Result<Option<HumanProfile>, Refusal> {
        let Some(name) = settings.text(PROFILE)? else {
            return Ok(None);
        };
        if !self.has_imitator {
            let text = "needs a network that was trained on games of people, and none is loaded";
            return Err(Refusal::new(PROFILE, text));
        }
        let profile = name.parse().map(Some);
        profile.map_err(|error| Refusal::new(PROFILE, error))
    }

    fn restrict(
        &mut self,
        query: Fields<'_>,
        field: &str,
        only: bool,
        size: BoardSize,
        warnings: &mut Vec<Refusal>,
    ) -> Result<(), Refusal> {
        let within = |refusal: Refusal| refusal.within(field);
        let missing = |name: &str| Refusal::new(field, format!("each entry needs `{name}`"));
        for entry in query.objects(field)? {
            let (color, moves) = (entry.color("player"), entry.points("moves", size));
            let depth = entry.integer("untilDepth", 1..=1_000_000_000);
            let restriction = Restriction {
                color: color.map_err(within)?.ok_or_else(|| missing("player"))?,
                moves: moves.map_err(within)?.ok_or_else(|| missing("moves"))?,
                only,
            };
            let depth = depth.map_err(within)?;
            let depth = depth.ok_or_else(|| missing("untilDepth"))?;
            if depth > 1 && warnings.iter().all(|warning| warning.field != field) {
                let text = "applies to the first move only, independent of untilDepth";
                warnings.push(Refusal::new(field, text));
            }
            let same = |other: &Restriction| other.only && other.color == restriction.color;
            if only && self.restrictions.iter().any(same) {
                return Err(Refusal::new(field, "takes one entry for each player"));
            }
            self.restrictions.push(restriction);
        }
        if only && query.get("avoidMoves").is_some() && query.get(field).is_some() {
            return Err(Refusal::new(field, "cannot stand beside avoidMoves"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Color;
    use crate::game::Move;
    use crate::gtp::analysis::avoided;
    use crate::gtp::katago::tests::options;

    const SIZE: BoardSize = BoardSize::square(3);

    fn read(text: &str) -> Result<(QueryOptions, Vec<Refusal>), Refusal> {
        let query: Object = serde_json::from_str(text).expect("an object");
        QueryOptions::of(&options()).with(Fields(&query), SIZE)
    }

    #[test]
    fn what_katrain_sends_is_understood() {
        let (query_options, warnings) = read(
            r#"{"maxVisits": 25, "includeOwnership": true, "includeMovesOwnership": true,
                "includePolicy": true, "reportDuringSearchEvery": 1.0, "overrideSettings":
                {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0}}"#,
        )
        .unwrap();
        assert_eq!(warnings, []);
        assert_eq!(
            (query_options.visits, query_options.time),
            (25, Some(Duration::from_secs(8)))
        );
        assert!(
            query_options.ownership
                && query_options.moves_ownership
                && query_options.policy
                && !query_options.pv_visits
        );
        assert_eq!(
            query_options.reports,
            Some([Duration::from_secs(1); 2].into())
        );
        assert_eq!(query_options.root_policy_temperature, Some(1.16));
        assert_eq!(query_options.perspective, Perspective::Side(Color::Black));
    }

    #[test]
    fn a_query_outweighs_its_settings() {
        let (query_options, _) =
            read(r#"{"maxVisits": 9, "overrideSettings": {"maxVisits": "7", "maxTime": 1e20}}"#)
                .unwrap();
        assert_eq!(query_options.visits, 9);
        let (query_options, _) = read(r#"{"overrideSettings": {"maxVisits": "7"}}"#).unwrap();
        assert_eq!(query_options.visits, 7);
    }

    /// As in KataGo, where a search without time has its first visits.
    #[test]
    fn no_time_is_not_unlimited_time() {
        let time = |time: &str| {
            let (query_options, _) = read(&format!(
                "{{\"overrideSettings\": {{\"maxTime\": {time}}}}}"
            ))?;
            Ok::<_, Refusal>(query_options.time.map(|time| time.as_secs_f64()))
        };
        assert_eq!(time("0"), Ok(Some(SHORTEST)));
        assert_eq!(time("\"0.0\""), Ok(Some(SHORTEST)));
        assert_eq!(time("1e20"), Ok(Some(LONGEST)));
        assert!(time("-1").is_err() && time("1e21").is_err());
    }

    #[test]
    fn the_programs_settings_hold_until_a_query_has_others() {
        let options = |value: &str| KatagoOptions {
            settings: [("antiMirror", "true"), ("playoutDoublingAdvantage", value)]
                .map(|(name, value)| (name.to_owned(), value.into()))
                .into_iter()
                .collect(),
            ..options()
        };
        let read = |text: &str| {
            let query: Object = serde_json::from_str(text).expect("an object");
            let (found, warnings) = QueryOptions::of(&options("1.5"))
                .with(Fields(&query), SIZE)
                .expect("fine");
            assert_eq!(warnings, []);
            (found.anti_mirror, found.doublings)
        };
        assert_eq!(read("{}"), (true, 1.5));
        assert_eq!(
            read(r#"{"overrideSettings": {"antiMirror": false}}"#),
            (false, 1.5)
        );
        let without = r#"{"overrideSettings": {"playoutDoublingAdvantage": "", "unknown": ""}}"#;
        assert_eq!(read(without), (true, 0.0));
        assert!(QueryOptions::of(&options("9")).take_settings().is_err());
    }

    #[test]
    fn settings_without_effect_are_named() {
        let (_, warnings) =
            read(r#"{"overrideSettings": {"ignorePreRootHistory": true, "cpuctExploration": 2}}"#)
                .unwrap();
        assert_eq!(warnings.len(), 1);
        let named = "cpuctExploration, ignorePreRootHistory";
        assert!(warnings[0].text.ends_with(named), "{warnings:?}");
        for wrong in [
            r#"{"overrideSettings": []}"#,
            r#"{"overrideSettings": {"maxVisits": 0}}"#,
            r#"{"overrideSettings": {"reportAnalysisWinratesAs": "RED"}}"#,
            r#"{"maxVisits": "many"}"#,
            r#"{"reportDuringSearchEvery": 0}"#,
            r#"{"allowMoves": [], "avoidMoves": []}"#,
            r#"{"allowMoves": [{"player": "B", "moves": ["A1"]}]}"#,
            r#"{"avoidMoves": [{"player": "B", "untilDepth": 1}]}"#,
            r#"{"avoidMoves": [{"moves": ["A1"], "untilDepth": 1}]}"#,
            r#"{"avoidMoves": [7]}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    /// KaTrain's players for handicap games, against mirrored play, and like people; the last one falls back to its own
    /// choice, and shows the error.
    #[test]
    fn the_players_of_katrain_are_heard() {
        let with = |settings: &str| read(&format!("{{\"overrideSettings\": {{{settings}}}}}"));
        let asked = |settings: &str| {
            let (options, warnings) = with(settings).unwrap();
            assert_eq!(warnings, []);
            (options.doublings, options.doubled_side, options.anti_mirror)
        };
        let doubled = r#""playoutDoublingAdvantage": -1.5, "playoutDoublingAdvantagePla": "BLACK""#;
        assert_eq!(asked(doubled), (-1.5, Some(Color::Black), false));
        let texts = r#""playoutDoublingAdvantage": "0.5", "antiMirror": "True""#;
        assert_eq!(asked(texts), (0.5, None, true));
        let no_side = r#""playoutDoublingAdvantage": 1, "playoutDoublingAdvantagePla": """#;
        assert_eq!(asked(no_side), (1.0, None, false));
        for (settings, part) in [
            (
                r#""humanSLProfile": "rank_5k", "ignorePreRootHistory": false"#,
                "humanSLProfile needs",
            ),
            (r#""playoutDoublingAdvantage": 4"#, "from -3.0 to 3.0"),
            (r#""antiMirror": 1"#, "true or false"),
        ] {
            let refusal = with(settings).unwrap_err();
            assert_eq!(refusal.field, "overrideSettings");
            assert!(refusal.text.contains(part), "{refusal:?}");
        }
    }

    #[test]
    fn moves_are_left_out_for_the_side_that_moves() {
        let entry = |player: &str, moves: &str| {
            format!("{{\"player\": \"{player}\", \"moves\": [{moves}], \"untilDepth\": 1}}")
        };
        let legal = [0, 1, 9].map(Move);
        let (b, w) = (entry("B", r#""A1", "pass""#), entry("W", r#""B1""#));
        let (query_options, _) = read(&format!("{{\"avoidMoves\": [{b}, {w}]}}")).unwrap();
        let avoided = |options: QueryOptions| {
            Color::BOTH.map(|color| avoided(&options.restrictions, color, &legal))
        };
        assert_eq!(
            avoided(query_options),
            [vec![Move(0), Move(9)], vec![Move(1)]]
        );
        let (query_options, _) = read(&format!("{{\"allowMoves\": [{b}]}}")).unwrap();
        assert_eq!(avoided(query_options), [vec![Move(1)], vec![]]);
        assert!(read(&format!("{{\"allowMoves\": [{b}, {b}]}}")).is_err());
    }
}
