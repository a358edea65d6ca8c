//! Settings that may change during a game, under KataGo's names.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Arguments, truth};
use crate::clock::{USUAL_LAG, seconds};
use crate::engine::{DEFAULT_TIME_PER_MOVE, Engine, RulesError};
use crate::game::UnknownRules;
use crate::gtp::{Failure, Reply, Session, parse_color};

/// Values of KataGo's `wideRootNoise`.
const NOISE: RangeInclusive<f64> = 0.0..=5.0;

fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, Failure> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let (least, most) = (range.start(), range.end());
    number.ok_or_else(|| Failure::wrong(text, format!("number from {least} to {most}")))
}

/// Seconds for display: 0 for no limit.
fn text(time: Option<Duration>) -> String {
    time.unwrap_or_default().as_secs_f64().to_string()
}

/// Settings that may change, none of which needs a new engine: KataGo's names, with the types of their fields where
/// GoGui's dialog shows them.
const SETTINGS: &[(&str, Option<&str>)] = &[
    ("maxVisits", Some("string")),
    ("maxTime", Some("string")),
    ("lagBuffer", Some("string")),
    ("ponderingEnabled", Some("bool")),
    ("playoutDoublingAdvantage", None),
    ("playoutDoublingAdvantagePla", None),
    ("analysisWideRootNoise", None),
    ("wideRootNoise", None),
    ("rootPolicyTemperature", None),
];

const UNKNOWN: Failure =
    Failure::Refused("unknown parameter; see kata-list-params and tengen-settings");

/// KataGo's name of no side.
const NO_SIDE: &str = "empty";

impl Session {
    /// The value of a setting.
    fn parameter(&self, name: &str) -> Reply {
        let thinking_limits = self.engine.thinking_limits();
        Ok(match name {
            "maxVisits" => thinking_limits.visits.unwrap_or_default().to_string(),
            "maxTime" => {
                let unlimited = thinking_limits.visits.is_none() && !self.has_clock();
                let usual = unlimited.then_some(DEFAULT_TIME_PER_MOVE);
                text(thinking_limits.time_per_move.or(usual))
            }
            "lagBuffer" => text(thinking_limits.lag.or(Some(USUAL_LAG))),
            // As GoGui's check boxes need it.
            "ponderingEnabled" => u8::from(self.options.ponder).to_string(),
            "playoutDoublingAdvantage" => self.root.doublings.to_string(),
            "playoutDoublingAdvantagePla" => {
                let side = self.root.doubled_side;
                side.map_or(NO_SIDE.to_owned(), |side| side.to_string())
            }
            "analysisWideRootNoise" => self.root.analysis_wide_noise.to_string(),
            "wideRootNoise" => self.root.wide_noise.to_string(),
            "rootPolicyTemperature" => {
                let usual = self.options.root_policy_temperature;
                self.root.policy_temperature.unwrap_or(usual).to_string()
            }
            _ => return Err(UNKNOWN),
        })
    }

    /// Sets a parameter of `kata-set-param`.
    ///
    /// # Errors
    /// For an unknown one, or a wrong value.
    pub fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        let mut thinking_limits = self.engine.thinking_limits();
        match name {
            "maxVisits" => {
                let wrong = |_| Failure::wrong(value, "whole number of visits");
                let visits: u64 = value.parse().map_err(wrong)?;
                thinking_limits.visits = (visits > 0).then_some(visits);
            }
            "maxTime" => {
                let time = seconds(value)?;
                thinking_limits.time_per_move = (!time.is_zero()).then_some(time);
            }
            "lagBuffer" => thinking_limits.lag = Some(seconds(value)?),
            "ponderingEnabled" => self.options.ponder = truth(value)?,
            "playoutDoublingAdvantage" => self.root.doublings = number(value, -3.0..=3.0)? as f32,
            "playoutDoublingAdvantagePla" => {
                let named = (value != NO_SIDE).then(|| parse_color(value));
                self.root.doubled_side = named.transpose()?;
            }
            "analysisWideRootNoise" => self.root.analysis_wide_noise = number(value, NOISE)?,
            "wideRootNoise" => self.root.wide_noise = number(value, NOISE)?,
            "rootPolicyTemperature" => {
                let temperature = number(value, 0.01..=100.0)?;
                self.root.policy_temperature = Some(temperature as f32);
            }
            _ => return Err(UNKNOWN),
        }
        self.engine.set_thinking_limits(thinking_limits);
        Ok(())
    }
}

