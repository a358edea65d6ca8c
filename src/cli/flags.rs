//! Flags that make an engine: those of the tables, `--config` and `--set`, in rising order of
//! precedence: configuration file, flags, `--set`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::error::Error as ClapError;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use tengen::clock::TimeParams;
use tengen::engine::{ENGINE_OPTIONS, EngineOptions, SWITCH};
use tengen::search::SearchParams;

const CONFIG: &str = "config";
const SET: &str = "set";

/// The flags as they were given.
#[derive(Debug, Default)]
pub(crate) struct EngineFlags {
    config: Option<PathBuf>,
    /// Name and value of each flag of the table.
    flags: Vec<(&'static str, String)>,
    /// Each `--set`, as `name=value`.
    sets: Vec<String>,
}

impl EngineFlags {
    /// The settings these flags make.
    pub(crate) fn resolve(&self) -> anyhow::Result<EngineOptions> {
        let mut options = EngineOptions::default();
        if let Some(path) = &self.config {
            let file = || format!("in {}", path.display());
            apply_file(&mut options, path).with_context(file)?;
        }
        for (name, value) in &self.flags {
            options.set(name, value)?;
        }
        for set in &self.sets {
            let Some((name, value)) = set.split_once('=') else {
                bail!("--set takes name=value, not {set:?}");
            };
            options.set(name.trim(), value.trim())?;
        }
        Ok(options)
    }
}

/// Takes over a TOML file of names and plain values.
fn apply_file(options: &mut EngineOptions, path: &Path) -> anyhow::Result<()> {
    let table: toml::Table = std::fs::read_to_string(path)?.parse()?;
    for (name, value) in table {
        let text = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(truth) => truth.to_string(),
            _ => bail!("{name} must be a plain value, not a table, a list or a date"),
        };
        options.set(&name, &text)?;
    }
    Ok(())
}

impl FromArgMatches for EngineFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, ClapError> {
        let mut flags = EngineFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), ClapError> {
        self.config = matches.get_one(CONFIG).cloned();
        let given = ENGINE_OPTIONS.iter().filter_map(|option| {
            let value = matches.get_one::<String>(option.name)?;
            Some((option.name, value.clone()))
        });
        self.flags = given.collect();
        self.sets = matches
            .get_many(SET)
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        Ok(())
    }
}

impl clap::Args for EngineFlags {
    fn augment_args(command: Command) -> Command {
        let table = ENGINE_OPTIONS.iter().map(|option| {
            let arg = Arg::new(option.name).long(option.name);
            let arg = arg.value_name(option.value).help(option.help);
            if option.value == SWITCH {
                arg.num_args(0..=1).default_missing_value("on")
            } else {
                arg
            }
        });
        let config = Arg::new(CONFIG)
            .long(CONFIG)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Settings as a TOML file: any of these flags, any setting of the search");
        let set = Arg::new(SET)
            .long(SET)
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .help("Any flag or setting of the search and the time manager; may be repeated")
            .long_help(set_help());
        command.args(table).arg(config).arg(set)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The table of search settings as help text.
fn set_help() -> String {
    let tables = SearchParams::table().into_iter().chain(TimeParams::table());
    let lines = tables.map(|param| {
        format!(
            "\n{} [default: {}; {}]\n    {}",
            param.name, param.default, param.range, param.help
        )
    });
    format!(
        "Any flag, or one of these settings of the search and of the time manager; may be repeated:\n{}",
        lines.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(flags: &[(&'static str, &str)], sets: &[&str]) -> EngineFlags {
        EngineFlags {
            config: None,
            flags: flags
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
        }
    }

    #[test]
    fn set_beats_flags_and_flags_beat_the_file() {
        let path = std::env::temp_dir().join(format!("tengen-flags-{}.toml", std::process::id()));
        std::fs::write(
            &path,
            "visits = 1\nthreads = 1\nseed = 1\nroot_noise = 0.25\n",
        )
        .expect("the folder is writable");
        let mut given = flags(&[("visits", "2"), ("threads", "2")], &["visits=3"]);
        given.config = Some(path.clone());
        let options = given.resolve();
        std::fs::remove_file(&path).expect("it is ours");
        let options = options.expect("all settings are right");
        assert_eq!(options.spending.visits, Some(3));
        assert_eq!((options.threads, options.seed), (Some(2), Some(1)));
        assert_eq!(options.search.root_noise, 0.25);
    }

    #[test]
    fn errors_say_what_to_do() {
        let check = |given: EngineFlags, part: &str| {
            let error = format!("{:#}", given.resolve().expect_err("it is wrong"));
            assert!(error.contains(part), "{error}");
        };
        check(flags(&[], &["visits"]), "name=value");
        check(flags(&[], &["visit=3"]), "visits");
        check(flags(&[("size", "0")], &[]), "9x7");
        let mut missing = flags(&[], &[]);
        missing.config = Some("/nowhere.toml".into());
        check(missing, "/nowhere.toml");
    }
}
