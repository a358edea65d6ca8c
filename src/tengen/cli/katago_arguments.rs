//! KataGo's own arguments, with one dash, so that a program that starts KataGo can start this one in its place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::engine::{Backend, EngineOptions};
use crate::gtp::Perspective;
use clap::Args;
use tengen_nn::eval::{BackendKind, HumanProfile};

use super::flags::EngineFlags;
use super::output;

/// The flags that [`arguments`] makes of them.
#[derive(Debug, Default, Args)]
pub(super) struct KatagoArguments {
    /// The network of -model: where it cannot be used, the built-in one plays.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "model")]
    katago_model: Option<PathBuf>,
    /// The network of -human-model, which imitates people.
    #[arg(long, value_name = "FILE", hide = true)]
    katago_human_model: Option<PathBuf>,
    /// The settings of -override-config.
    #[arg(long, value_name = "NAME=VALUE,...", hide = true)]
    katago_override: Vec<String>,
    /// An argument without effect here.
    #[arg(long, value_name = "TEXT", hide = true)]
    katago: Vec<String>,
}

/// KataGo's names of settings that an engine has, too.
const SETTINGS: [(&str, &str); 7] = [
    ("humanSLProfile", "human-profile"),
    ("maxVisits", "visits"),
    ("maxTime", "time-per-move"),
    ("lagBuffer", "lag"),
    ("ponderingEnabled", "ponder"),
    ("numSearchThreads", "threads"),
    ("numSearchThreadsPerAnalysisThread", "threads"),
];

/// KataGo's settings of searches that sessions over GTP and queries have, too.
pub(super) const OF_SEARCHES: [&str; 4] = [
    "wideRootNoise",
    "rootPolicyTemperature",
    "playoutDoublingAdvantage",
    "playoutDoublingAdvantagePla",
];

/// KataGo's setting in the place of --winrates-as.
const WINRATES: &str = "reportAnalysisWinratesAs";

/// Players by whom a network that imitates people is tried out: amateurs of 1 kyu.
const TRIED_PROFILE: HumanProfile = HumanProfile::Amateurs {
    rank: 10,
    early: false,
};

/// A time from which KataGo's settings mean none, in seconds.
const NO_LIMIT: f64 = 1e9;

impl KatagoArguments {
    /// Whether the program was started in KataGo's place.
    pub(super) fn are_given(&self) -> bool {
        self.katago_model.is_some()
            || self.katago_human_model.is_some()
            || !self.katago_override.is_empty()
            || !self.katago.is_empty()
    }

    /// The value of one of KataGo's settings that a subcommand has a flag for.
    pub(super) fn setting(&self, name: &str) -> Option<&str> {
        let mut settings = self.overrides().filter(|(its, _)| *its == name);
        settings.next_back().map(|(_, value)| value)
    }

    /// The perspective of reported values, by KataGo's setting or else by this flag.
    pub(super) fn perspective(&self, winrates_as: &str) -> anyhow::Result<Perspective> {
        let side = self.setting(WINRATES).unwrap_or(winrates_as);
        let wrong = |known| anyhow::anyhow!("--winrates-as must be {known}");
        side.parse().map_err(wrong)
    }

