//! The command table, the commands about it, and the execution of requests by it.

mod analyze;
mod board;
mod clock;
mod command;
mod files;
mod gogui;
mod opening;
mod settings;
mod views;

pub use command::Command;
pub(super) use command::{Arguments, truth};
pub use opening::fixed_points as fixed_handicap_points;
pub(super) use settings::set_rule;

use std::sync::Arc;

use super::board::show;
use super::line::{LONGEST, parse_line, reply, too_long};
use super::numbers::Dialect::{Cgos, Kata, Leela};
use super::session::KATAGO_VERSION;
use super::{Failure, Input, Interrupts, Protocol, Reply, Request, Session};
use crate::clock::KATA_SYSTEMS;
use crate::engine::MoveKind;
use crate::game::HalfPoints;
use command::{Run, Shown, command, counts_points, is_go, is_not_go, stream};
use views::Label;

/// Every command, in the order in which `list_commands` names them.
#[rustfmt::skip]
pub const COMMANDS: &[Command] = &[
    command("protocol_version", "", "the version of GTP: 2", |_, _| text("2")),
    command("name", "", "the program's name", |session, _| text(&session.options.name)),
    command("version", "", "the program's version; KataGo's, if the name is KataGo", version),
    command("known_command", "NAME", "whether this command exists", known_command),
    command("list_commands", "", "the names of all commands", list_commands),
    command("help", "[COMMAND]", "describe all commands, or one", help),
    command("quit", "", "end the program", |_, _| text("")),
    command("boardsize", "WIDTH [HEIGHT]", "new game on a board that is square without HEIGHT", board::boardsize),
    command("rectangular_boardsize", "WIDTH HEIGHT", "new game on any board", board::rectangular_boardsize),
    command("clear_board", "", "new game; komi and time settings stay", |session, _| { session.engine.clear(); text("") }),
    command("komi", "POINTS", "set komi; NoGo only records it", board::komi),
    command("get_komi", "", "the komi", |session, _| text(session.engine.record().komi.map_or(0.0, HalfPoints::points))),
    command("play", "COLOUR VERTEX", "play for either colour, also twice in a row", board::play),
    command("undo", "", "undo the last move", |session, _| { session.engine.undo()?; text("") }),
    command("gg-undo", "N", "undo this many moves, or none", gogui::undo_several),
    command("play_sequence", "COLOUR VERTEX ...", "play all of these moves, or none", gogui::play_sequence),
    command("genmove", "COLOUR", "choose and play a move; resign without a legal one", board::genmove),
    command("reg_genmove", "COLOUR", "choose a move without playing it", board::reg_genmove),
    command("kata-search", "COLOUR", "the same by KataGo's name", board::reg_genmove),
    command("kata-search_cancellable", "COLOUR", "the same until there is input: then the answer is cancelled", board::cancellable),
    command("clear_cache", "", "forget what earlier searches have found", |session, _| { session.engine.forget(); text("") }),
    command("tengen-report", "", "the last search: visits, playouts, value for the mover, seconds", board::report)
        .menu("string/Last search"),
    command("showboard", "", "the board as text", |session, _| text(show(&*session.engine))),
    command("fixed_handicap", "STONES", "put handicap stones on the standard points of the empty board", opening::fixed_handicap).only(counts_points),
    command("place_free_handicap", "STONES", "choose the points of handicap stones", opening::place_free_handicap).only(counts_points),
    command("set_free_handicap", "VERTEX ...", "put handicap stones on these points", opening::set_free_handicap).only(counts_points),
    command("final_score", "", "the result; in Go at any time, without the dead stones", board::final_score),
    command("final_status_list", "STATUS", "the points that are alive, dead, seki, black_territory, white_territory or dame", board::final_status_list),
    command("time_settings", "MAIN PERIOD STONES", "set both clocks, in seconds", clock::time_settings),
    command("kgs-time_settings", "SYSTEM [TIMES]", "none, absolute, canadian or byoyomi", clock::kgs_time_settings),
    command("kata-time_settings", "SYSTEM [TIMES]", "those of KGS, fischer or fischer-capped", clock::kata_time_settings),
    command("kata-list_time_settings", "", "the systems of kata-time_settings", |_, _| text(KATA_SYSTEMS.join(" "))),
    command("time_left", "COLOUR SECONDS STONES", "set one clock", clock::time_left),
    command("tengen-clock", "", "both clocks, and the time of each move this engine has chosen", clock::tengen_clock)
        .menu("string/Clock"),
    command("tengen-network", "", "which network and backend choose the moves, and what has failed", analyze::network)
        .menu("string/Network"),
    command("cputime", "", "processor time used, in seconds", clock::cputime),
    command("loadsgf", "FILE [MOVE]", "load a game up to, not including, a move; reports what is left out", files::loadsgf),
    command("printsgf", "[FILE]", "the game as SGF, into a file if one is named", files::printsgf),
    command("tengen-ccgc", "[FILE]", "the game as a record of the China Computer Game Championship, into a file (in GBK) if one is named", files::ccgc).only(is_not_go),
    stream("lz-analyze", "[COLOUR] [CENTISECONDS] ...", "search until there is input, and show it as Leela Zero does", Leela, Shown::Analysis),
    stream("lz-genmove_analyze", "[COLOUR] [CENTISECONDS] ...", "genmove that shows its search as Leela Zero does", Leela, Shown::Move(MoveKind::Play)),
    stream("kata-analyze", "[COLOUR] [CENTISECONDS] ...", "search until there is input, and show it as KataGo does", Kata, Shown::Analysis),
    stream("cgos-genmove_analyze", "[COLOUR] [CENTISECONDS]", "genmove with a line of JSON before the move, for the client of CGOS", Cgos, Shown::Move(MoveKind::Play)),
    stream("kata-genmove_analyze", "[COLOUR] [CENTISECONDS] ...", "genmove that shows its search as KataGo does", Kata, Shown::Move(MoveKind::Play)),
    stream("kata-search_analyze", "[COLOUR] [CENTISECONDS] ...", "the same without playing the move", Kata, Shown::Move(MoveKind::Named)),
    stream("kata-search_analyze_cancellable", "[COLOUR] [CENTISECONDS] ...", "the same until there is input: then the move is cancelled", Kata, Shown::Cancellable),
    command("stop", "", "nothing: any input ends an analysis", |_, _| text("")),
    command("tengen-solve", "[COLOUR] [SECONDS]", "who wins with best play, within 10 seconds or SECONDS", analyze::solve)
        .menu("string/Solve")
        .only(|engine| engine.has_solver()),
    command("kata-raw-nn", "[COLOUR] [SYMMETRY]", "the network's raw output, if one is in use, by one of 8 symmetries or all", analyze::kata_raw_nn),
    command("kata-get-rules", "", "the rules as JSON", settings::kata_get_rules),
    command("kata-set-rules", "RULES", "set the rules, by the game's or KataGo's names or JSON; komi is kept unless given", settings::kata_set_rules),
    command("kata-set-rule", "NAME VALUE", "one rule, by KataGo's name in kata-get-rules", settings::kata_set_rule),
    command("kata-list-params", "", "names for kata-get-param and kata-set-param", settings::kata_list_params),
    command("kata-get-param", "NAME", "a setting", settings::kata_get_param),
    command("kata-get-params", "", "all of these settings as JSON", settings::kata_get_params),
    command("kata-set-param", "NAME VALUE", "change a setting; 0 for no limit", settings::kata_set_param),
    command("kata-set-params", "JSON", "change several settings by an object, all or none", settings::kata_set_params),
    command("kgs-genmove_cleanup", "COLOUR", "as genmove; no pass while dead stones of the opponent are on the board", board::kgs_genmove_cleanup),
    command("kgs-rules", "NAME", "set the rules by KGS's names or the game's own; KGS's names only affect Go", settings::kgs_rules),
    command("kgs-game_over", "", "the game has ended: no more pondering", |session, _| { session.engine.rest(); text("") }),
    command("gogui-analyze_commands", "", "the lines of GoGui's menu", analyze_commands),
    command("gogui-interrupt", "", "GoGui may send the comment # interrupt", |_, _| text("")),
    command("gogui-version", "[VERSION]", "accepted", |_, _| text("")),
    command("gogui-title", "", "a title for GoGui's window", gogui::title),
    command("gogui-play_sequence", "COLOUR VERTEX ...", "play all of these moves, or none", gogui::play_sequence),
    command("gogui-setup", "COLOUR VERTEX ...", "put stones on the empty board", gogui::setup),
    command("set_position", "COLOUR VERTEX ...", "new game from these stones, Black to move", gogui::set_position),
    command("gogui-setup_player", "COLOUR", "set the side to move after it", gogui::setup_player),
    command("gogui-rules_game_id", "", "the game", |session, _| text(gogui::game_id(session))).only(is_not_go),
    command("gogui-rules_board_size", "", "the board's size", gogui::rules_board_size).only(is_not_go),
    command("gogui-rules_board", "", "the stones", gogui::rules_board).only(is_not_go),
    command("gogui-rules_captured_count", "", "captured stones", |_, _| text("0 0")).only(is_not_go),
    command("gogui-rules_legal_moves", "", "legal moves of the side to move; none when the game is over", |session, _| text(views::legal_points(session, session.engine.to_move()))).only(is_not_go),
    command("gogui-rules_side_to_move", "", "the side to move", |session, _| text(session.engine.to_move())).only(is_not_go),
    command("gogui-rules_final_result", "", "the result as text", gogui::rules_final_result).only(is_not_go),
    command("tengen-search", "[COLOUR] [SECONDS]", "think for 10 seconds or SECONDS and show the values of the moves, for GoGui", views::search)
        .menu("gfx/Search"),
    command("tengen-policy", "[COLOUR]", "the network's policy, for GoGui", |session, args| views::labelled(session, args, Label::Prior))
        .menu("gfx/Policy"),
    command("tengen-values", "[COLOUR]", "values of the moves in the search, for GoGui", |session, args| views::labelled(session, args, Label::Value))
        .menu("gfx/Values"),
    command("tengen-visits", "[COLOUR]", "visits of the moves in the search, for GoGui", |session, args| views::labelled(session, args, Label::Visits))
        .menu("gfx/Visits"),
    command("tengen-pv", "[COLOUR]", "the main line, for GoGui", views::main_line)
        .menu("gfx/Main line"),
    command("tengen-table", "[COLOUR]", "the ten best moves", views::table)
        .menu("hstring/Best moves"),
    command("tengen-ownership", "", "whose each point is expected to be: from 1 for Black to -1 for White", views::expected_owners)
        .menu("dboard/Ownership")
        .only(is_go),
    command("tengen-legal", "[COLOUR]", "where a colour may play", views::legal)
        .menu("plist/Legal moves"),
    command("tengen-openings", "[NAME]", "the game's named openings, or play one of them on the empty board", opening::openings),
    command("tengen-side", "", "the side that the engine would prefer now, for openings with a choice of sides", opening::side)
        .menu("string/Better side"),
    command("tengen-candidates", "N", "the N best moves, symmetric ones listed once", opening::candidates),
    command("tengen-keep", "VERTEX ...", "the offered move that is best for the other side", opening::keep),
    command("tengen-settings", "[NAME VALUE]", "show or change settings, for GoGui", settings::dialog)
        .menu("param/Settings"),
];

