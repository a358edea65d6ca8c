//! A player that is a GTP engine.

use std::collections::HashSet;
use std::time::Duration;

use super::MatchError;
use super::gtp_client::{Fault, GtpClient, quoted};
use super::player::{
    ComplaintKind, EnginePlayer, GameSetup, PlayerMove, REPORT_COMMAND, Reply, RunningEngine,
    read_vertex,
};
use super::process::EngineProcess;
use super::referee_clock::AnnouncedTime;
use super::time_control::{MatchTimeControl, seconds_text};
use crate::game::{BoardSize, Color, Move};
use crate::games::info;
use crate::gtp::format_move;

/// Maximum characters of a report.
const REPORT_LEN: usize = 1000;

/// A GTP engine in its own process.
pub(super) struct GtpPlayer {
    client: GtpClient,
    commands: HashSet<String>,
    /// Time limit for everything but `genmove`.
    limit: Duration,
    /// Whether it understands fractions of a second.
    fractions: bool,
    size: BoardSize,
    /// Time control of the game.
    time: MatchTimeControl,
    /// Settings that it refused, or has no command for.
    refusals: Vec<(ComplaintKind, String)>,
    /// Time that its answers to commands have taken: it may have thought.
    busy: Duration,
}

impl GtpPlayer {
    /// The engine in this process; `limit` is the time limit for everything but `genmove`.
    pub(super) fn new(process: EngineProcess, limit: Duration) -> GtpPlayer {
        GtpPlayer {
            client: GtpClient::new(process),
            commands: HashSet::new(),
            limit,
            fractions: false,
            size: BoardSize::square(1),
            time: MatchTimeControl::None,
            refusals: Vec::new(),
            busy: Duration::ZERO,
        }
    }

