//! Games on simulated clocks: is any lost on time, and is the time used? Clocks are the referee's,
//! positions are those of random games, and searches end as their budgets allow.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::timing::{ThinkingLimits, Timing};
use crate::clock::{Budget, TimeControl};
use crate::game::{BoardSize, Color, Game, Move};
use crate::games::with_game;
use crate::referee::{MatchTimeControl, RefereeClock, TimeReports};

/// Time controls as `tengen-match` reads them.
const CONTROLS: [&str; 22] = [
    "20",
    "30",
    "60",
    "180",
    "2+0.5",
    "3+2",
    "10+0.5",
    "60+1",
    "0+3",
    "5+3*1",
    "10+1*5",
    "30+3*5",
    "60+5*10",
    "0+2*5",
    "60+60/25",
    "60+30/10",
    "10+20/5",
    "0+30/25",
    "0+5/25",
    "0+10/50",
    "10+5/1",
    "300+60/25",
];
/// Games, boards, and plies after which a game ends at the latest.
const GAMES: [(&str, u8, u32); 4] = [
    ("nogo", 9, 81),
    ("go", 9, 80),
    ("go", 13, 180),
    ("gomoku", 15, 110),
];
/// The assumed lag is the largest that trials have.
const MAX_LAG_MILLIS: u64 = 60;
/// Trials in which the time is reported now and then have this many moves between reports.
const RARE: u32 = 5;

