//! The paper's tables on 9x9, played inside this test: `TENGEN_MUCGO_GAMES` sets the games of a
//! pairing, `TENGEN_MUCGO_TABLE` names one table, `TENGEN_MUCGO_PLAYOUTS` sets the playouts a move and
//! `TENGEN_MUCGO_AGAINST` those of the paper's choice if they differ; `TENGEN_MUCGO_MS` sets milliseconds
//! a move instead (docs/papers.md#tables).

use std::fmt;
use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Mucgo, MucgoParams, Pruning, TargetMove};
use tengen::clock::{Clock as _, SystemClock};
use tengen::game::{BoardSize, Color, Game as _, GameState, Outcome};
use tengen::games::go::SmallGo;
use tengen::report::SearchReport;
use tengen::rollout::{Rave, RaveParams, RolloutSearch};
use tengen::stats::{GameResult, MatchScore};

/// Random plies at the start of a pair of games.
const OPENING: u32 = 4;

/// A game is decided when Black's lead exceeds this many standard deviations of a playout's score in
/// the searches of two moves in a row.
const CERTAIN: f32 = 2.5;

/// When a search ends.
#[derive(Clone, Copy)]
enum Limit {
    Playouts(u64),
    Time(Duration),
}

impl Limit {
    /// Whether a search that began at `start` and has done this many playouts goes on.
    fn goes_on(self, clock: &SystemClock, start: Duration, done: u64) -> bool {
        match self {
            Limit::Playouts(most) => done < most,
            Limit::Time(most) => clock.now() - start < most,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Playouts(most) => write!(out, "{most} playouts"),
            Limit::Time(most) => write!(out, "{most:?}"),
        }
    }
}

/// A player: settings, or RAVE, and the limit of a move.
#[derive(Clone)]
struct Contestant {
    name: String,
    params: Option<MucgoParams>,
    limit: Limit,
}

impl Contestant {
    fn searcher(&self, seed: u64) -> Box<dyn RolloutSearch<SmallGo>> {
        match &self.params {
            Some(params) => Box::new(Mucgo::new(params.clone(), 1 << 30, seed)),
            None => Box::new(Rave::new(RaveParams::default(), seed)),
        }
    }
}

/// The winner that a search is certain of.
fn certain_winner(report: &SearchReport) -> Option<Color> {
    let expected = report.expected.as_ref()?;
    match expected.black_ahead {
        ahead if ahead > CERTAIN * expected.deviation => Some(Color::Black),
        ahead if ahead < -CERTAIN * expected.deviation => Some(Color::White),
        _ => None,
    }
}

/// The winner of a game from a random opening; `None` for a draw.
fn play(black_white: [&Contestant; 2], pair: u64) -> Option<Color> {
    let rules = "tromp-taylor komi7".parse().expect("rules");
    let empty = SmallGo::with_rules(BoardSize::square(9), rules).expect("a board");
    let mut game = GameState::from(empty);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(pair);
    for _ in 0..OPENING {
        let points: Vec<_> = game.position().legal_points().iter().collect();
        game.play(points[rng.random_range(0..points.len())]);
    }
    let mut players = black_white.map(|player| player.searcher(rng.random()));
    let (clock, mut before) = (SystemClock::new(), None);
    loop {
        if let Some(Outcome { winner, .. }) = game.position().outcome() {
            return winner;
        }
        let side = game.position().to_move().index();
        let limit = black_white[side].limit;
        let start = clock.now();
        let report = players[side].watch(&game, &[], false, &mut |done, _| {
            limit.goes_on(&clock, start, done)
        });
        let now = certain_winner(&report);
        if now.is_some() && now == before {
            return now;
        }
        before = now;
        game.play(report.moves[0].mv);
    }
}

fn result(winner: Option<Color>, first: Color) -> GameResult {
    match winner {
        None => GameResult::Draw,
        Some(color) if color == first => GameResult::Win,
        Some(_) => GameResult::Loss,
    }
}

/// Colour-swapped pairs between two players.
fn meet(one: &Contestant, other: &Contestant, games: u64) -> MatchScore {
    let mut score = MatchScore::default();
    for pair in 0..games / 2 {
        let first = result(play([one, other], pair), Color::Black);
        let second = result(play([other, one], pair), Color::White);
        score.add(first);
        score.add(second);
        score.pairs.add(first, second);
    }
    score
}

/// The players of each table, who meet the paper's choice.
fn tables(limit: Limit) -> Vec<(&'static str, Vec<Contestant>)> {
    let named = |name: String, change: &dyn Fn(&mut MucgoParams)| {
        let params = changed(change);
        Contestant {
            name,
            params: Some(params),
            limit,
        }
    };
    let weightings = [0.5, 0.7, 0.8, 0.9];
    let shares = [0.05, 0.1, 0.2];
    let prunings = [Pruning::None, Pruning::Domain, Pruning::Ucb];
    let explorations = [0.1, 0.5, std::f32::consts::SQRT_2];
    let rave = Contestant {
        name: "rave".to_owned(),
        params: None,
        limit,
    };
    let drawn = named("drawn".to_owned(), &|p| p.mucgo_target = TargetMove::Drawn);
    let weighting = |by| named(format!("f = {by}"), &|p| p.mucgo_weighting = by);
    let interval = |by| named(format!("the best {by}"), &|p| p.mucgo_interval = by);
    let pruning = |by| named(format!("{by}"), &|p| p.mucgo_pruning = by);
    let exploration = |by| named(format!("c = {by}"), &|p| p.mucgo_exploration = by);
    vec![
        ("weighting", weightings.map(weighting).to_vec()),
        ("interval", shares.map(interval).to_vec()),
        ("pruning", prunings.map(pruning).to_vec()),
        ("target", vec![drawn]),
        ("exploration", explorations.map(exploration).to_vec()),
        ("rave", vec![rave]),
    ]
}

fn changed(change: &dyn Fn(&mut MucgoParams)) -> MucgoParams {
    let mut params = MucgoParams::default();
    change(&mut params);
    params
}

/// Without `TENGEN_MUCGO_GAMES` a pair of games with few playouts.
#[test]
#[expect(clippy::print_stdout, reason = "a table for people, with --nocapture")]
fn mucgo_tables() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let games = number("TENGEN_MUCGO_GAMES");
    let few = if games.is_some() { 100 } else { 10 };
    let playouts = number("TENGEN_MUCGO_PLAYOUTS").unwrap_or(few);
    let against = number("TENGEN_MUCGO_AGAINST").unwrap_or(playouts);
    let time = number("TENGEN_MUCGO_MS").map(Duration::from_millis);
    let limit = time.map_or(Limit::Playouts(playouts), Limit::Time);
    let usual_limit = time.map_or(Limit::Playouts(against), Limit::Time);
    let wanted = std::env::var("TENGEN_MUCGO_TABLE").unwrap_or_else(|_| "target".to_owned());
    let mut played = 0;
    for (table, players) in tables(limit) {
        if wanted != table {
            continue;
        }
        let usual = Contestant {
            name: "the paper's choice".to_owned(),
            params: Some(MucgoParams::default()),
            limit: usual_limit,
        };
        for one in &players {
            let score = meet(one, &usual, games.unwrap_or(2));
            played += score.games();
            let (wins, draws, losses) = (score.wins, score.draws, score.losses);
            let (name, summary) = (&one.name, score.summary());
            println!("{table}: {name}, {limit}: {wins}-{draws}-{losses}, {summary}");
        }
    }
    assert!(played > 0, "no table {wanted}");
}
