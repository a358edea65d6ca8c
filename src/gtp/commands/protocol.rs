//! Commands about the conversation itself.

use super::{Arguments, COMMANDS, find};
use crate::gtp::{Failure, Session};

pub(super) fn protocol_version(_: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    Ok("2".to_owned())
}

pub(super) fn name(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    Ok(session.options.name.clone())
}

pub(super) fn version(_: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    Ok(env!("CARGO_PKG_VERSION").to_owned())
}

pub(super) fn known_command(_: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    Ok(find(args.text(0)?).is_some().to_string())
}

pub(super) fn list_commands(_: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    Ok(names.join("\n"))
}

/// For people; programs read `list_commands`.
pub(super) fn help(_: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    if let Some(name) = args.optional(0) {
        let command = find(name).ok_or(Failure::UnknownCommand)?;
        return Ok(format!(
            "{} {}\n{}",
            command.name, command.arguments, command.help
        ));
    }
    let lines = COMMANDS.iter().map(|command| format!("\n{command}"));
    Ok(format!(
        "A game: play b E5, genmove w, showboard, undo, clear_board. All commands:{}",
        lines.collect::<String>()
    ))
}

pub(super) fn quit(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    session.end();
    Ok(String::new())
}

pub(super) fn kgs_rules(_: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    args.text(0).map(|_| String::new())
}

pub(super) fn kgs_game_over(session: &mut Session, _: &Arguments<'_>) -> Result<String, Failure> {
    session.engine.rest();
    Ok(String::new())
}
