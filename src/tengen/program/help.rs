//! The short help that `-h` shows, a page that fits on a screen while `--help` has everything; and manual pages.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use clap::{Arg, Command};

/// Flags of a command beyond which `-h` shows only the usual ones.
const MAX_FLAGS: usize = 15;

/// The usual flags of all commands that have many.
const USUAL: &str = "agreement backend batch book concurrency config data device elo0 elo1 engine epochs fit-device first game games \
    held-out hours html komi learning-rate level live-board main-time model name net open openings opponent out pairs \
    parameter ponder port positions records rules second sgf size start-from steps threads throughput time \
    time-per-move visits";

/// Characters of a flag's text that fit beside its name.
const LENGTH: usize = 54;

/// Characters of a sentence's beginning that is a text of its own.
const MIN_LENGTH: usize = 15;

/// Gives the command and those below it a short help beside the long one.
pub(super) fn with_short_help(command: Command) -> Command {
    let is_shown = |arg: &&Arg| !arg.is_positional() && !arg.is_hide_short_help_set();
    let has_many = command.get_arguments().filter(is_shown).count() > MAX_FLAGS;
    let command = command.mut_args(|arg| {
        let text = arg.get_long_help().or(arg.get_help());
        let text = text.map(ToString::to_string).unwrap_or_default();
        let name = arg.get_id().as_str().replace('_', "-");
        let is_usual = USUAL.split(' ').any(|usual| usual == name);
        let is_rare = has_many && !is_usual && !arg.is_required_set() && !arg.is_positional();
        let hides = is_rare || arg.is_hide_short_help_set();
        arg.help(beginning(&text))
            .long_help(text)
            .hide_short_help(hides)
    });
    command.mut_subcommands(with_short_help)
}

/// The beginning of a flag's text that says what it is, with its default.
fn beginning(text: &str) -> String {
    let (prose, notes) = text.split_once(" [").unwrap_or((text, ""));
    let default = notes.split_once("default: ").map(|(_, default)| default);
    let default = default.and_then(|default| default.split_once(']'));
    let default = default.map(|(default, _)| format!(" [default: {default}]"));
    let default = default.filter(|default| default.len() < LENGTH / 2);
    let room = LENGTH - default.as_ref().map_or(0, String::len);
    let mut prose = prose.trim_end_matches('.');
    // The longest beginning up to the end of a clause, else up to a bracket or a comma; if none fits, the shortest.
    let mut shortest = prose.len();
    for ends in [&[". ", "; ", ": "][..], &[" ("], &[", "]] {
        if prose.len() <= room {
            break;
        }
        let places = ends.iter().flat_map(|end| prose.match_indices(end));
        let places = places.map(|(at, _)| at).filter(|&at| at >= MIN_LENGTH);
        shortest = places.clone().fold(shortest, usize::min);
        if let Some(at) = places.filter(|&at| at <= room).max() {
            prose = &prose[..at];
        }
    }
    if prose.len() > room {
        prose = &prose[..shortest];
    }
    format!("{prose}{}", default.unwrap_or_default())
}

/// Writes `NAME.1` and a page for each subcommand that help lists, `NAME-SUBCOMMAND.1`, into a folder.
///
/// # Errors
/// If the folder, which is named, cannot be made or written to.
pub fn man_pages(command: Command, folder: &Path) -> io::Result<()> {
    write_man_pages(command, folder).map_err(|error| {
        let text = format!("no manual pages in {}: {error}", folder.display());
        io::Error::new(error.kind(), text)
    })
}

fn write_man_pages(command: Command, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let name = command.get_name().to_owned();
    let command = with_version(command.disable_help_subcommand(true));
    clap_mangen::generate_to(command, folder)?;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if file.starts_with(&name) && file.ends_with(".1") {
            let page = std::fs::read_to_string(&path)?;
            std::fs::write(&path, with_examples(&page))?;
        }
    }
    Ok(())
}

/// The pages of subcommands name the version, too, without a flag for it.
fn with_version(command: Command) -> Command {
    command.mut_subcommands(|part| {
        let part = part.version(env!("CARGO_PKG_VERSION"));
        with_version(part.disable_version_flag(true))
    })
}

/// The page with the text below the flags, such as examples, under a heading that means something, and its lines as
/// they are.
fn with_examples(page: &str) -> String {
    page.replace(".SH EXTRA\n", ".SH NOTES\n.nf\n")
}

#[cfg(test)]
mod tests {
    use tengen_nn::files::scratch::Scratch;

    use super::*;

    #[test]
    fn a_text_is_cut_where_it_makes_sense() {
        for (text, short) in [
            (
                "Search threads [values: from 1] [default: 2]",
                "Search threads [default: 2]",
            ),
            (
                "Visits per search. Without visits, time per move and clock a move takes 2 seconds \
                 [values: a whole number from 1] [default: none]",
                "Visits per search [default: none]",
            ),
            (
                "The network, an ONNX file or, for Go, one of KataGo's (.bin.gz, .txt.gz), or one more",
                "The network, an ONNX file or, for Go, one of KataGo's",
            ),
            (
                "Measure play on the solved positions of a set made by `tengen-lab endings`: how often a won \
                 position stays won [default: 400 visits]",
                "Measure play on the solved positions of a set made by `tengen-lab endings` [default: 400 visits]",
            ),
            ("A flag.", "A flag"),
            ("", ""),
        ] {
            assert_eq!(beginning(text), short);
        }
    }

    #[test]
    fn only_commands_with_many_flags_leave_some_out() {
        let flag = |name: &'static str| Arg::new(name).long(name).help("A flag");
        let few = Command::new("few").args(["game", "rare"].map(flag));
        let names = [
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "game", "rare",
        ];
        let many = Command::new("many").args(names.map(flag));
        let mut command = with_short_help(Command::new("p").subcommands([few, many]));
        let mut help = |name: &str| {
            let command = command.find_subcommand_mut(name).unwrap();
            (
                command.render_help().to_string(),
                command.render_long_help().to_string(),
            )
        };
        let (short, _) = help("few");
        assert!(short.contains("--rare"), "{short}");
        let (short, long) = help("many");
        assert!(
            short.contains("--game") && !short.contains("--rare"),
            "{short}"
        );
        assert!(long.contains("--rare"), "{long}");
    }

    #[test]
    fn pages_of_subcommands_name_the_version_and_errors_the_folder() {
        let scratch = Scratch::new("man");
        let folder = scratch.path().join("man");
        let command = || {
            Command::new("p")
                .version("9")
                .subcommand(Command::new("sub"))
        };
        man_pages(command(), &folder).unwrap();
        let page = std::fs::read_to_string(folder.join("p-sub.1")).unwrap();
        let version = concat!("v", env!("CARGO_PKG_VERSION"));
        assert!(
            page.contains(version) && !page.contains("version\\"),
            "{page}"
        );
        let file = folder.join("p.1");
        let error = man_pages(command(), &file).unwrap_err().to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
    }
}