/// Without arguments lists settings in GoGui's `param` format; with two, sets one.
pub(super) fn dialog(session: &mut Session, args: &Arguments<'_>) -> Reply {
    if args.optional(0).is_some() {
        return kata_set_param(session, args);
    }
    let line = |(name, kind): &(&str, Option<&str>)| {
        let kind = (*kind)?;
        let value = session.parameter(name);
        Some(value.map(|value| format!("[{kind}] {name} {value}")))
    };
    let lines: Result<Vec<String>, Failure> = SETTINGS.iter().filter_map(line).collect();
    Ok(lines?.join("\n"))
}

pub(super) fn kata_list_params(_: &mut Session, _: &Arguments<'_>) -> Reply {
    let names: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).collect();
    Ok(names.join(" "))
}

pub(super) fn kata_get_param(session: &mut Session, args: &Arguments<'_>) -> Reply {
    session.parameter(args.text(0)?)
}

/// All of them as a JSON object.
pub(super) fn kata_get_params(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let field = |(name, _): &(&str, Option<&str>)| {
        let value = session.parameter(name)?;
        Ok(match value.parse::<f64>() {
            Ok(_) => format!("\"{name}\":{value}"),
            Err(_) => format!("\"{name}\":\"{value}\""),
        })
    };
    let fields: Result<Vec<String>, Failure> = SETTINGS.iter().map(field).collect();
    Ok(format!("{{{}}}", fields?.join(",")))
}

/// Beginnings of the names of KataGo's other parameters, which have no effect here.
#[rustfmt::skip]
const KATA_ONLY: &[&str] = &[
    "allowResignation", "alwaysComputePassAlive", "analysisIgnorePreRootHistory", "antiMirror",
    "chosenMove", "conservativePass", "cpuct", "delayMove", "drawEquivalentWins", "dynamic",
    "enable", "endgameTurn", "fillDame", "fpu", "friendlyPassOk", "futileVisits", "genmove",
    "graphSearch", "humanSL", "ignore", "lcbStdevs", "maxPlayouts", "maxTimePondering",
    "maxVisitsPondering", "midgame", "minPlayouts", "minVisitProp", "nnPolicyTemperature",
    "noisePrun", "noResult", "numSearchThreads", "numVirtualLosses", "obviousMoves",
    "overallocateTime", "policyOptimism", "resign", "root", "searchFactor", "staticScore",
    "subtreeValueBias", "treeReuse", "uncertainty", "use", "valueWeight", "winLoss",
];

/// Sets one parameter.
pub(super) fn kata_set_param(session: &mut Session, args: &Arguments<'_>) -> Reply {
    change(session, args.text(0)?, args.text(1)?)
}

/// Sets all parameters of a JSON object, or none.
pub(super) fn kata_set_params(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let object: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_str(args.written());
    let object = object.map_err(|_| args.missing())?;
    let (limits, root) = (session.engine.thinking_limits(), session.root);
    let ponder = session.options.ponder;
    let set = |(name, value): (String, serde_json::Value)| match value.as_str() {
        Some(text) => change(session, &name, text),
        None => change(session, &name, &value.to_string()),
    };
    let replies: Result<Vec<String>, Failure> = object.into_iter().map(set).collect();
    if replies.is_err() {
        session.engine.set_thinking_limits(limits);
        (session.root, session.options.ponder) = (root, ponder);
    }
    Ok(replies?.join("\n"))
}

/// Parameters that only KataGo has are accepted without effect, because clients rely on that; the reply and the log say
/// so.
fn change(session: &mut Session, name: &str, value: &str) -> Reply {
    match name {
        // The network is loaded for one profile.
        "humanSLProfile" => Err(Failure::Refused(
            "whom the network imitates is set at the start: tengen gtp --model FILE --human-profile NAME",
        )),
        name if SETTINGS.iter().any(|(ours, _)| *ours == name) => {
            session.set_parameter(name, value).map(|()| String::new())
        }
        name if KATA_ONLY.iter().any(|begin| name.starts_with(begin)) => {
            session.ignored.note(name);
            Ok(format!("ignored: {name} has no effect here"))
        }
        _ => Err(UNKNOWN),
    }
}

