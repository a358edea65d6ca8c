//! The reference pages in `docs/reference/` agree with the programs. With `TENGEN_WRITE_REFERENCE=1`
//! the test writes them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex_lite::Regex;
use tengen::engine::EngineOptions;
use tengen::papers::ablate::MatchSettings;
use tengen::papers::critic::training::taught::UtilityWeights;
use tengen::settings::{Setting, Table as _};
use tengen::train::cycle::{
    CyclePlan, Gate, MachineSettings, Plateau, Rating, Stage, WarmUp, Window,
};
use tengen::train::fit::Fit;
use tengen::train::play::settings::SelfPlay;

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
        "# Settings\n\nEach setting is a flag `--NAME VALUE`, a key of `--config FILE` and a name of `--set \
         NAME=VALUE` ([how to give them](../settings.md)). {NOTE}"
    );
    let settings = EngineOptions::settings();
    for table in settings.chunk_by(|one, other| one.title == other.title) {
        let has_sources = table.iter().any(|setting| !setting.source.is_empty());
        let mut head = vec!["name", "values", "default", "meaning"];
        head.extend(has_sources.then_some("source of the default"));
        let rule = vec!["---"; head.len()];
        let _ = write!(
            page,
            "\n## {}\n\n{}{}",
            table[0].title,
            row(&head),
            row(&rule)
        );
        for setting in table {
            let name = format!("`{}`", setting.name);
            let meaning = setting.help.trim_end_matches('.');
            let mut cells = vec![&*name, &setting.allowed, &setting.default, meaning];
            cells.extend(has_sources.then_some(setting.source));
            page += &row(&cells);
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
        "String" | "BoardSize" | "Architecture" | "Anchor" => "text",
        "[u32; 2]" => "two whole numbers",
        _ => "table",
    };
    word.to_owned()
}

/// Where a table of a plan is declared.
enum Declared {
    /// As a table of settings.
    Settings(fn() -> Vec<Setting>),
    /// As a struct with documented ranges, because it has required keys: source file, type, and where
    /// its defaults are in [`EXAMPLE`].
    Struct(&'static str, &'static str, &'static str),
}
use Declared::{Settings, Struct};

const ABLATION: &str = "src/papers/ablate/plan.rs";
const CRITIC: &str = "src/papers/critic/training/plan.rs";

const TABLES: [(&str, &[(&str, Declared)]); 3] = [
    (
        "Plans of `tengen-train loop`",
        &[
            ("top level", Settings(CyclePlan::settings)),
            (
                "`[[board]]`",
                Struct("src/train/cycle/plan/board_share.rs", "BoardShare", "board"),
            ),
            ("`[warm-up]`", Settings(WarmUp::settings)),
            ("`[[stage]]`", Settings(Stage::settings)),
            ("`[stage.plateau]`", Settings(Plateau::settings)),
            ("`[self-play]`", Settings(SelfPlay::settings)),
            (
                "`[self-play.komi]`, `[board.komi]`",
                Struct("src/train/play/komi.rs", "KomiSpread", "komi"),
            ),
            ("`[window]`", Settings(Window::settings)),
            ("`[fit]`", Settings(Fit::settings)),
            ("`[rating]`", Settings(Rating::settings)),
            ("`[gate]`", Settings(Gate::settings)),
            ("`[machines]`", Settings(MachineSettings::settings)),
        ],
    ),
    (
        "Plans of `tengen-train ablate`",
        &[
            ("top level", Struct(ABLATION, "AblationPlan", "ablation")),
            ("`[[arm]]`", Struct(ABLATION, "Arm", "ablation-arm")),
            ("`[match]`", Settings(MatchSettings::settings)),
        ],
    ),
    (
        "Plans of `tengen-train critic`",
        &[
            ("top level", Struct(CRITIC, "CriticPlan", "critic")),
            ("`[utility]`", Settings(UtilityWeights::settings)),
            ("`[base]`, `[[arm]]`", Struct(CRITIC, "Arm", "critic-arm")),
            (
                "`[lessons]`, `[arm.lessons]`",
                Struct(CRITIC, "Curriculum", "lessons"),
            ),
            (
                "`[measure]`",
                Struct("src/papers/critic/training/anchor.rs", "Measure", "measure"),
            ),
        ],
    ),
];

/// Plans with their required keys only; the program fills in the defaults.
const EXAMPLE: &str = "board = [{ size = \"9\" }]\n";

const ABLATION_EXAMPLE: &str = "title = \"t\"\nseeds = [1]\n\
                                [[arm]]\nname = \"a\"\nnetwork = \"az-1b8c\"\n\
                                [[arm]]\nname = \"b\"\nnetwork = \"az-1b12c\"\n[run]\n";

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
        "ablation" | "ablation-arm" => {
            (of(toml::Value::try_from(&ablation)), own(ABLATION_EXAMPLE))
        }
        "critic" | "critic-arm" | "lessons" | "measure" => {
            (of(toml::Value::try_from(&critic)), own(CRITIC_EXAMPLE))
        }
        _ => (of(toml::Value::try_from(&plan)), own(EXAMPLE)),
    };
    match place {
        "ablation" | "critic" => (all, given),
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
        for (heading, declared) in tables {
            let _ = write!(
                page,
                "\n### {heading}\n\n| key | values | default | meaning |\n|---|---|---|---|\n"
            );
            page += &match declared {
                Settings(settings) => settings().iter().map(setting_row).collect::<String>(),
                Struct(file, name, place) => struct_rows(file, name, place),
            };
        }
    }
    page
}

/// A setting as a key. TOML has its own words for on and off.
fn setting_row(setting: &Setting) -> String {
    let toml = |text: &str| match text {
        "on or off" => "true or false".to_owned(),
        "on" => "true".to_owned(),
        "off" => "false".to_owned(),
        text => text.to_owned(),
    };
    row(&[
        &format!("`{}`", setting.name),
        &toml(&setting.allowed),
        &toml(&setting.default),
        setting.help,
    ])
}

/// The keys of a struct.
fn struct_rows(file: &str, name: &str, place: &str) -> String {
    let keys = keys(file, name);
    assert!(!keys.is_empty(), "{file}: no keys of {name}");
    let (all, given) = defaults(place);
    let line = |key: Key| {
        let is_table = key.kind == "table" || key.kind == "list of table";
        let default = match (given.get(&key.name), all.get(&key.name)) {
            (Some(_), _) if key.is_optional => "-".to_owned(),
            (Some(_), _) => "required".to_owned(),
            (None, Some(_)) if is_table => "its defaults".to_owned(),
            (None, Some(value)) => value.to_string(),
            (None, None) if place == "komi" => "required".to_owned(),
            (None, None) => "-".to_owned(),
        };
        let values = match &*key.range {
            "any" => key.kind,
            range if is_table || range.contains(&*key.kind) => range.to_owned(),
            range => format!("{}: {range}", key.kind),
        };
        row(&[&format!("`{}`", key.name), &values, &default, &key.meaning])
    };
    keys.into_iter().map(line).collect()
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
                is_optional: parts[2].starts_with("Option"),
            });
            doc.clear();
        }
    }
    found
}
