//! The rules of Go as a value: ko, scoring, suicide, handicap and komi, with KataGo's names, which
//! clients send (`kata-set-rules`, `kgs-rules`).

use std::fmt;
use std::str::FromStr;

use crate::game::{HalfPoints, Rules, UnknownRules};

crate::choices! {
    /// Which repetitions of positions are illegal.
    KoRule {
        /// Simple ko: a single stone that has just captured a single stone may not be recaptured at
        /// once.
        Simple = "SIMPLE",
        /// Positional superko: no move may repeat an earlier board.
        Positional = "POSITIONAL",
        /// Situational superko: no move may repeat an earlier board with the same side to move.
        Situational = "SITUATIONAL",
    }
}

crate::choices! {
    /// What counts as points at the end.
    Scoring {
        /// Area: stones, and empty points that only one colour reaches (KataGo's tax `NONE`).
        Area = "AREA",
        /// Territory: empty points that only one colour reaches, outside of seki, and prisoners
        /// (KataGo's tax `SEKI`).
        Territory = "TERRITORY",
    }
}

impl Scoring {
    /// The komi of rules that are given without one, as in KataGo.
    const fn usual_komi(self) -> HalfPoints {
        match self {
            Scoring::Area => HalfPoints(15),
            Scoring::Territory => HalfPoints(13),
        }
    }
}

crate::choices! {
    /// Points that White gets as compensation for handicap stones.
    HandicapBonus {
        /// No compensation.
        Zero = "0",
        /// One point per stone, as in Chinese rules.
        EachStone = "N",
        /// One point per stone except the first, as in AGA rules.
        ButOne = "N-1",
    }
}

/// A complete set of rules of Go, komi included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoRules {
    /// Repetition rule; [`KoRule::Simple`] is part of the other two.
    pub ko: KoRule,
    /// What counts as points at the end.
    pub scoring: Scoring,
    /// Whether suicide of several stones is legal. Suicide of a single stone never is.
    pub suicide: bool,
    /// Compensation for handicap stones.
    pub handicap: HandicapBonus,
    /// Whether a player may pass while dead stones are on the board. It does not affect legality:
    /// it says whether the players agree on dead stones.
    pub friendly_pass: bool,
    /// Points added to White's score, handicap compensation not included.
    pub komi: HalfPoints,
}

const NAMES: &str = "tromp-taylor, chinese, chinese-ogs, chinese-kgs, japanese, korean, aga, bga, \
                     french, new-zealand, ing, KataGo's JSON, or its short form as in \
                     koPOSITIONALscoreAREAtaxNONEsui1komi7.5";

/// Names written into records; `NZ`, `AGA`, `GOE` and `Japanese` are SGF's.
const RECORD_NAMES: [&str; 7] = [
    "Japanese",
    "Chinese",
    "Chinese-KGS",
    "AGA",
    "NZ",
    "GOE",
    "Tromp-Taylor",
];

impl GoRules {
    /// The rules of <https://tromp.github.io/go.html>, with their usual komi.
    pub const TROMP_TAYLOR: GoRules = GoRules {
        ko: KoRule::Positional,
        scoring: Scoring::Area,
        suicide: true,
        handicap: HandicapBonus::Zero,
        friendly_pass: false,
        komi: Scoring::Area.usual_komi(),
    };

    /// The preset with this name, with KataGo's meaning.
    fn named(name: &str) -> Option<GoRules> {
        use HandicapBonus::{ButOne, EachStone, Zero};
        use KoRule::{Positional, Simple, Situational};
        let area = |ko, suicide, handicap| GoRules {
            ko,
            suicide,
            handicap,
            friendly_pass: true,
            ..Self::TROMP_TAYLOR
        };
        let name = name.to_lowercase().replace(['_', ' '], "-");
        // Records contain "Japanese Rules" and similar names.
        let endings = ["rules", "rule", "规则", "規則", "ルール"];
        let short = endings.iter().find_map(|ending| name.strip_suffix(ending));
        let name = short.unwrap_or(&name).trim_end_matches('-');
        Some(match name {
            "tromp-taylor" | "tromptaylor" => Self::TROMP_TAYLOR,
            "chinese" | "china" | "cn" | "中国" | "中國" => area(Simple, false, EachStone),
            "chinese-ogs" | "chinese-kgs" | "chineseogs" | "chinesekgs" => {
                area(Positional, false, EachStone)
            }
            "aga" | "bga" | "french" => area(Situational, false, ButOne),
            "new-zealand" | "newzealand" | "nz" => GoRules {
                komi: HalfPoints(14),
                ..area(Situational, true, Zero)
            },
            "ing" | "goe" | "应氏" | "應氏" => area(Positional, true, Zero),
            "japanese" | "japan" | "jp" | "日本" | "korean" | "korea" | "kr" | "韩国" | "韓國" => {
                GoRules {
                    scoring: Scoring::Territory,
                    komi: Scoring::Territory.usual_komi(),
                    ..area(Simple, false, Zero)
                }
            }
            _ => return None,
        })
    }

