//! A query: a game with turns to analyse, validated as a whole first.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use super::fields::{Fields, Refusal, short};
use super::query_options::{self, KatagoOptions, QueryOptions};
use crate::engine::{Engine, EngineError};
use crate::game::{BoardSize, Color, HalfPoints};
use crate::games::UnknownGame;
use crate::gtp::commands::set_rule;
use crate::gtp::format_vertex;
use crate::record::{GameRecord, Play, Vertex};
use tengen_nn::eval::HumanProfile;

/// Maximum board side in text notation.
const LONGEST_SIDE: i64 = 25;
/// Maximum priority.
const MAX_URGENT: i64 = 1 << 62;

/// The fields of a query, except those of its options.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "id", "boardXSize", "boardYSize", "initialStones", "moves", "initialPlayer", "rules", "komi",
    "whiteHandicapBonus", "analyzeTurns", "priority", "priorities",
];

/// Unsupported fields.
const NOT_HAD: &[&str] = &[
    "includeOwnershipStdev",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
];

/// Creates an engine for a board and rules; the game's usual ones if the text is empty.
pub type MakeAnalyst =
    Box<dyn Fn(BoardSize, &str) -> Result<Box<dyn Engine>, UnknownGame> + Send + Sync>;

/// Creates an engine for a board whose network imitates these people.
pub type MakeImitator =
    Box<dyn Fn(BoardSize, HumanProfile) -> Result<Box<dyn Engine>, UnknownGame> + Send + Sync>;

/// External resources of a session.
pub struct KatagoResources {
    /// Creates an engine for the board and rules of queries.
    pub make: MakeAnalyst,
    /// The same of a second network, one that imitates people, if there is one.
    pub imitate: Option<MakeImitator>,
    /// Makes engines created from now on ignore earlier search results.
    pub forget: Box<dyn Fn() + Send + Sync>,
}

/// A valid query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    pub(super) id: String,
    /// The game with all its moves.
    pub(super) record: GameRecord,
    /// Its rules, komi included, as its engine parses them.
    pub(super) rules: String,
    pub(super) query_options: QueryOptions,
    /// The turns to analyse, with their priorities.
    pub(super) turns: BTreeMap<usize, i64>,
    /// Set once the client has been warned of what the network is not shown.
    pub(super) warned: OnceLock<()>,
}

impl Query {
    /// Parses a query; returns warnings for ignored parts.
    pub(super) fn read(
        id: &str,
        fields: Fields<'_>,
        make: &MakeAnalyst,
        options: &KatagoOptions,
    ) -> Result<(Query, Vec<Refusal>), Refusal> {
        let mut warnings = Vec::new();
        let size = board(fields)?;
        let plays = fields.plays("moves", size)?;
        let plays = plays.ok_or_else(|| Refusal::new("moves", MOVES_MISSING))?;
        let mut engine = engine(fields, size, make, &mut warnings)?;
        let record = record(fields, engine.info().name, size, &plays)?;
        warnings.extend(check(&mut *engine, &record)?);
        let turns = turns(fields, plays.len())?;
        let (query_options, unused) = QueryOptions::of(options).with(fields, size)?;
        warnings.extend(unused);
        warnings.extend(fields.0.iter().filter_map(without_effect));
        let query = Query {
            id: id.to_owned(),
            record,
            rules: engine.rules(),
            query_options,
            turns,
            warned: OnceLock::new(),
        };
        Ok((query, warnings))
    }
}

const MOVES_MISSING: &str = "is missing: a list of pairs such as [\"B\", \"C3\"], empty for none";

/// A warning for an unknown field.
fn without_effect((name, value): (&String, &Value)) -> Option<Refusal> {
    let known = [FIELDS, query_options::FIELDS].concat();
    let wants_nothing = NOT_HAD.contains(&name.as_str()) && value == &Value::Bool(false);
    let known = known.contains(&name.as_str()) || wants_nothing;
    (!known).then(|| Refusal::new(name, "is unknown and ignored"))
}

fn board(fields: Fields<'_>) -> Result<BoardSize, Refusal> {
    let side = |name| {
        let side = fields.integer(name, 1..=LONGEST_SIDE)?;
        let side = side.and_then(|side| u8::try_from(side).ok());
        side.ok_or_else(|| Refusal::new(name, "is missing: the board's length in points"))
    };
    Ok(BoardSize::new(side("boardXSize")?, side("boardYSize")?))
}

