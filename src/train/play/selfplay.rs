//! One self-play game, which may be kept as SGF, as a pure function of its seed and of the search that chooses
//! moves.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::play::settings::SelfPlay;
use crate::shards::ending;
use crate::shards::row::{Row, Target, finish};
use crate::shards::training_game::{TrainingGame, with_komi};
use crate::trainable::Trainable;
use crate::{TrainError, durable};
use std::path::Path;
use tengen::game::{Color, Game, Move, Outcome, Proof, scoring};
use tengen::record::{GameRecord, Play, RecordedPlay, Vertex, result_text, sgf};
use tengen::rollout::{Rave, Rollout};

/// Thinks about a position that has a legal move, by a number of random playouts.
pub fn by_rollouts<G: Rollout>(rave: &mut Rave, position: &G, playouts: u64) -> Target {
    let report = rave.search(position, |made| made < playouts);
    let visits = report.moves.iter().map(|m| (m.mv, m.visits as f32));
    let mut target = Target::new(visits.collect(), report.value);
    target.policy.sort_unstable_by_key(|&(mv, _)| mv);
    if G::INFO.passes
        && !report
            .moves
            .first()
            .is_some_and(|m| wins_by(position, m.mv))
    {
        // Statistics of later moves, which are all that few playouts have, do not include
        // passes: a pass looks good to the side that is behind. While there is any alternative,
        // it is not a target.
        let area = position.size().area();
        let others = target.policy.iter();
        let others = others.filter(|(mv, visits)| mv.index() < area && *visits > 0.0);
        if others.count() > 0 {
            target.policy.retain(|(mv, _)| mv.index() < area);
        }
    }
    target
}

/// Whether a move wins the game at once for its side. Where players agree on dead stones, a count without an
/// agreement proves nothing.
fn wins_by<G: Game>(position: &G, mv: Move) -> bool {
    let mut next = scoring::searched(position);
    next.play(mv);
    next.outcome().is_some() && next.certain().proof() == Some(Proof::Loss)
}

/// A finished game.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedGame {
    /// The searched positions, in order, at least one; they know the game's number, moves and komi.
    pub rows: Vec<Row>,
    /// The result.
    pub outcome: Outcome,
}

impl PlayedGame {
    /// The game of a shard's rows, on the board of `start`.
    pub(crate) fn of<G: Game>(start: &G, rows: Vec<Row>) -> PlayedGame {
        let first = &rows[0];
        let ended = ending::of(&with_komi(start, first.komi), &first.moves);
        let outcome = ended.map_or(first.outcome(), |(_, outcome)| outcome);
        PlayedGame { rows, outcome }
    }
}

/// Plays game number `game` to its end; `search` chooses moves.
pub fn play<G: Trainable>(
    start: &G,
    game: u64,
    settings: &SelfPlay,
    mut search: impl FnMut(&G) -> Target,
    rng: &mut Xoshiro256PlusPlus,
) -> PlayedGame {
    let start = settings.begin(start, rng);
    let mut line = random_opening(&start, settings.opening_plies, rng);
    let mut rows = Vec::new();
    let outcome = loop {
        // A game without a searched move gives no samples.
        if let Some(outcome) = line.result().filter(|_| !rows.is_empty()) {
            break outcome;
        }
        let mut target = search(line.position());
        target.policy.retain(|&(mv, _)| line.allows(mv));
        if target.policy.iter().all(|&(_, visits)| visits == 0.0) {
            // The search does not know superko; its remaining visits would be a useless target.
            let Some(mv) = line.position().legal_moves().find(|&mv| line.allows(mv)) else {
                break Outcome::DRAW;
            };
            line.play(mv);
            continue;
        }
        rows.push(Row::record(game, line.position(), &target));
        let temperature = settings.temperature(line.position().ply());
        line.play(choose(&target.policy, temperature, rng));
    };
    finish(&mut rows, &start, line.moves(), outcome);
    PlayedGame { rows, outcome }
}

/// A game from `start` that opens with 0 to `most` random moves.
pub(crate) fn random_opening<G: Game>(
    start: &G,
    most: u16,
    rng: &mut Xoshiro256PlusPlus,
) -> TrainingGame<G> {
    let plies = rng.random_range(0..=most);
    let mut line = TrainingGame::new(start);
    line.open(plies, rng);
    line
}

/// Draws a move with probability proportional to visits^(1/temperature); at temperature 0 or below
/// the most visited one, the first of equals.
pub(crate) fn choose(
    visits: &[(Move, f32)],
    temperature: f32,
    rng: &mut Xoshiro256PlusPlus,
) -> Move {
    let most = visits.iter().map(|&(_, count)| count).fold(0.0, f32::max);
    let mut chosen = visits[0].0;
    if temperature <= 0.0 {
        let best = visits.iter().find(|&&(_, count)| count == most);
        return best.map_or(chosen, |&(mv, _)| mv);
    }
    let weight = |count: f32| (count / most.max(1.0)).powf(1.0 / temperature);
    let total: f32 = visits.iter().map(|&(_, count)| weight(count)).sum();
    let mut left = rng.random::<f32>() * total;
    for &(mv, count) in visits {
        if weight(count) > 0.0 {
            chosen = mv;
            left -= weight(count);
            if left < 0.0 {
                break;
            }
        }
    }
    chosen
}