    /// Compensation for this many handicap stones; none for a single one, which is an ordinary
    /// move.
    pub fn bonus(&self, handicap_stones: u16) -> u16 {
        match self.handicap {
            _ if handicap_stones < 2 => 0,
            HandicapBonus::Zero => 0,
            HandicapBonus::EachStone => handicap_stones,
            HandicapBonus::ButOne => handicap_stones - 1,
        }
    }

    /// KataGo's tax that goes with the scoring.
    fn tax(&self) -> &'static str {
        match self.scoring {
            Scoring::Area => "NONE",
            Scoring::Territory => "SEKI",
        }
    }

    /// Sets one field, by any of KataGo's names for it, to a value in any case; `tax` is checked by the caller, once
    /// scoring is known. The error describes the values allowed instead of a refused one.
    fn set(
        &mut self,
        field: &str,
        value: &str,
        tax: &mut Option<String>,
    ) -> Result<(), &'static str> {
        let value = value.to_uppercase();
        let truth = |known| match &*value {
            "1" | "TRUE" => Ok(true),
            "0" | "FALSE" => Ok(false),
            _ => Err(known),
        };
        match field {
            "ko" | "koRule" => {
                let ko = value.parse();
                self.ko = ko.map_err(|_| "ko SIMPLE, POSITIONAL or SITUATIONAL")?;
            }
            "score" | "scoring" | "scoringRule" => {
                let scoring = value.parse();
                self.scoring = scoring.map_err(|_| "scoring AREA or TERRITORY")?;
            }
            "tax" | "taxRule" => *tax = Some(value),
            "sui" | "suicide" | "multiStoneSuicideLegal" => {
                self.suicide = truth("suicide true or false")?;
            }
            "button" | "hasButton" => {
                if truth("hasButton false")? {
                    return Err("hasButton false");
                }
            }
            "whb" | "whiteHandicapBonus" | "whiteHandicapBonusRule" => {
                let bonus = value.parse();
                self.handicap = bonus.map_err(|_| "whiteHandicapBonus 0, N or N-1")?;
            }
            "fpok" | "friendlyPassOk" => {
                self.friendly_pass = truth("friendlyPassOk true or false")?;
            }
            "komi" => {
                let komi = value.parse();
                self.komi =
                    komi.map_err(|_| "a komi that is a multiple of one half, at most 400")?;
            }
            _ => return Err("ko, scoring, tax, suicide, whiteHandicapBonus, friendlyPassOk, komi"),
        }
        Ok(())
    }

    /// These rules with some fields changed. Another scoring has its own komi, unless one is among the fields.
    fn with_fields(mut self, fields: &[(String, String)]) -> Result<Self, UnknownRules> {
        let (mut tax, scoring) = (None, self.scoring);
        for (field, value) in fields {
            let set = self.set(field, value, &mut tax);
            set.map_err(|known| UnknownRules::new(format!("{field} {value}"), known))?;
        }
        if self.scoring != scoring && fields.iter().all(|(field, _)| field != "komi") {
            self.komi = self.scoring.usual_komi();
        }
        let known = match self.scoring {
            Scoring::Area => "tax NONE where scoring is AREA",
            Scoring::Territory => "tax SEKI where scoring is TERRITORY",
        };
        match tax {
            Some(tax) if tax != self.tax() => Err(UnknownRules::new(format!("tax {tax}"), known)),
            _ => Ok(self),
        }
    }
}

/// Fields of a JSON object, values as text.
fn json_fields(text: &str) -> Option<Vec<(String, String)>> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let as_text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let fields = object.into_iter();
    Some(fields.map(|(key, value)| (key, as_text(value))).collect())
}

/// Fields of the short form: lower-case names, each followed by a value without lower-case letters.
fn short_fields(mut text: &str) -> Option<Vec<(String, String)>> {
    let small = |c: char| c.is_ascii_lowercase();
    let mut fields = Vec::new();
    while !text.is_empty() {
        let name = text.find(|c| !small(c)).filter(|&end| end > 0)?;
        let (name, rest) = text.split_at(name);
        let (value, rest) = rest.split_at(rest.find(small).unwrap_or(rest.len()));
        fields.push((name.to_owned(), value.trim().to_owned()));
        text = rest;
    }
    Some(fields)
}