/// KataGo's fields, complete for its readers; rules of other games are named beside them.
pub(super) fn kata_get_rules(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let engine = &*session.engine;
    Ok(engine.rules_json().unwrap_or_else(|| named_json(engine)))
}

/// The named rules of a game that KataGo does not support, with KataGo's fields for its readers.
fn named_json(engine: &dyn Engine) -> String {
    let (game, rules) = (engine.info().name, serde_json::Value::from(engine.rules()));
    format!(
        "{{\"game\":\"{game}\",\"rules\":{rules},\"friendlyPassOk\":false,\"hasButton\":false,\
         \"ko\":\"SIMPLE\",\"scoring\":\"AREA\",\"suicide\":false,\"tax\":\"NONE\",\
         \"whiteHandicapBonus\":\"0\"}}"
    )
}

/// The name of the rules in an answer of [`named_json`]; of its other fields only KataGo's games have several values.
fn name_in_json(text: &str) -> Option<String> {
    let fields: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(fields.get("rules")?.as_str()?.to_owned())
}

/// Sets the rules by name or as JSON, which may contain spaces.
pub(super) fn kata_set_rules(session: &mut Session, args: &Arguments<'_>) -> Reply {
    args.text(0)?;
    let text = args.all().join(" ");
    let rules = match session.engine.rules_json() {
        Some(_) => text,
        None => match name_in_json(&text) {
            Some(name) => {
                let text = "of the fields of kata-get-rules only `rules` counts in this game";
                session.ignored.warn(text);
                name
            }
            None => text,
        },
    };
    session.engine.set_rules(&rules)?;
    Ok(String::new())
}

/// Sets a single rule of this game and later ones, by KataGo's name; changing the scoring changes its tax.
///
/// # Errors
/// [`RulesError`], also for games without such names; nothing has changed then.
pub(in crate::gtp) fn set_rule(
    engine: &mut dyn Engine,
    name: &str,
    value: &str,
) -> Result<(), RulesError> {
    // Rules that a loaded game had to have end with it.
    let rules = engine.lasting_rules_json();
    let known = match rules {
        Some(_) => "ko, scoring, tax, suicide, whiteHandicapBonus, hasButton, friendlyPassOk",
        None => "none; kata-set-rules sets the rules of this game",
    };
    let unknown = || UnknownRules::new(format!("{name} {value}"), known);
    let fields = rules.as_deref().unwrap_or_default();
    let mut rules: serde_json::Map<_, _> = serde_json::from_str(fields).unwrap_or_default();
    *rules.get_mut(name).ok_or_else(unknown)? = value.into();
    if name == "scoring" {
        rules.remove("tax");
    }
    engine.set_rules(&serde_json::Value::Object(rules).to_string())
}

/// Sets a single rule by its name in `kata-get-rules`.
pub(super) fn kata_set_rule(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (name, value) = (args.text(0)?, args.text(1)?);
    match name == "rules" && session.engine.rules_json().is_none() {
        true => session.engine.set_rules(value)?,
        false => set_rule(&mut *session.engine, name, value)?,
    }
    Ok(String::new())
}

/// KGS's names of rules. Clients of Go servers send one of them in any game.
const KGS_RULES: &[&str] = &["japanese", "chinese", "aga", "new_zealand"];

/// Sets the rules by KGS's names, which in games other than Go keep the game's own rules, or by the
/// game's names.
pub(super) fn kgs_rules(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (name, is_go) = (args.text(0)?, session.engine.rules_json().is_some());
    match &*name.to_lowercase() {
        "chinese" if is_go => session.engine.set_rules("chinese-kgs")?,
        of_kgs if !is_go && KGS_RULES.contains(&of_kgs) => {}
        // The short form needs its capitals.
        _ => session.engine.set_rules(name)?,
    }
    Ok(String::new())
}
