//! `docs/settings.md` agrees with the program. With `TENGEN_WRITE_REFERENCE=1` the test writes it.

use std::fmt::Write as _;
use std::path::Path;

use regex_lite::Regex;
use tengen::engine::EngineOptions;
use tengen::games::GAMES;
use tengen::settings::{Setting, Table as _};
use tengen_train::cycle::{CyclePlan, Gate, MachineSettings, Rating, Stage, WarmUp, Window};
use tengen_train::fit::Fit;
use tengen_train::play::settings::SelfPlay;

const NOTE: &str = "This page is generated: `TENGEN_WRITE_REFERENCE=1 cargo test --release -p tengen-train \
                    --test train reference` writes it.";

/// How settings are given, before the tables.
const HOW: &str = r#"# Settings

Each setting has one name, and is given in two ways; a flag overrides the file:

```sh
tengen gtp --config tournament.toml --visits 800 --cpuct 1.3 --memory-mib 4096
```

1. A file of names and plain values, `tournament.toml` here:

   ```toml
   threads = 4
   lag = 0.25
   ```

2. A flag: `--NAME VALUE`.

An unknown name is an error; the message suggests a similar one if there is one. Other options of a command, such as
`--name` and `--log-file`, are not settings: they are for the command line only. `--help` explains all flags of a program,
`-h` the usual ones.

The log goes to the standard error stream, or with `--log-file FILE` to the end of a file, where each line has the time
and the number of the process. At `--log-level info`, the default of a file, it has the commands, the first line of each
answer, and a line for each search with visits, time, value and the reason for its end. The standard output contains only
replies.

The most useful settings are `visits`, `time-per-move` (without limits a move takes two seconds; the first limit reached
ends the search), `level`, `threads`, `ponder`, `lag`, `model`, `device` and `memory-mib`; and `seed`, which with
`--threads 1` and `--visits` gives the same game every time.
"#;

fn root() -> &'static Path {
    Path::new(crate::REPOSITORY)
}

#[test]
fn the_page_of_settings_is_current() {
    let page = format!("{HOW}\n{NOTE}\n{}{}", settings(), plans());
    let path = root().join("docs/settings.md");
    if std::env::var_os("TENGEN_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, &page).expect("a writable folder");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page
        .lines()
        .zip(found.lines())
        .find(|(now, old)| now != old);
    assert!(
        found == page,
        "{path:?} is stale, first at {differs:?}; {NOTE}"
    );
}

/// Cells of one row, with characters escaped that would end a cell.
fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn settings() -> String {
    let mut page = String::new();
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
            let default = setting.default.clone() + &of_games(setting.name);
            let mut cells = vec![&*name, &setting.allowed, &default, meaning];
            cells.extend(has_sources.then_some(setting.source));
            page += &row(&cells);
        }
    }
    page
}

/// The defaults of games that have their own of a setting, as `; gomoku 400`.
fn of_games(setting: &str) -> String {
    let own = GAMES.iter().flat_map(|game| {
        let own = game.settings.iter().filter(|(name, _)| *name == setting);
        own.map(|(_, value)| format!("; {} {value}", game.name))
    });
    own.collect()
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

const TABLES: [(&str, Declared); 11] = [
    ("top level", Settings(CyclePlan::settings)),
    (
        "`[[board]]`",
        Struct("src/train/cycle/plan/tables.rs", "BoardShare", "board"),
    ),
    ("`[warm-up]`", Settings(WarmUp::settings)),
    ("`[[stage]]`", Settings(Stage::settings)),
    ("`[self-play]`", Settings(SelfPlay::settings)),
    (
        "`[self-play.komi]`, `[board.komi]`",
        Struct("src/train/play/settings.rs", "KomiSpread", "komi"),
    ),
    ("`[window]`", Settings(Window::settings)),
    ("`[fit]`", Settings(Fit::settings)),
    ("`[rating]`", Settings(Rating::settings)),
    ("`[gate]`", Settings(Gate::settings)),
    ("`[machines]`", Settings(MachineSettings::settings)),
];

/// Plans with their required keys only; the program fills in the defaults.
const EXAMPLE: &str = "board = [{ size = \"9\" }]\n";

/// The keys of a table of the example with defaults, and those of the example alone.
fn defaults(place: &str) -> (toml::Table, toml::Table) {
    let filled = |value: toml::Value| value.as_table().cloned().expect("a table");
    let plan = CyclePlan::parse(EXAMPLE).expect("a plan");
    let all = toml::Value::try_from(&plan).expect("a plan that can be written");
    let given = toml::from_str::<toml::Table>(EXAMPLE).expect("TOML");
    let part = |table: &toml::Table| match table.get(place) {
        Some(toml::Value::Array(list)) => filled(list[0].clone()),
        Some(value) => filled(value.clone()),
        None => toml::Table::new(),
    };
    (part(&filled(all)), part(&given))
}

fn plans() -> String {
    let mut page = String::from(
        "\n## Plans of `tengen-train loop`\n\nPlans are TOML files ([training](training.md)); an unknown key is an error. \
         Those of `[self-play]` and `[fit]` are flags of `selfplay` \
         and `fit`, too, with `on` and `off` for true and false, but for `search` (`--set` there), `int8`, `reuse` and \
         `catch-up`.\n",
    );
    for (heading, declared) in TABLES {
        let _ = write!(
            page,
            "\n### {heading}\n\n| key | values | default | meaning |\n|---|---|---|---|\n"
        );
        page += &match declared {
            Settings(settings) => settings().iter().map(setting_row).collect::<String>(),
            Struct(file, name, place) => struct_rows(file, name, place),
        };
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