/// A command that only says this.
fn text(reply: impl ToString) -> Reply {
    Ok(reply.to_string())
}

/// LizzieYzy asks KataGo for the owners after each move only from 1.11 on.
fn version(session: &mut Session, _: &Arguments<'_>) -> Reply {
    text(match session.options.is_katago() {
        true => KATAGO_VERSION,
        false => env!("CARGO_PKG_VERSION"),
    })
}

/// The commands for the current game.
fn listed(session: &Session) -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().filter(|command| command.is_listed(session))
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn known_command(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let name = args.text(0)?;
    text(listed(session).any(|command| command.name == name))
}

fn list_commands(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let names: Vec<&str> = listed(session).map(|command| command.name).collect();
    Ok(names.join("\n"))
}

/// For users; programs read `list_commands`.
fn help(session: &mut Session, args: &Arguments<'_>) -> Reply {
    if let Some(name) = args.optional(0) {
        let command = find(name).ok_or(Failure::UNKNOWN_COMMAND)?;
        return Ok(format!("{}\n{}", command.call(), command.help));
    }
    let lines: String = listed(session)
        .map(|command| format!("\n{command}"))
        .collect();
    Ok(format!(
        "A game: play b E5, genmove w, showboard, undo, clear_board. All commands:{lines}"
    ))
}