/// An engine for the board with the requested rules and komi.
fn engine(
    fields: Fields<'_>,
    size: BoardSize,
    make: &MakeAnalyst,
    warnings: &mut Vec<Refusal>,
) -> Result<Box<dyn Engine>, Refusal> {
    let text = match fields.get("rules") {
        None => String::new(),
        Some(Value::String(name)) if name.trim().is_empty() => {
            let text = "are empty: name them, or leave the field out for the usual ones";
            return Err(Refusal::new("rules", text));
        }
        Some(Value::String(name)) => name.clone(),
        Some(rules @ Value::Object(_)) => rules.to_string(),
        Some(other) => {
            let text = format!("must be a name or an object, not {}", short(other));
            return Err(Refusal::new("rules", text));
        }
    };
    let wrong_board = |error: UnknownGame| Refusal::new("boardXSize", error);
    let mut engine = match make(size, &text) {
        Ok(engine) => engine,
        Err(UnknownGame::Rules(error)) => {
            let engine = make(size, "").map_err(wrong_board)?;
            let refusal = Refusal::new("rules", error);
            if engine.rules_json().is_some() {
                return Err(refusal);
            }
            // Programs for Go send its rules with any game.
            let text = format!("{}: its own rules are used", refusal.text);
            warnings.push(Refusal::new("rules", text));
            engine
        }
        Err(error) => return Err(wrong_board(error)),
    };
    const KOMI: std::ops::RangeInclusive<f64> = -HalfPoints::MAX_KOMI..=HalfPoints::MAX_KOMI;
    if let Some(points) = fields.number("komi", KOMI)? {
        let komi = HalfPoints::komi(points);
        engine.set_komi(komi.map_err(|error| Refusal::new("komi", error))?);
    }
    const BONUS: &str = "whiteHandicapBonus";
    if let Some(bonus) = fields.text(BONUS)? {
        // Compensation for handicap stones may differ from the rules'.
        let set = set_rule(&mut *engine, BONUS, bonus);
        match set.map_err(|error| Refusal::new(BONUS, error)) {
            Err(_) if engine.rules_json().is_none() => {
                warnings.push(Refusal::new(BONUS, "has no effect in this game"));
            }
            set => set?,
        }
    }
    Ok(engine)
}

fn record(
    fields: Fields<'_>,
    game: &str,
    size: BoardSize,
    plays: &[Play],
) -> Result<GameRecord, Refusal> {
    let mut record = GameRecord::new(game, size);
    // If a point is set up twice, the last one counts.
    let mut stones = BTreeMap::new();
    for stone in fields.plays("initialStones", size)?.unwrap_or_default() {
        let Vertex::Point(point) = stone.vertex else {
            return Err(Refusal::new("initialStones", "a stone stands on a point"));
        };
        stones.insert(point, stone.color);
    }
    let handicap = stones.len() > 1 && stones.values().all(|&color| color == Color::Black);
    record.setup = stones.into_iter().collect();
    for &play in plays {
        record.push(play);
    }
    let first = plays.first().map(|first| first.color);
    let usual = if handicap { Color::White } else { Color::Black };
    let said = fields.color("initialPlayer")?;
    record.to_move = Some(said.or(first).unwrap_or(usual));
    Ok(record)
}

/// Sets the game up on the engine's board, as records are: one that its rules forbid is played under more
/// liberal ones, with a warning. An error names the failing part.
fn check(engine: &mut dyn Engine, record: &GameRecord) -> Result<Vec<Refusal>, Refusal> {
    let number = match engine.load(record) {
        Ok(notes) => {
            let warnings = notes.iter().map(|note| Refusal::new("moves", note));
            return Ok(warnings.collect());
        }
        Err(EngineError::IllegalRecord { number, .. }) => number,
        Err(_) => {
            let text = "these stones cannot stand together";
            return Err(Refusal::new("initialStones", text));
        }
    };
    let turn = number.saturating_sub(1);
    let play = record.plays.get(turn).map(|recorded| recorded.play);
    let play = play.map_or_else(String::new, |Play { color, vertex }| {
        format!(": {color} {}", format_vertex(vertex, record.size))
    });
    // KaTrain looks for these words.
    Err(Refusal::new("moves", format!("Illegal move {turn}{play}")))
}

fn turns(fields: Fields<'_>, last: usize) -> Result<BTreeMap<usize, i64>, Refusal> {
    let priority = fields.integer("priority", -MAX_URGENT..=MAX_URGENT)?;
    let priorities = fields.integers("priorities", -MAX_URGENT..=MAX_URGENT)?;
    let turns = fields.indices("analyzeTurns", last)?;
    if let Some(priorities) = &priorities
        && (priority.is_some() || turns.as_ref().map(Vec::len) != Some(priorities.len()))
    {
        let text = "are one number for each of analyzeTurns, without priority";
        return Err(Refusal::new("priorities", text));
    }
    let turns = turns.unwrap_or_else(|| vec![last]);
    if turns.is_empty() {
        let text = "is empty: name a turn, or leave it out for the position after all moves";
        return Err(Refusal::new("analyzeTurns", text));
    }
    let priorities = priorities.unwrap_or_else(|| vec![priority.unwrap_or(0); turns.len()]);
    Ok(turns.into_iter().zip(priorities).collect())
}