    /// KataGo's settings of these names, later ones after earlier ones.
    pub(super) fn settings<'a>(
        &'a self,
        names: &'a [&str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.overrides()
            .filter(move |(name, _)| names.contains(name))
    }

    fn overrides(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        let all = self.katago_override.iter();
        let all = all.flat_map(|list| list.split(','));
        let all = all.filter_map(|setting| setting.split_once('='));
        let all = all.map(|(name, value)| (name.trim(), value.trim()));
        // An empty value, by which KataGo drops one of its file, is none.
        all.filter(|(_, value)| !value.is_empty())
    }

    /// The engine's settings for Go, unless the flags name another game, and the backend by which a named network was
    /// loaded. `known` are the settings that only the subcommand reads. What has no effect is told: programs that
    /// start KataGo name its network and settings of their own, and cannot leave them out.
    pub(super) fn options(
        &self,
        flags: &EngineFlags,
        known: &[&str],
    ) -> anyhow::Result<(EngineOptions, Option<BackendKind>)> {
        let mut options = flags.read_for(Some("go"))?;
        for unused in &self.katago {
            tell_ignored(unused);
        }
        for (name, value) in self.overrides() {
            let ours = SETTINGS.iter().find(|(its, _)| *its == name);
            let unlimited = || value.parse().is_ok_and(|number: f64| number >= NO_LIMIT);
            match ours {
                Some(_) if unlimited() => {}
                // It is for that network, which each query tells whom to imitate.
                Some(("humanSLProfile", _)) if self.katago_human_model.is_some() => {
                    tell_ignored(&format!("-override-config {name}={value}"));
                }
                // KataGo reads truths in any case.
                Some((_, ours)) => options.set(ours, &value.to_lowercase())?,
                None if name == WINRATES || known.contains(&name) => {}
                None => tell_ignored(&format!("-override-config {name}={value}")),
            }
        }
        let Some(model) = &self.katago_model else {
            return Ok(options.resolve_with_backend()?);
        };
        let with_model = EngineOptions {
            model: Some(model.clone()),
            ..options.clone()
        };
        match with_model.resolve_with_backend() {
            // KaTrain shows lines with the word error.
            Err(error) if !is_our_own(model) => {
                let file = model.display();
                let why = format!("error: {error}; the built-in network plays");
                tell_ignored(&format!("-model {file}: {why}"));
                Ok(options.resolve_with_backend()?)
            }
            resolved => Ok(resolved?),
        }
    }

    /// For a subcommand that has no use for a second network.
    pub(super) fn tell_of_imitator(&self) {
        if let Some(model) = &self.katago_human_model {
            let file = model.display();
            tell_ignored(&format!(
                "-human-model {file}: to play as people do, use --model {file} --human-profile rank_5k"
            ));
        }
    }

    /// The settings of an engine for Go with the network of -human-model, and its name; `None` where there is none or it
    /// cannot be used, which is told.
    pub(super) fn imitator(&self, options: &EngineOptions) -> Option<(EngineOptions, String)> {
        let model = self.katago_human_model.as_ref()?;
        let options = EngineOptions {
            model: Some(model.clone()),
            backend: Backend::Auto,
            // To try it out: a query names its own.
            human_profile: Some(TRIED_PROFILE),
            ..options.clone()
        };
        let opened = options.clone().resolve_with_backend();
        let error = match opened.map(|(options, loaded)| output::network(&options, loaded)) {
            Ok(Some(name)) => return Some((options, name)),
            Ok(None) => "it is not for this board".to_owned(),
            Err(error) => error.to_string(),
        };
        let file = model.display();
        tell_ignored(&format!(
            "-human-model {file}: error: {error}; no human player is imitated"
        ));
        None
    }
}

/// Whether a file is there and can only be meant for this program.
fn is_our_own(model: &Path) -> bool {
    model.extension().is_some_and(|found| found == "onnx") && model.exists()
}

fn tell_ignored(what: &str) {
    output::tell(&format!("Ignored arguments of KataGo: {what}"));
}