/// One side's clock in a game.
#[derive(Debug, Clone, Copy)]
struct Trial {
    game: (&'static str, u8, u32),
    control: usize,
    reports: usize,
    /// Moves from one report to the next.
    every: u32,
    /// Whether the first move is free.
    starts_late: bool,
    lag: Duration,
    /// Whether each move has another lag, up to `lag`.
    lag_varies: bool,
    playouts_per_second: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Played {
    lost_at: Option<u32>,
    moves: u32,
    used_seconds: f64,
    /// Main time left.
    left_seconds: f64,
}

impl Trial {
    /// The trial of this number: all controls by all reports, in turn.
    fn new(number: usize, rng: &mut Xoshiro256PlusPlus) -> Trial {
        let control = number % CONTROLS.len();
        // Where moves have seconds, playouts may be slow.
        let slow = ["60+", "300", "30+", "10+1", "10+2"];
        let may_be_slow = slow
            .iter()
            .any(|start| CONTROLS[control].starts_with(start));
        Trial {
            game: GAMES[rng.random_range(0..GAMES.len())],
            control,
            reports: number / CONTROLS.len() % TimeReports::ALL.len(),
            every: if rng.random_range(0..4) == 0 { RARE } else { 1 },
            starts_late: rng.random_range(0..4) == 0,
            lag: Duration::from_millis(rng.random_range(0..=MAX_LAG_MILLIS)),
            lag_varies: rng.random(),
            playouts_per_second: match rng.random_range(0..3) {
                0 if may_be_slow => 8.0,
                0 | 1 => 100.0,
                _ => 1000.0,
            },
        }
    }

    fn play(&self, rng: &mut Xoshiro256PlusPlus) -> Played {
        let (name, side, _) = self.game;
        with_game!(name, BoardSize::square(side), |start| self
            .play_from(start, rng))
        .expect("a game")
    }

    fn play_from<G: Game>(&self, start: G, rng: &mut Xoshiro256PlusPlus) -> Played {
        let control: MatchTimeControl = CONTROLS[self.control].parse().expect("a control");
        let reports = TimeReports::ALL[self.reports];
        let mut truth = RefereeClock::new(control);
        let mut timing = Timing::new(ThinkingLimits::default());
        timing.set_control(engine_control(control));
        let (mut position, mut played) = (start, Played::default());
        let mut before = truth.time_left().expect("a clock");
        while position.outcome().is_none() && position.ply() < self.game.2 {
            if position.to_move() == Color::Black {
                let now = truth.time_left().expect("a clock");
                let told = reports.report(now, before);
                if let Some(told) = told.filter(|_| played.moves % self.every == 0) {
                    let time = Duration::from_millis(told.time.as_millis() as u64);
                    timing.told(Color::Black, time, told.stones);
                }
                before = now;
                let (_, budget) = timing.limits(&position);
                let budget = budget.expect("a clock");
                let elapsed = self.search(&budget, rng);
                let lag = match self.lag_varies {
                    true => self.lag.mul_f64(rng.random()),
                    false => self.lag,
                };
                let is_free = self.starts_late && played.moves == 0;
                if !is_free && truth.spend(elapsed + lag, Duration::ZERO).is_err() {
                    played.lost_at = Some(position.ply());
                    break;
                }
                timing.charge(Color::Black, position.ply(), Some(budget), elapsed, None);
                played.moves += 1;
                played.used_seconds += elapsed.as_secs_f64();
            }
            let moves: Vec<Move> = position.legal_moves().collect();
            position.play(moves[rng.random_range(0..moves.len())]);
        }
        let left = truth.time_left().expect("a clock");
        if left.stones == 0 {
            played.left_seconds = left.time.as_secs_f64();
        }
        played
    }

    /// The time of a search, which ends with a playout: at once, early, as planned, or extended.
    fn search(&self, budget: &Budget, rng: &mut Xoshiro256PlusPlus) -> Duration {
        let (target, maximum) = (budget.target.as_secs_f64(), budget.maximum.as_secs_f64());
        let part: f64 = rng.random();
        let seconds = match rng.random_range(0..100) {
            0..8 => 0.0,
            8..30 => target * (0.2 + 0.8 * part),
            30..80 => target,
            80..92 => target + (maximum - target) * part,
            _ => maximum,
        };
        let playouts = (seconds * self.playouts_per_second).ceil().max(1.0);
        Duration::from_secs_f64(playouts / self.playouts_per_second)
    }
}

/// The control as an engine is told of it.
fn engine_control(control: MatchTimeControl) -> TimeControl {
    let command = control.command(|_| true, true).expect("a command");
    let fields: Vec<&str> = command.split(' ').skip(1).collect();
    let control = match command.starts_with("time_settings") {
        true => TimeControl::from_gtp(&fields),
        false => TimeControl::from_kata(&fields),
    };
    control.expect("a control")
}

/// The trials of these numbers.
fn trials(games: usize) -> impl Iterator<Item = (Trial, Played)> {
    (0..games).map(|number| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(number as u64);
        let trial = Trial::new(number, &mut rng);
        (trial, trial.play(&mut rng))
    })
}

#[test]
fn no_game_on_a_simulated_clock_is_lost_on_time() {
    let lost: Vec<String> = trials(2002)
        .filter(|(_, played)| played.lost_at.is_some())
        .map(|(trial, played)| format!("{} {played:?} {trial:?}", CONTROLS[trial.control]))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

/// `cargo test --release --lib clock_trials -- --ignored --nocapture` prints, for each control and
/// each way to tell the time, the games lost of all, the seconds of a move and the main time left.
#[test]
#[ignore = "a table of many games"]
#[expect(clippy::print_stdout, reason = "the table is for who asks for it")]
fn table_of_games_on_simulated_clocks() {
    let all: Vec<(Trial, Played)> = trials(30_800).collect();
    let names = TimeReports::ALL.map(|reports| {
        let name = format!("{reports:?}");
        format!("{name:>20}")
    });
    println!("{:>12}{}", "", names.concat());
    for (control, name) in CONTROLS.iter().enumerate() {
        print!("{name:>12}");
        for reports in 0..TimeReports::ALL.len() {
            let games = all
                .iter()
                .filter(|(trial, _)| trial.control == control && trial.reports == reports);
            let games: Vec<&Played> = games.map(|(_, played)| played).collect();
            let lost = games.iter().filter(|played| played.lost_at.is_some());
            let sum =
                |value: fn(&Played) -> f64| games.iter().map(|played| value(played)).sum::<f64>();
            let a_move = sum(|played| played.used_seconds) / sum(|played| f64::from(played.moves));
            let left = sum(|played| played.left_seconds) / games.len() as f64;
            let cell = format!("{}/{} {a_move:.2} {left:.1}", lost.count(), games.len());
            print!("{cell:>20}");
        }
        println!();
    }
}
