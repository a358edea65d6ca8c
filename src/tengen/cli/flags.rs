//! Flags that configure an engine: those of the settings tables, which beat the file of `--config`.

use std::path::{Path, PathBuf};

use crate::engine::EngineOptions;
use crate::game::GameInfo;
use crate::games::{GAMES, usual_board};
use crate::program::{flag, given, with_note};
use crate::record::file;
use crate::settings::{Setting, Table as _};
use anyhow::{Context as _, bail, ensure};
use clap::error::Error as ClapError;
use clap::{Arg, ArgMatches, Command, FromArgMatches, value_parser};

const CONFIG: &str = "config";
/// Heading of the engine's own settings in help, below a subcommand's flags. The tables that are part
/// of them have a heading each, and only the long help lists them.
const HEADING: &str = "The engine's settings";
/// Title of the engine's own table.
const OWN: &str = "Engine";

/// The flags as given.
#[derive(Debug, Clone, Default)]
pub(crate) struct EngineFlags {
    config: Option<PathBuf>,
    /// Settings that are not taken from anywhere.
    ignored: Vec<&'static str>,
    /// Name and value of each flag of the table.
    flags: Vec<(&'static str, String)>,
    /// The same of what was set beside a level, of those that [are at full strength](EngineFlags::at_full_strength).
    pub(crate) beside_level: Vec<(&'static str, String)>,
}

/// The settings that a level consists of, and itself.
const OF_A_LEVEL: &[&str] = &[
    "level",
    "visits",
    "move-temperature",
    "move-temperature-halflife",
    "move-least-share",
    "solver-from",
    "probe-nodes",
];

impl EngineFlags {
    /// The settings of these flags, after checking that they are available here.
    pub(crate) fn resolve(&self) -> anyhow::Result<EngineOptions> {
        Ok(self.read()?.resolve()?)
    }

    /// The same flags without these settings, whether flags or the file name them.
    pub(crate) fn without(mut self, ignored: &[&'static str]) -> EngineFlags {
        self.ignored.extend(ignored);
        self
    }

    /// The same flags without their level, and apart from them what they and the file set beside it.
    ///
    /// # Errors
    /// As [`EngineFlags::read`].
    pub(crate) fn at_full_strength(mut self) -> anyhow::Result<EngineFlags> {
        let options = self.read()?;
        let mut level = options.clone();
        level.set("level", &options.level.to_string())?;
        let usual = level.values();
        let own = options.values().into_iter();
        self.beside_level = own.filter(|own| !usual.contains(own)).collect();
        Ok(self.without(OF_A_LEVEL))
    }

    /// The same flags for a judgement: it is at full strength, also where the file names a level, and not drawn.
    pub(crate) fn for_judging(self) -> EngineFlags {
        self.without(&["level", "move-temperature"])
    }

    /// The value of a flag that was given.
    pub(crate) fn given(&self, flag: &str) -> Option<String> {
        let found = self.flags.iter().find(|(name, _)| *name == flag);
        found.map(|(_, value)| value.clone())
    }

    /// The settings of these flags, without checking availability.
    pub(crate) fn read(&self) -> anyhow::Result<EngineOptions> {
        self.read_for(None)
    }

    /// The same for a game chosen later: what flags and file say of another game, including its network, does not apply
    /// to it.
    pub(crate) fn read_as(&self, game: &str) -> anyhow::Result<EngineOptions> {
        let usual = self.read()?;
        if usual.game == game {
            return Ok(usual);
        }
        const OF_A_GAME: [&str; 6] = ["game", "size", "rules", "model", "human-profile", "book"];
        self.clone().without(&OF_A_GAME).read_for(Some(game))
    }

    /// The same with another default game.
    pub(crate) fn read_for(&self, usual: Option<&str>) -> anyhow::Result<EngineOptions> {
        let file = match &self.config {
            Some(path) => read_file(path).with_context(|| format!("in {}", path.display()))?,
            None => Vec::new(),
        };
        let is_kept = |name: &str| !self.ignored.contains(&&*name.replace('_', "-"));
        let file: Vec<_> = file.iter().filter(|(name, _)| is_kept(name)).collect();
        let flags: Vec<_> = self.flags.iter().filter(|own| is_kept(own.0)).collect();
        // The game first: its defaults give way to everything given, in any order.
        let of_flags = flags.iter().find(|(name, _)| *name == "game");
        let of_file = || file.iter().find(|(name, _)| name == "game");
        let game = of_flags.map(|(_, game)| game);
        let game = game.or_else(|| of_file().map(|(_, game)| game));
        let game = game.map(String::as_str).or(usual);
        let mut options = EngineOptions::of(game.unwrap_or(GAMES[0].name))?;
        for (name, value) in file.iter().filter(|(name, _)| name != "game") {
            let place = || match &self.config {
                Some(path) => format!("in {}", path.display()),
                None => String::new(),
            };
            let set = options.set(name, value).with_context(place);
            let hyphenated = name.replace('_', "-");
            ensure!(
                set.is_ok() || !ONLY_FLAGS.contains(&&*hyphenated),
                "{}: {name} is for the command line only: --{hyphenated}",
                place()
            );
            set?;
        }
        for (name, value) in flags.iter().filter(|(name, _)| *name != "game") {
            options.set(name, value)?;
        }
        Ok(options)
    }
}

/// Flags that are no settings of an engine.
const ONLY_FLAGS: [&str; 8] = [
    "files",
    "live-board",
    "live-graphics",
    "log-file",
    "log-level",
    "name",
    "read-only-files",
    "winrates-as",
];

/// Reads a TOML file of names and plain values.
fn read_file(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let text = file::read_text(path)?;
    let table: toml::Table = text.parse().map_err(|error| syntax(&text, &error))?;
    let plain = |(name, value)| {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(truth) => truth.to_string(),
            _ => bail!("{name} must be a plain value, not a table, a list or a date"),
        };
        Ok((name, text))
    };
    table.into_iter().map(plain).collect()
}

/// A TOML error in one line.
fn syntax(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.bytes().take(start);
    let line = 1 + before.filter(|&byte| byte == b'\n').count();
    anyhow::anyhow!("line {line}: {}", error.message())
}

impl FromArgMatches for EngineFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, ClapError> {
        let mut flags = EngineFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), ClapError> {
        self.config = matches.get_one(CONFIG).cloned();
        self.flags = given(&EngineOptions::settings(), matches);
        Ok(())
    }
}

impl clap::Args for EngineFlags {
    fn augment_args(command: Command) -> Command {
        let table = EngineOptions::settings();
        let flags = table.iter().map(engine_flag);
        let config = Arg::new(CONFIG)
            .long(CONFIG)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Settings as a TOML file: any of these flags, with its value");
        let of_rules =
            |_: &str| Err::<String, _>("it is part of the rules: --rules \"chinese komi 7.5\"");
        let komi = Arg::new("komi")
            .long("komi")
            .hide(true)
            .value_parser(of_rules);
        command
            .args(flags)
            .arg(config.help_heading(HEADING))
            .arg(komi)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Settings of moves from a book, of play at a level or under a clock, and of pondering and resigning.
const OF_PLAY: [&str; 16] = [
    "book",
    "book-variety",
    "lag",
    "level",
    "move-least-share",
    "move-temperature",
    "move-temperature-halflife",
    "playouts-per-second",
    "ponder",
    "resign-below",
    "time-credit",
    "time-extend",
    "time-overtake",
    "time-reserve",
    "time-rise",
    "time-takeover",
];

/// The flag as it is, unless it is one of those that its command does not use: they are errors, and hidden in
/// help.
pub(crate) fn refused(unused: &[&str], flag: Arg) -> Arg {
    if !unused.contains(&flag.get_id().as_str()) {
        return flag;
    }
    let refuse = |_: &str| Err::<String, _>("this command does not use it: leave it out");
    flag.hide(true).value_parser(refuse)
}

/// The flag of a command that plays no games.
pub(crate) fn without_play(flag: Arg) -> Arg {
    refused(&OF_PLAY, flag)
}

/// The flag of a command whose usual game is Go, as [`EngineFlags::read_for`] reads it.
pub(crate) fn of_go(flag: Arg) -> Arg {
    let board = format!("for go {}", usual_board("go").width);
    reworded("for nogo 9", &board, with_default("nogo", "go", flag))
}

/// The flag, with another default in its help.
pub(crate) fn with_default(usual: &str, own: &str, flag: Arg) -> Arg {
    let [usual, own] = [usual, own].map(|name| format!("[default: {name}]"));
    reworded(&usual, &own, flag)
}

fn reworded(usual: &str, own: &str, flag: Arg) -> Arg {
    let help = flag.get_help().map(ToString::to_string);
    match help.filter(|help| help.contains(usual)) {
        Some(help) => flag.help(help.replace(usual, own)),
        None => flag,
    }
}

/// The flag of a command that searches with this many visits, unless it is told otherwise.
pub(crate) fn with_visits(visits: u64, flag: Arg) -> Arg {
    match flag.get_id() == "visits" {
        true => flag.help(format!(
            "Visits per search, where no time per move limits it [default: {visits}]"
        )),
        false => flag,
    }
}

/// The flag of a setting, with the defaults of games that have their own, as ` [gomoku: 400]`.
fn engine_flag(setting: &Setting) -> Arg {
    let of_game = |game: &GameInfo| {
        let mut own = game.settings.iter();
        let (_, value) = own.find(|(name, _)| *name == setting.name)?;
        Some(format!(" [{}: {value}]", game.name))
    };
    let usual: String = GAMES.iter().filter_map(of_game).collect();
    let is_own = setting.title == OWN;
    let heading = if is_own { HEADING } else { setting.title };
    with_note(flag(setting), &usual)
        .help_heading(heading)
        .hide_short_help(!is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(flags: &[(&'static str, &str)]) -> EngineFlags {
        let flags = flags
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        EngineFlags {
            flags: flags.collect(),
            ..EngineFlags::default()
        }
    }

    #[test]
    fn settings_can_be_left_out() {
        let given = flags(&[
            ("level", "3"),
            ("threads", "2"),
            ("visits", "3"),
            ("move-temperature", "1"),
        ]);
        assert_eq!(given.resolve().expect("right").level, 3.0);
        let judging = given.clone().for_judging().resolve().expect("right");
        let drawn = judging.search.move_temperature;
        assert_eq!((judging.level, judging.visits, drawn), (12.0, Some(3), 0.0));
        let full = given.at_full_strength().expect("right");
        let beside = [("visits", "3"), ("move-temperature", "1")];
        let beside = beside.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(full.beside_level, beside, "no threads");
        let options = full.resolve().expect("right");
        let usual = EngineOptions::default();
        assert_eq!((options.level, options.visits), (usual.level, usual.visits));
        assert_eq!(
            options.search.move_temperature,
            usual.search.move_temperature
        );
        assert_eq!(options.threads, Some(2));
    }

    #[test]
    fn flags_beat_the_file() {
        let path = std::env::temp_dir().join(format!("tengen-flags-{}.toml", std::process::id()));
        std::fs::write(
            &path,
            "visits = 1\nthreads = 1\nseed = 1\nroot_noise = 0.25\nroot-fpu-reduction = 0.5\n",
        )
        .expect("the folder is writable");
        let mut given = flags(&[("visits", "2"), ("threads", "2")]);
        given.config = Some(path.clone());
        let options = given.resolve();
        std::fs::remove_file(&path).expect("it is ours");
        let options = options.expect("all settings are right");
        assert_eq!(options.visits, Some(2));
        assert_eq!((options.threads, options.seed), (Some(2), Some(1)));
        let search = options.search;
        assert_eq!((search.root_noise, search.root_fpu_reduction), (0.25, 0.5));
    }

    #[test]
    fn a_game_chosen_later_takes_nothing_of_the_one_in_the_file() {
        let path = std::env::temp_dir().join(format!("tengen-later-{}.toml", std::process::id()));
        let file = "game = \"gomoku\"\nsize = 19\nrules = \"renju\"\ncpuct = 1.5\n";
        std::fs::write(&path, file).expect("the folder is writable");
        let mut given = flags(&[("book", "none.book")]);
        given.config = Some(path.clone());
        let options = given.read_as("nogo");
        std::fs::remove_file(&path).expect("it is ours");
        let mut usual = EngineOptions::of("nogo").expect("a game");
        usual.set("cpuct", "1.5").expect("a setting");
        assert_eq!(options.expect("all settings are right"), usual);
    }

    #[test]
    fn the_help_names_the_values_that_games_begin_with() {
        let command = <EngineFlags as clap::Args>::augment_args(Command::new("tengen"));
        let mut command = command.term_width(0);
        let help = command.render_long_help().to_string();
        let (_, after) = help.split_once("--solver-from").expect("a flag");
        let (about, _) = after.split_once("--solver-mib").expect("the next flag");
        assert!(about.contains("[default: 36] [gomoku: 400]"), "{about}");
        for game in GAMES {
            for (name, value) in game.settings {
                let words = format!("[{}: {value}]", game.name);
                assert!(help.contains(&words), "{name}: no {words} in {help}");
            }
        }
    }

    #[test]
    fn errors_say_what_to_do() {
        let command = <EngineFlags as clap::Args>::augment_args(Command::new("tengen"));
        let refused = command.try_get_matches_from(["tengen", "--komi", "7.5"]);
        let refused = refused.expect_err("no flag").to_string();
        assert!(refused.contains("--rules \"chinese komi"), "{refused}");
        let check = |given: EngineFlags, part: &str| {
            let error = format!("{:#}", given.resolve().expect_err("it is wrong"));
            assert!(error.contains(part), "{error}");
        };
        check(flags(&[("size", "0")]), "9x7");
        let mut missing = flags(&[]);
        missing.config = Some("/nowhere.toml".into());
        check(missing, "/nowhere.toml");
    }
}