/// Entries of GoGui's menu: type, label and command of each view of the game.
fn analyze_commands(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let entry = |command: &Command| Some(format!("{}/{}", command.menu?, command.name));
    Ok(listed(session)
        .filter_map(entry)
        .collect::<Vec<_>>()
        .join("\n"))
}

/// Executes a command; `None` if its whole reply is sent.
fn execute(session: &mut Session, request: &Request, send: &mut dyn FnMut(&str)) -> Option<Reply> {
    let Some(command) = find(&request.name) else {
        return Some(Err(Failure::UNKNOWN_COMMAND));
    };
    let arguments = Arguments::of(command, request);
    match command.run {
        Run::Answer(run) => Some(run(session, &arguments)),
        Run::Stream(dialect, shown) => match analyze::begin(session, &arguments, dialect, shown) {
            Ok(analysis) => {
                send(&format!("={}\n", request.id));
                analyze::stream(session, &analysis, shown, send);
                None
            }
            Err(failure) => Some(Err(failure)),
        },
    }
}

impl Protocol for Session {
    type Command = Request;

    fn parse(line: &[u8]) -> Input<Request> {
        parse_line(line)
    }

    fn ends(request: &Request) -> bool {
        request.name == "quit"
    }

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, request: &Request, send: &mut dyn FnMut(&str)) {
        log::info!("< {} {}", request.name, request.text);
        let mut send = |answer: &str| {
            log::info!("> {}", answer.lines().next().unwrap_or_default());
            send(answer);
        };
        if let Some(result) = execute(self, request, &mut send) {
            send(&reply(&request.id, result));
        }
        // A command that came with this one waits only from now on.
        self.interrupts.answered();
    }

    fn refuse(&mut self, beginning: &[u8], send: &mut dyn FnMut(&str)) {
        // A comment has no answer.
        if let Input::Command(request) = parse_line(beginning) {
            let failure = Failure::Syntax(too_long(LONGEST));
            send(&reply(&request.id, Err(failure)));
        }
    }

    fn idle(&mut self) {
        if self.options.ponder {
            self.interrupts.ponder(&mut *self.engine);
        }
    }
}