impl Rules for GoRules {
    fn with_komi(self, komi: HalfPoints) -> Option<Self> {
        Some(GoRules { komi, ..self })
    }

    fn komi(&self) -> Option<HalfPoints> {
        Some(self.komi)
    }

    /// SGF's own names, and those of servers; otherwise the short form. Under territory scoring players agree on dead
    /// stones with or without `friendly_pass`.
    fn record_name(&self) -> Option<String> {
        let same = |name: &&&str| {
            GoRules::named(name).is_some_and(|mut named| {
                named.komi = self.komi;
                if named.scoring == Scoring::Territory {
                    named.friendly_pass = self.friendly_pass;
                }
                named == *self
            })
        };
        let text = self.to_string();
        let short = text.split_once("komi").map(|(rules, _)| rules);
        let name = RECORD_NAMES.iter().find(same).copied().or(short);
        name.map(str::to_owned)
    }

    /// Variants without superko, with suicide, and with both changes.
    fn relaxed(self) -> Vec<Self> {
        let others = [
            (KoRule::Simple, self.suicide),
            (self.ko, true),
            (KoRule::Simple, true),
        ];
        let others = others.map(|(ko, suicide)| GoRules {
            ko,
            suicide,
            ..self
        });
        others.into_iter().filter(|rules| *rules != self).collect()
    }

    /// The JSON of `kata-get-rules`, without komi.
    fn to_json(&self) -> Option<String> {
        let json = serde_json::json!({
            "friendlyPassOk": self.friendly_pass,
            "hasButton": false,
            "ko": self.ko.to_string(),
            "scoring": self.scoring.to_string(),
            "suicide": self.suicide,
            "tax": self.tax(),
            "whiteHandicapBonus": self.handicap.to_string(),
        });
        Some(json.to_string())
    }
}

impl Default for GoRules {
    /// Chinese rules as servers use them: `chinese-kgs`. A move that is legal under them is legal
    /// under all others.
    fn default() -> Self {
        GoRules {
            suicide: false,
            handicap: HandicapBonus::EachStone,
            friendly_pass: true,
            ..GoRules::TROMP_TAYLOR
        }
    }
}

impl fmt::Display for GoRules {
    /// KataGo's short form, in full.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (suicide, friendly) = (u8::from(self.suicide), u8::from(self.friendly_pass));
        write!(
            f,
            "ko{}score{}tax{}sui{suicide}whb{}fpok{friendly}komi{}",
            self.ko,
            self.scoring,
            self.tax(),
            self.handicap,
            self.komi
        )
    }
}

impl FromStr for GoRules {
    type Err = UnknownRules;

