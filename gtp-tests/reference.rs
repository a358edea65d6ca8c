//! The reference pages in `docs/reference/` agree with the programs. With `TENGEN_WRITE_REFERENCE=1`
//! the test writes them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;
use tengen::clock::TimeParams;
use tengen::engine::ENGINE_OPTIONS;
use tengen::rollout::MucgoParams;
use tengen::search::SearchParams;
use tengen::train::cycle::CyclePlan;

const NOTE: &str = "This page is generated: `TENGEN_WRITE_REFERENCE=1 cargo test --release --features \
                    train --test train reference` writes it.\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn reference_pages_are_current() {
    let write = std::env::var_os("TENGEN_WRITE_REFERENCE").is_some();
    let pages = [
        ("flags.md", flags()),
        ("settings.md", settings()),
        ("plans.md", plans()),
    ];
    for (name, page) in pages {
        let path: PathBuf = root().join("docs/reference").join(name);
        if write {
            std::fs::write(&path, &page).expect("a writable folder");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        let differs = page
            .lines()
            .zip(found.lines())
            .find(|(now, old)| now != old);
        assert!(
            found == page,
            "docs/reference/{name} is stale, first at {differs:?}; {NOTE}"
        );
    }
}

fn flags() -> String {
    let programs = [
        env!("CARGO_BIN_EXE_tengen"),
        env!("CARGO_BIN_EXE_tengen-match"),
        env!("CARGO_BIN_EXE_tengen-train"),
    ];
    let mut page =
        format!("# Flags\n\nAll flags of the three programs, as `--help` explains them. {NOTE}\n");
    for program in programs {
        let output = Command::new(program).arg("reference").output();
        let output = output.expect("a program that was built");
        assert!(output.status.success(), "{program}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let _ = write!(page, "{}\n\n", text.trim_end());
    }
    page.trim_end().to_owned() + "\n"
}

/// Cells of one row, with characters escaped that would end a cell.
fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn settings() -> String {
    let mut page = format!(
        "# Settings\n\nEach setting is a key of `--config FILE` and a name of `--set NAME=VALUE`; those of \
         the first table are flags, too ([how to give them](../settings.md)). {NOTE}\n"
    );
    page += "## Engine\n\n| name | value | default | meaning |\n|---|---|---|---|\n";
    for option in ENGINE_OPTIONS {
        let (help, default) = option
            .help
            .rsplit_once(" [default: ")
            .unwrap_or((option.help, "none]"));
        let default = default.trim_end_matches(']');
        page += &row(&[
            &format!("`{}`", option.name),
            option.expected,
            default,
            help,
        ]);
    }
    let tables = [
        ("Search", SearchParams::table()),
        ("Time management", TimeParams::table()),
        ("Mucgo's search (`--playouts mucgo`)", MucgoParams::table()),
    ];
    for (title, table) in tables {
        let _ = write!(
            page,
            "\n## {title}\n\n| name | type | default | range | meaning | source of the default |\n\
             |---|---|---|---|---|---|\n"
        );
        for param in table {
            let kind = type_name(param.kind);
            let name = format!("`{}`", param.name);
            page += &row(&[
                &name,
                &kind,
                &param.default,
                &param.range,
                param.help,
                param.source,
            ]);
        }
    }
    page
}

/// A Rust type in words.
fn type_name(rust: &str) -> String {
    let inner = |start: &str| {
        rust.strip_prefix(start)
            .and_then(|rest| rest.strip_suffix('>'))
    };
    if let Some(inner) = inner("Option<") {
        return type_name(inner);
    }
    if let Some(inner) = inner("Vec<") {
        return format!("list of {}", type_name(inner));
    }
    let word = match rust {
        "f32" | "f64" => "number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "whole number",
        "bool" => "true or false",
        "PathBuf" => "path",
        "String" | "BoardSize" | "Architecture" | "RootName" | "Anchor" => "text",
        "[u32; 2]" => "two whole numbers",
        "MoveChoice" | "Scheme" | "Weighting" | "IntervalShare" | "IntervalBy" | "Pruning"
        | "TargetMove" | "DomainScale" | "StageWindow" => "word",
        _ => "table",
    };
    word.to_owned()
}

/// A table of a plan: heading, source file, type, and where its defaults are in [`EXAMPLE`].
type PlanTable = (&'static str, &'static str, &'static str, &'static str);

const LOOP: &str = "src/train/cycle/plan/mod.rs";
const PARTS: &str = "src/train/cycle/plan/settings.rs";
const ABLATION: &str = "src/papers/ablate/plan.rs";
const CRITIC: &str = "src/papers/critic/training/plan.rs";

const TABLES: [(&str, &[PlanTable]); 3] = [
    (
        "Plans of `tengen-train loop`",
        &[
            ("top level", LOOP, "CyclePlan", ""),
            (
                "`[[board]]`",
                "src/train/cycle/plan/board_share.rs",
                "BoardShare",
                "board",
            ),
            ("`[warm-up]`", LOOP, "WarmUp", "warm-up"),
            ("`[[stage]]`", LOOP, "Stage", "stage"),
            ("`[stage.plateau]`", LOOP, "Plateau", "plateau"),
            ("`[self-play]`", PARTS, "SelfPlay", "self-play"),
            (
                "`[self-play.komi]`, `[board.komi]`",
                "src/train/play/komi.rs",
                "KomiSpread",
                "komi",
            ),
            ("`[window]`", PARTS, "Window", "window"),
            ("`[fit]`", PARTS, "Fit", "fit"),
            ("`[rating]`", PARTS, "Rating", "rating"),
            ("`[gate]`", PARTS, "Gate", "gate"),
            ("`[machines]`", PARTS, "MachineSettings", "machines"),
        ],
    ),
    (
        "Plans of `tengen-train ablate`",
        &[
            ("top level", ABLATION, "AblationPlan", "ablation"),
            ("`[[arm]]`", ABLATION, "Arm", "ablation-arm"),
            ("`[match]`", ABLATION, "MatchSettings", "match"),
        ],
    ),
    (
        "Plans of `tengen-train critic`",
        &[
            ("top level", CRITIC, "CriticPlan", "critic"),
            (
                "`[utility]`",
                "src/papers/critic/training/taught.rs",
                "UtilityWeights",
                "utility",
            ),
            ("`[base]`, `[[arm]]`", CRITIC, "Arm", "critic-arm"),
            (
                "`[lessons]`, `[arm.lessons]`",
                CRITIC,
                "Curriculum",
                "lessons",
            ),
            (
                "`[measure]`",
                "src/papers/critic/training/anchor.rs",
                "Measure",
                "measure",
            ),
        ],
    ),
];

/// A plan with its required keys only; the program fills in the defaults.
const EXAMPLE: &str = "board = [{ size = \"9\" }]\nrating = {}\ngate = {}\n\
                       [[stage]]\nnetwork = \"tengen+area-1b16c\"\nvisits = 1\ngames = 1\ngenerations = 1\n\
                       [warm-up]\ngames = 1\nplayouts = 1\n";

const ABLATION_EXAMPLE: &str = "title = \"t\"\nseeds = [1]\n\
                                [[arm]]\nname = \"a\"\nnetwork = \"az-1b8c\"\n\
                                [[arm]]\nname = \"b\"\nnetwork = \"az-1b12c\"\n[run]\n\
                                [[run.stage]]\nnetwork = \"az-1b8c\"\nvisits = 1\ngames = 1\ngenerations = 1\n";

const CRITIC_EXAMPLE: &str = "title = \"t\"\ngame = \"nogo\"\nsize = 9\nseeds = [1]\nopponent-rules = 0.0\n\
                              [lessons]\ngames = 1\nrate = 1.0\n\
                              [[arm]]\nname = \"a\"\ntarget = { kind = \"monte-carlo\" }\n\
                              [measure]\nevery = 1\npairs = 1\nrandom-plies = 1\nagainst = [\"random\"]\n";

/// Keys given in the example and with defaults, and the keys of the example alone.
fn defaults(place: &str) -> (toml::Table, toml::Table) {
    let own = |text: &str| toml::from_str::<toml::Table>(text).expect("TOML");
    let filled = |value: toml::Value| value.as_table().cloned().expect("a table");
    let of = |value: Result<toml::Value, toml::ser::Error>| {
        filled(value.expect("a plan that can be written"))
    };
    let plan = CyclePlan::parse(EXAMPLE).expect("a plan");
    let ablation = tengen::papers::ablate::AblationPlan::parse(ABLATION_EXAMPLE).expect("a plan");
    let critic =
        tengen::papers::critic::training::CriticPlan::parse(CRITIC_EXAMPLE).expect("a plan");
    let part = |table: &toml::Table, name: &str| match table.get(name) {
        Some(toml::Value::Array(list)) => filled(list[0].clone()),
        Some(value) => filled(value.clone()),
        None => toml::Table::new(),
    };
    let (all, given) = match place {
        "ablation" | "ablation-arm" | "match" => {
            (of(toml::Value::try_from(&ablation)), own(ABLATION_EXAMPLE))
        }
        "critic" | "critic-arm" | "utility" | "lessons" | "measure" => {
            (of(toml::Value::try_from(&critic)), own(CRITIC_EXAMPLE))
        }
        _ => (of(toml::Value::try_from(&plan)), own(EXAMPLE)),
    };
    match place {
        "" | "ablation" | "critic" => (all, given),
        "ablation-arm" | "critic-arm" => (part(&all, "arm"), part(&given, "arm")),
        name => (part(&all, name), part(&given, name)),
    }
}

fn plans() -> String {
    let mut page = format!(
        "# Keys of plans\n\nPlans are TOML files ([training](../training.md), [critic](../critic.md)); an unknown \
         key is an error. {NOTE}"
    );
    for (title, tables) in TABLES {
        let _ = write!(page, "\n## {title}\n");
        for (heading, file, name, place) in tables {
            let keys = keys(file, name);
            assert!(!keys.is_empty(), "{file}: no keys of {name}");
            let _ = write!(
                page,
                "\n### {heading}\n\n| key | type | default | range | meaning |\n|---|---|---|---|---|\n"
            );
            let (all, given) = defaults(place);
            for key in keys {
                let is_table = key.kind == "table" || key.kind == "list of table";
                let default = match (given.get(&key.name), all.get(&key.name)) {
                    (Some(_), _) if key.is_optional => "-".to_owned(),
                    (Some(_), _) => "required".to_owned(),
                    (None, Some(_)) if is_table => "its defaults".to_owned(),
                    (None, Some(value)) => value.to_string(),
                    (None, None) if *place == "komi" || *place == "plateau" => {
                        "required".to_owned()
                    }
                    (None, None) => "-".to_owned(),
                };
                let name = format!("`{}`", key.name);
                page += &row(&[&name, &key.kind, &default, &key.range, &key.meaning]);
            }
        }
    }
    page
}

/// A key of a plan as its source documents it.
struct Key {
    name: String,
    kind: String,
    range: String,
    meaning: String,
    is_optional: bool,
}

/// The fields of a struct with their documentation, whose last sentence is the range.
fn keys(file: &str, name: &str) -> Vec<Key> {
    let source = std::fs::read_to_string(root().join(file)).expect("a source file");
    let start = source.find(&format!("pub struct {name} {{"));
    let body = &source[start.unwrap_or_else(|| panic!("{file}: no {name}"))..];
    let body = &body[..body.find("\n}").expect("the end of the type")];
    let field = Regex::new(r"^    pub (\w+): (.+),$").expect("a pattern");
    let renamed = Regex::new(r#"rename = "(\w+)""#).expect("a pattern");
    // A link in parentheses is removed; of others the text stays.
    let aside = Regex::new(r"\s*\(\[`[^`]*`\]\)").expect("a pattern");
    let link = Regex::new(r"\[(`[^`]*`|\w+)\](?:\([^)]*\))?").expect("a pattern");
    let (mut doc, mut rename, mut found) = (String::new(), None, Vec::new());
    for line in body.lines() {
        if let Some(text) = line.trim_start().strip_prefix("///") {
            doc += text;
        } else if let Some(word) = renamed.captures(line) {
            rename = Some(word[1].to_owned());
        } else if let Some(parts) = field.captures(line) {
            let (meaning, range) = doc
                .trim()
                .rsplit_once(" Range: ")
                .unwrap_or_else(|| panic!("{file}: {} has no range", &parts[1]));
            let meaning = aside.replace_all(meaning, "");
            let meaning = link.replace_all(&meaning, "$1");
            found.push(Key {
                name: rename.take().unwrap_or_else(|| parts[1].replace('_', "-")),
                kind: type_name(&parts[2]),
                range: range.trim_end_matches('.').to_owned(),
                meaning: meaning.trim_end_matches('.').to_owned(),
                is_optional: parts[2].starts_with("Option") || &parts[2] == "Vec<BoardShare>",
            });
            doc.clear();
        }
    }
    found
}