    /// The answer to a command; `None` if the engine does not list it, or refuses it.
    fn ask_if_known(&mut self, command: &str) -> Result<Option<String>, Fault> {
        let name = command.split(' ').next().unwrap_or_default();
        if !self.lists(name) {
            return Ok(None);
        }
        match self.ask(command) {
            Ok(text) => Ok(Some(text)),
            Err(Fault::Refused { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Whether the engine accepts a command.
    fn accepts(&mut self, command: &str) -> Result<bool, Fault> {
        Ok(self.ask_if_known(command)?.is_some())
    }

    /// Sends a setting with a command of its list; a refusal is kept for the report.
    fn tell(&mut self, command: &str) -> Result<(), Fault> {
        match self.ask(command) {
            Err(Fault::Refused { command, message }) => {
                // The time left differs with each move.
                let shown = match command.starts_with("time_left ") {
                    true => "time_left",
                    false => &command,
                };
                self.note(ComplaintKind::Refusal, format!("`{shown}`: {message}"));
                Ok(())
            }
            answer => answer.map(drop),
        }
    }

    /// Keeps a message for the report; repetitions are dropped.
    fn note(&mut self, kind: ComplaintKind, line: String) {
        if !self.refusals.iter().any(|(_, noted)| *noted == line) {
            self.refusals.push((kind, line));
        }
    }

    /// Sets the rules with the first suitable command that it lists.
    fn tell_rules(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        if let Some(komi) = setup.komi {
            if self.lists("komi") {
                self.tell(&format!("komi {komi}"))?;
            } else {
                let line = format!("was not told the komi, {komi}: it has no command komi");
                self.note(ComplaintKind::Untold, line);
            }
        }
        match (&setup.rules, setup.kgs_rules) {
            (Some(rules), _) if self.lists("kata-set-rules") => {
                self.tell(&format!("kata-set-rules {rules}"))
            }
            (_, Some(name)) if self.lists("kgs-rules") => self.tell(&format!("kgs-rules {name}")),
            (Some(_), _) => {
                let line = "was not told the rules: it has no command kata-set-rules or kgs-rules for them, so \
                            its command line must set them";
                self.note(ComplaintKind::Untold, line.to_owned());
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    /// Sets the clock with the best command that it lists.
    fn tell_clock(&mut self, time: MatchTimeControl) -> Result<(), Fault> {
        let command = time.command(|command| self.lists(command), self.fractions);
        match command {
            Some(command) => self.tell(&command)?,
            None if time == MatchTimeControl::None || self.lists("time_left") => {}
            None => {
                let line = format!(
                    "was not told the clock, {time}: it has no command time_settings or time_left"
                );
                self.note(ComplaintKind::Untold, line);
            }
        }
        if let MatchTimeControl::Absolute {
            most_move: Some(most),
            ..
        } = time
            && !self.lists("kata-time_settings")
        {
            let line = format!(
                "was not told that a move may take at most {} s: it has no command kata-time_settings",
                most.as_secs_f64()
            );
            self.note(ComplaintKind::Untold, line);
        }
        Ok(())
    }

    /// The command that sets up a board.
    fn board_command(size: BoardSize) -> String {
        let BoardSize { width, height } = size;
        match size.is_square() {
            true => format!("boardsize {width}"),
            false => format!("rectangular_boardsize {width} {height}"),
        }
    }

    fn lists(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    fn ask(&mut self, command: &str) -> Result<String, Fault> {
        let (text, took) = self.client.command(command, self.limit)?;
        self.busy += took;
        Ok(text)
    }

    fn ask_for_move(
        &mut self,
        command: &str,
        color: Color,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        let (text, took) = self.client.command(&format!("{command} {color}"), limit)?;
        let took = took + self.busy();
        let report = match self.lists(REPORT_COMMAND) {
            true => Some(self.ask(REPORT_COMMAND)?.chars().take(REPORT_LEN).collect()),
            false => None,
        };
        // Some add an evaluation of the move.
        let word = text.split_whitespace().next().unwrap_or_default();
        let choice = match read_vertex(self.size, word) {
            _ if word.eq_ignore_ascii_case("resign") => PlayerMove::Resign,
            Some(mv) => PlayerMove::Move(mv),
            None => PlayerMove::Nonsense(quoted(&text)),
        };
        Ok(Reply {
            choice,
            took,
            report,
        })
    }
}

impl RunningEngine for GtpPlayer {
    fn greet(&mut self) -> Result<(), Fault> {
        // Shows whether it knows ids.
        if let Err(fault) = self.ask("protocol_version")
            && !matches!(fault, Fault::Refused { .. })
        {
            return Err(fault);
        }
        let commands = self.ask("list_commands")?;
        self.commands = commands.split_whitespace().map(str::to_owned).collect();
        // The standard has whole seconds only, and many engines understand no others.
        self.fractions =
            self.accepts("time_settings 1.5 0 0")? && self.accepts("time_left b 1.5 0")?;
        Ok(())
    }

    /// By the game command of GoGui, and by whether it accepts the board.
    fn check_game(&mut self, game: &str, size: BoardSize) -> Result<(), MatchError> {
        let theirs = self.ask_if_known("gogui-rules_game_id")?;
        let theirs = theirs.unwrap_or_default().to_ascii_lowercase();
        // An unknown name may be another name of the same game.
        if theirs != game && info(&theirs).is_some() {
            return Err(MatchError(format!(
                "plays {theirs}, and this is a match of {game}: either its command line lacks --game {game} (or \
                 what the engine calls it), or that of tengen-match lacks --game {theirs}"
            )));
        }
        match self.ask(&Self::board_command(size)) {
            Err(fault @ Fault::Refused { .. }) => Err(MatchError(format!(
                "{fault}; does it play {game} on {size}? For Tengen as an engine --game {game} --size {size} says so"
            ))),
            answer => Ok(answer.map(drop)?),
        }
    }

    fn reports_visits(&self) -> bool {
        self.lists(REPORT_COMMAND)
    }

    fn refusals(&mut self) -> Vec<(ComplaintKind, String)> {
        std::mem::take(&mut self.refusals)
    }

    fn end_game(&mut self) -> Result<(), Fault> {
        self.ask("clear_board").map(drop)
    }

    fn quit(self: Box<Self>, limit: Duration) {
        self.client.quit(limit);
    }
}

impl EnginePlayer for GtpPlayer {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        (self.size, self.time) = (setup.size, setup.time);
        self.ask(&Self::board_command(setup.size))?;
        self.ask("clear_board")?;
        self.tell_rules(setup)?;
        self.tell_clock(setup.time)?;
        for (&mv, color) in setup.opening.iter().zip(Color::BOTH.into_iter().cycle()) {
            self.play(color, mv)?;
        }
        // No clock has run.
        self.busy = Duration::ZERO;
        Ok(())
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        let vertex = format_move(mv, self.size);
        self.ask(&format!("play {color} {vertex}")).map(drop)
    }

    fn busy(&mut self) -> Duration {
        std::mem::take(&mut self.busy)
    }

    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        if let Some(left) = left
            && self.lists("time_left")
        {
            let seconds = seconds_text(left.time, self.fractions);
            let lists = |command: &str| self.lists(command);
            let stones = self.time.announced_stones(left.stones, lists);
            self.tell(&format!("time_left {color} {seconds} {stones}"))?;
        }
        self.ask_for_move("genmove", color, limit)
    }

    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        let command = match self.lists("kgs-genmove_cleanup") {
            true => "kgs-genmove_cleanup",
            false => "genmove",
        };
        self.ask_for_move(command, color, limit)
    }

    fn pass_instead(&mut self, color: Color) -> Result<bool, Fault> {
        Ok(self.accepts("undo")? && self.accepts(&format!("play {color} pass"))?)
    }

    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        let text = self.ask_if_known("final_status_list dead")?;
        let stones = |text: String| {
            let vertices = text.split_whitespace();
            vertices
                .map(|vertex| read_vertex(self.size, vertex))
                .collect()
        };
        Ok(text.and_then(stones))
    }

    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        let text = self.ask_if_known("final_score")?;
        Ok(text.and_then(|text| Some(text.split_whitespace().next()?.to_owned())))
    }
}