    /// Parses a preset name; a preset name and, after a space, short-form fields that differ; the
    /// short form; or JSON. Fields that JSON or the short form leave out are as in Tromp-Taylor
    /// rules.
    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        let text = text.trim();
        let (name, rest) = match GoRules::named(text) {
            // One name has a space: KaTrain's `new zealand`.
            Some(_) => (text, ""),
            None => text.split_once(' ').unwrap_or((text, "")),
        };
        let (base, fields) = match GoRules::named(name) {
            Some(base) => (Some(base), short_fields(rest.trim())),
            None if text.starts_with('{') => (None, json_fields(text)),
            None => (None, short_fields(text)),
        };
        match fields {
            Some(fields) if !text.is_empty() => {
                base.unwrap_or(Self::TROMP_TAYLOR).with_fields(&fields)
            }
            _ => Err(UnknownRules::new(text, NAMES)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> GoRules {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The presets as KataGo's GTP documentation describes them.
    #[test]
    fn names_mean_what_katago_means() {
        for (name, json) in [
            (
                "tromp-taylor",
                r#"{"hasButton":false,"ko":"POSITIONAL","scoring":"AREA","suicide":true,"tax":"NONE","whiteHandicapBonus":"0"}"#,
            ),
            (
                "chinese",
                r#"{"hasButton":false,"ko":"SIMPLE","scoring":"AREA","suicide":false,"tax":"NONE","whiteHandicapBonus":"N","friendlyPassOk":true}"#,
            ),
            (
                "japanese",
                r#"{"hasButton":false,"ko":"SIMPLE","scoring":"TERRITORY","suicide":false,"tax":"SEKI","whiteHandicapBonus":"0","friendlyPassOk":true}"#,
            ),
            (
                "aga",
                r#"{"koRule":"SITUATIONAL","scoringRule":"AREA","suicide":false,"taxRule":"NONE","whiteHandicapBonus":"N-1","friendlyPassOk":true}"#,
            ),
            ("new_zealand", "koSITUATIONALscoreAREAtaxNONEsui1fpok1komi7"),
            ("korean", "koSIMPLEscoreTERRITORYsui0fpok1komi6.5"),
            ("chinese-ogs", "koPOSITIONALscoreAREAsui0whbNfpok1komi7.5"),
            ("ing", "koPOSITIONALscoreAREAtaxNONEsui1whb0fpok1komi7.5"),
            ("GOE", "koPOSITIONAL scoreAREA taxNONE sui1 fpok1"),
            ("应氏规则", "goe"),
        ] {
            assert_eq!(read(name), read(json), "{name}");
        }
        for name in ["Chinese_KGS", "chinesekgs"] {
            assert_eq!(read(name), GoRules::default());
        }
        // KaTrain's spelling.
        assert_eq!(read("new zealand"), read("nz"));
        // Python's truth, and values that `kata-set-rule` of KataGo takes.
        let lower = r#"{"ko":"simple","tax":"none","suicide":"True","whiteHandicapBonus":"n-1"}"#;
        assert_eq!(read(lower), read("koSIMPLEtaxNONEsui1whbN-1"));
    }

    #[test]
    fn rules_without_komi_have_that_of_their_scoring() {
        for (rules, komi) in [
            (r#"{"scoring":"AREA"}"#, 15),
            (r#"{"scoring":"TERRITORY","ko":"SIMPLE"}"#, 13),
            (r#"{"scoring":"TERRITORY","komi":7.5}"#, 15),
            ("scoreTERRITORY", 13),
            ("chinese scoreTERRITORY", 13),
            ("japanese scoreAREA", 15),
            ("japanese sui1", 13),
            ("nz sui0", 14),
        ] {
            assert_eq!(read(rules).komi, HalfPoints(komi), "{rules}");
        }
    }

    #[test]
    fn what_is_shown_is_read_again() {
        let names = "tromp-taylor chinese chinese-kgs japanese aga new-zealand";
        for rules in names.split(' ').map(read) {
            for half_points in [-9, 0, 1, 15] {
                let rules = rules.with_komi(HalfPoints(half_points)).unwrap();
                let recorded = read(&rules.record_name().unwrap());
                assert_eq!(recorded.with_komi(rules.komi), Some(rules));
                assert_eq!(read(&rules.to_string()), rules, "{rules}");
                let json = read(&rules.to_json().unwrap());
                assert_eq!(json.with_komi(rules.komi), Some(rules));
            }
        }
        assert_eq!(read("nz").record_name().as_deref(), Some("NZ"));
        assert_eq!(read("ing").record_name().as_deref(), Some("GOE"));
        let japanese = read(r#"{"scoring":"TERRITORY","ko":"SIMPLE","suicide":false}"#);
        assert_eq!(japanese.record_name().as_deref(), Some("Japanese"));
        let unnamed = read("koSIMPLEscoreAREAsui1").record_name();
        let text = "koSIMPLEscoreAREAtaxNONEsui1whb0fpok0";
        assert_eq!(unnamed.as_deref(), Some(text));
        let shown = GoRules::TROMP_TAYLOR.to_string();
        assert_eq!(shown, "koPOSITIONALscoreAREAtaxNONEsui1whb0fpok0komi7.5");
        assert_eq!(read("japanese komi0.5sui1").komi, HalfPoints(1));
    }

    #[test]
    fn what_is_not_played_here_is_refused_by_name() {
        for (text, named) in [
            ("chess", "unknown rules `chess`"),
            ("", "``"),
            ("aga-button", "unknown rules `aga-button`"),
            ("stone_scoring", "unknown rules `stone_scoring`"),
            ("koSPIGHTscoreAREA", "unknown rules `ko SPIGHT`"),
            (
                r#"{"tax":"ALL","scoring":"AREA"}"#,
                "unknown rules `tax ALL`",
            ),
            ("scoreTERRITORYtaxNONE", "unknown rules `tax NONE`"),
            (r#"{"taxRule":"SOME"}"#, "unknown rules `tax SOME`"),
            (r#"{"hasButton":true}"#, "unknown rules `hasButton true`"),
            (r#"{"kudos":3}"#, "unknown rules `kudos 3`"),
            ("komi7.25", "`komi 7.25`"),
            ("komi1e9", "komi"),
            ("{", "`{`"),
            ("chinese and more", "`chinese and more`"),
        ] {
            let error = text.parse::<GoRules>().unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }

    #[test]
    fn handicap_stones_are_paid_for_where_the_rules_say_so() {
        let bonus = |name: &str| [0, 1, 2, 9].map(|stones| read(name).bonus(stones));
        assert_eq!(bonus("chinese"), [0, 0, 2, 9]);
        assert_eq!(bonus("aga"), [0, 0, 1, 8]);
        assert_eq!(bonus("japanese"), [0; 4]);
    }
}