/// Writes a game that began at `start` into the folder's subfolder `sgf`, with the search's value beside
/// each recorded move; `source` says how it was made.
///
/// # Errors
/// [`TrainError::Io`] names the file.
pub(crate) fn write<G: Game>(
    folder: &Path,
    start: &G,
    source: &str,
    game: &PlayedGame,
) -> Result<(), TrainError> {
    let folder = folder.join("sgf");
    durable::prepare_folder(&folder)?;
    let Row {
        game: number,
        komi,
        moves,
        ..
    } = &game.rows[0];
    let mut record = GameRecord::of(start);
    record.result = result_text(game.outcome);
    record.komi = *komi;
    record.comment = format!("game {number} of {source}");
    let mut color = Color::Black;
    for (ply, &mv) in moves.iter().enumerate() {
        let row = game.rows.iter().find(|row| usize::from(row.ply) == ply);
        let value = |value: f32| format!("{:.0}%", 50.0 * (value + 1.0));
        record.plays.push(RecordedPlay {
            play: Play {
                color,
                vertex: Vertex::of(mv, start.size()),
            },
            comment: row.map_or_else(String::new, |row| value(row.root_value)),
        });
        color = color.opponent();
    }
    let path = folder.join(format!("game-{number:08}.sgf"));
    durable::write(&path, sgf::write(&record).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use tengen::game::{BoardSize, Color};
    use tengen::games::go::SmallGo;
    use tengen::games::go::diagram::diagram;
    use tengen::games::gomoku::Gomoku;
    use tengen::games::nogo::SmallNoGo;
    use tengen::rollout::RaveParams;
    use tengen_nn::files::scratch::Scratch;

    fn game(seed: u64, opening_plies: u16) -> PlayedGame {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let settings = SelfPlay {
            opening_plies,
            ..SelfPlay::default()
        };
        let mut rave = Rave::new(RaveParams::default(), seed);
        let search = |position: &SmallNoGo| by_rollouts(&mut rave, position, 20);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        play(&start, seed, &settings, search, &mut rng)
    }

    #[test]
    fn the_last_mover_wins_and_every_row_says_so() {
        let played = game(3, 0);
        let last = played.rows.last().unwrap();
        assert_eq!((last.result, played.rows[0].ply), (1, 0));
        for row in &played.rows {
            assert_eq!(row.result, if row.to_move == last.to_move { 1 } else { -1 });
            assert_eq!(row.to_move == Color::Black, row.ply % 2 == 0);
            let ending = row.ending.unwrap();
            assert_eq!(ending.margin.signum(), row.result);
            let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
            let position = row.position(&start).unwrap();
            let own = |point: &Move| position.stone(*point) == Some(row.to_move);
            let stones = (0..25).map(Move).filter(own);
            assert!(stones.into_iter().all(|point| ending.own.contains(point)));
            assert_eq!(u32::from(row.ply), position.ply());
        }
    }

    #[test]
    fn a_seed_fixes_the_game() {
        assert_eq!(game(5, 6), game(5, 6));
        assert_ne!(game(5, 6).rows[0].policy, game(6, 6).rows[0].policy);
    }

    #[test]
    fn a_game_that_is_kept_names_its_rules() {
        let scratch = Scratch::new("selfplay-sgf");
        let start = Gomoku::with_rules(BoardSize::square(7), "renju".parse().unwrap()).unwrap();
        let target = Target::new(vec![(Move(24), 1.0)], 0.0);
        let mut rows = vec![Row::record(4, &start, &target)];
        let outcome = Outcome::DRAW;
        finish(&mut rows, &start, &[Move(24)], outcome);
        let played = PlayedGame { rows, outcome };
        write(scratch.path(), &start, "a test", &played).unwrap();
        let path = scratch.path().join("sgf/game-00000004.sgf");
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(sgf::read(&text).unwrap().rules, "renju");
    }

    /// A pass is a target if it wins, and if nothing is left to play.
    #[test]
    fn playouts_teach_no_pass_while_there_is_something_to_play() {
        let rows = ".X.O. .X.O. XX.O. .X.O. .X.O.";
        let passes = |position: &SmallGo| {
            let mut rave = Rave::new(RaveParams::default(), 1);
            let target = by_rollouts(&mut rave, position, 100);
            target.policy.iter().any(|(mv, _)| *mv == position.pass())
        };
        // Where players agree on dead stones, playouts continue after two passes.
        let mut position = diagram(rows, "tromp-taylor komi0.5", Color::Black);
        assert!(!passes(&position));
        position.play(position.pass());
        assert!(passes(&position), "White is ahead by its komi");
        let pass = position.pass();
        assert!(wins_by(&position, pass));
        let mut agreed = diagram(rows, "chinese komi0.5", Color::Black);
        agreed.play(pass);
        assert!(!wins_by(&agreed, pass), "it depends on an agreement");
        let full = diagram(
            ".X.XX XXXXX XXXXX XXXXX XXX.X",
            "chinese komi40",
            Color::Black,
        );
        assert!(passes(&full));
    }

    #[test]
    fn openings_vary_in_length_and_never_end_the_game() {
        let start = SmallNoGo::new(BoardSize::new(2, 2)).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut plies = [0; 5];
        for _ in 0..200 {
            let opened = random_opening(&start, 30, &mut rng);
            assert!(opened.position().outcome().is_none());
            plies[opened.moves().len()] += 1;
        }
        assert!(plies[0] > 0 && plies[1] > 0, "{plies:?}");
    }

    #[test]
    fn temperature_decides_between_visits_and_the_best() {
        let visits = [(Move(1), 10.0), (Move(2), 30.0), (Move(3), 0.0)];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut count = |temperature: f32| {
            (0..4000)
                .filter(|_| choose(&visits, temperature, &mut rng) == Move(1))
                .count()
        };
        assert!((850..1150).contains(&count(1.0)), "one in four");
        assert!((300..500).contains(&count(0.5)), "one in ten");
        assert_eq!((count(0.0), count(-1.0)), (0, 0));
    }
}