/// The arguments of `tengen`, with KataGo's single-dash ones converted to ours.
pub(super) fn arguments(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut given = given.into_iter();
    let mut ours: Vec<OsString> = given.by_ref().take(2).collect();
    let speaks_katago = |subcommand: &OsString| subcommand == "analysis" || subcommand == "gtp";
    if !ours.get(1).is_some_and(speaks_katago) {
        ours.extend(given);
        return ours;
    }
    while let Some(argument) = given.next() {
        let name = match argument.to_str() {
            Some(name @ ("-quit-without-waiting" | "-analysis-threads")) => {
                ours.push(format!("-{name}").into());
                continue;
            }
            Some(
                name @ ("-model" | "-config" | "-override-config" | "-override-version"
                | "-human-model"),
            ) => &name[1..],
            _ => {
                ours.push(argument);
                continue;
            }
        };
        let value = given.next().unwrap_or_default();
        let is_settings = || {
            Path::new(&value)
                .extension()
                .is_some_and(|kind| kind == "toml")
        };
        match name {
            _ if value.is_empty() => ours.push(format!("--katago=-{name} without a value").into()),
            "model" | "human-model" => ours.extend([format!("--katago-{name}").into(), value]),
            "override-config" => ours.extend(["--katago-override".into(), value]),
            "override-version" => {
                let version = value.to_string_lossy();
                ours.push(format!("--katago=-{name} {version}").into());
            }
            _ if is_settings() => ours.extend(["--config".into(), value]),
            _ => {
                let file = value.to_string_lossy();
                let why = "KataGo's settings are for KataGo";
                ours.push(format!("--katago=-{name} {file}: {why}").into());
            }
        }
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Color;

    #[test]
    fn katagos_arguments_are_taken() {
        let check = |given: &str, expected: &[&str]| {
            let words = given.split('|').filter(|word| !word.is_empty());
            let given = ["tengen"].into_iter().chain(words).map(OsString::from);
            let expected: Vec<OsString> = ["tengen"]
                .iter()
                .chain(expected)
                .map(OsString::from)
                .collect();
            assert_eq!(arguments(given), expected);
        };
        for subcommand in ["analysis", "gtp"] {
            check(
                &format!("{subcommand}|-model|b18.bin.gz|-config|a b.cfg|-override-config|a=1,b=2"),
                &[
                    subcommand,
                    "--katago-model",
                    "b18.bin.gz",
                    "--katago=-config a b.cfg: KataGo's settings are for KataGo",
                    "--katago-override",
                    "a=1,b=2",
                ],
            );
            check(
                &format!("{subcommand}|-model|go.onnx|-config|mine.toml|--visits|7"),
                &[
                    subcommand,
                    "--katago-model",
                    "go.onnx",
                    "--config",
                    "mine.toml",
                    "--visits",
                    "7",
                ],
            );
            check(
                &format!("{subcommand}|-override-version|0.17"),
                &[subcommand, "--katago=-override-version 0.17"],
            );
            check(
                &format!("{subcommand}|-model"),
                &[subcommand, "--katago=-model without a value"],
            );
        }
        check(
            "analysis|-analysis-threads|3|-quit-without-waiting",
            &[
                "analysis",
                "--analysis-threads",
                "3",
                "--quit-without-waiting",
            ],
        );
        check("solve|-model|x", &["solve", "-model", "x"]);
        check("", &[]);
    }

    #[test]
    fn overriding_settings_are_ours_where_they_can_be() {
        let katago = KatagoArguments {
            katago_override: vec![
                "maxVisits=50, maxTime=1e20,homeDataDir=/x,ponderingEnabled=True".to_owned(),
                "reportAnalysisWinratesAs=WHITE,maxVisits=60".to_owned(),
                // LizGoban has this one.
                "humanSLProfile=, numSearchThreads = ".to_owned(),
            ],
            ..KatagoArguments::default()
        };
        let perspective = katago.perspective("BLACK").expect("a side");
        assert_eq!(perspective, Perspective::Side(Color::White));
        assert_eq!(katago.setting("homeDataDirs"), None);
        let visits: Vec<_> = katago.settings(&["maxVisits"]).collect();
        assert_eq!(visits, [("maxVisits", "50"), ("maxVisits", "60")]);
        let (options, _) = katago.options(&EngineFlags::default(), &[]).expect("fine");
        assert_eq!((&*options.game, options.visits), ("go", Some(60)));
        assert_eq!((options.time_per_move, options.ponder), (None, true));
        assert_eq!((options.human_profile, options.threads), (None, None));
    }
}
