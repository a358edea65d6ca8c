//! The settings of a table as flags.

use std::marker::PhantomData;

use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::settings::{Setting, Table};

/// The flag of a setting. Its help says what is allowed, and ends with the default.
pub fn flag(setting: &Setting) -> Arg {
    let help = setting.help.trim_end_matches('.');
    let (allowed, default) = (&setting.allowed, &setting.default);
    let arg = Arg::new(setting.name)
        .long(setting.name)
        .value_name(setting.placeholder)
        .help(format!("{help} [values: {allowed}] [default: {default}]"));
    match setting.is_switch() {
        true => arg.num_args(0..=1).default_missing_value("on"),
        false => arg,
    }
}

/// A flag with this at the end of its help.
pub fn with_note(flag: Arg, note: &str) -> Arg {
    let help = flag.get_help().map(ToString::to_string);
    flag.help(help.unwrap_or_default() + note)
}

/// Name and text of each of these settings that was given as a flag.
pub fn given(settings: &[Setting], matches: &ArgMatches) -> Vec<(&'static str, String)> {
    let text = |setting: &Setting| {
        // Commands may leave a setting out.
        let found = matches.try_get_one::<String>(setting.name).ok().flatten();
        Some((setting.name, found?.clone()))
    };
    settings.iter().filter_map(text).collect()
}

/// Which settings of a table are flags of a command.
pub trait FlagSet {
    /// Whether this one is.
    fn has(name: &str) -> bool;
}

/// A table's selected settings as flags of a command; the others keep their defaults.
#[derive(Debug, Clone)]
pub struct Flags<T, S> {
    /// All settings.
    pub settings: T,
    set: PhantomData<S>,
}

impl<T: Table, S: FlagSet> FromArgMatches for Flags<T, S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut flags = Flags {
            settings: T::default(),
            set: PhantomData,
        };
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for (name, value) in given(&T::settings(), matches) {
            let refused = |error| Error::raw(ErrorKind::ValueValidation, format!("--{error}\n"));
            self.settings.set(name, &value).map_err(refused)?;
        }
        Ok(())
    }
}

impl<T: Table, S: FlagSet> Args for Flags<T, S> {
    fn augment_args(command: Command) -> Command {
        let settings = T::settings().into_iter();
        let selected = settings.filter(|setting| S::has(setting.name));
        command.args(selected.map(|setting| flag(&setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "the macro is for public types")]
mod tests {
    use super::*;
    use crate::settings::Switch;

    crate::settings! {
        /// A table.
        #[derive(Debug)]
        Example, "Example" {
            long_name: u8 = 3, 1..=5, "A number.";
            shown: bool = false, Switch, "A switch.";
            left_out: u8 = 1, .., "No flag.";
        }
    }

    #[derive(Debug)]
    struct Two;

    impl FlagSet for Two {
        fn has(name: &str) -> bool {
            name != "left-out"
        }
    }

    fn command() -> Command {
        Flags::<Example, Two>::augment_args(Command::new("example").no_binary_name(true))
    }

    fn read(args: &[&str]) -> Result<Flags<Example, Two>, Error> {
        Flags::from_arg_matches(&command().try_get_matches_from(args)?)
    }

    #[test]
    fn selected_settings_are_flags() {
        let flags = read(&["--shown", "--long-name", "4"]).expect("flags");
        let Example {
            long_name,
            shown,
            left_out,
        } = flags.settings;
        assert_eq!((long_name, shown, left_out), (4, true, 1));
        let flags = read(&["--shown", "off"]).expect("flags");
        assert!(!flags.settings.shown);
        assert!(read(&["--left-out", "2"]).is_err());
    }

    #[test]
    fn help_and_refusals_say_what_is_allowed() {
        let help = command().term_width(0).render_help().to_string();
        let line = "A number [values: a whole number from 1 to 5] [default: 3]";
        assert!(help.contains(line), "{help}");
        let error = read(&["--long-name", "6"]).expect_err("it is out of range");
        let message = "--long-name must be a whole number from 1 to 5, not \"6\"";
        assert!(error.to_string().contains(message), "{error}");
    }
}
