//! When finished games were decided, and who lost a decided game.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, ensure};
use clap::Args;
use parking_lot::Mutex;
use serde::Serialize;
use tengen::command::{positions, read, sample, sgf_files};
use tengen::game::{Color, Game};
use tengen::games::{solves, with_game};
use tengen::gtp::format_vertex;
use tengen::record::GameRecord;
use tengen::solver::{Solvable, SolveLimits, Solves};
use tengen_train::command::{Threads, print};

/// Bytes of the solver's table per node, and the maximum, in MiB.
const BYTES_A_NODE: u64 = 64;
const MAX_MIB: u64 = 512;

/// A position is skipped after this many consecutive later ones that could not be solved.
const MAX_IN_VAIN: usize = 2;

/// Find from which ply finished games of NoGo can be solved, and who lost a won game.
#[derive(Debug, Args)]
pub(super) struct Decided {
    /// SGF files, or folders of them.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Solver nodes per position; every position is solved independently.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    nodes: u64,
    /// No position before this ply.
    #[arg(long, value_name = "PLY", default_value_t = 40)]
    from: u32,
    /// Use this many games, evenly chosen.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Results for one game.
#[derive(Debug)]
struct Reviewed {
    /// Plies of the game.
    plies: u32,
    /// Names of the players, Black first.
    players: [String; 2],
    /// Winner at each solved ply; plies ascending.
    solved: Vec<(u32, Color)>,
    /// Moves that lost a won game.
    blunders: Vec<Blunder>,
}

/// A move that lost a won game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Blunder {
    file: String,
    ply: u32,
    player: String,
    #[serde(rename = "move")]
    mv: String,
}

/// Number of games that reach a ply, and of those solved there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Share {
    games: usize,
    solved: usize,
}

/// All games together.
#[derive(Debug, Serialize)]
struct Summary {
    games: usize,
    nodes: u64,
    /// The median of the first solved plies.
    median_ply: Option<u32>,
    by_ply: BTreeMap<u32, Share>,
    /// Games of each player.
    players: BTreeMap<String, usize>,
    blunders: Vec<Blunder>,
}

impl Decided {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let files = sample(
            sgf_files(&self.files)?,
            self.games.map(|games| games as usize),
        );
        let threads = self.threads.number();
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let found = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| {
                        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                            // One bad file is no reason to lose hours of work on the others.
                            let reviewed = match self.review(file) {
                                Ok(reviewed) => reviewed,
                                Err(error) => {
                                    log::error!("{error:#}");
                                    failed.fetch_add(1, Ordering::Relaxed);
                                    continue;
                                }
                            };
                            for gift in reviewed.blunders.iter().filter(|_| !self.json) {
                                print(&gift.text())?;
                            }
                            found.lock().push(reviewed);
                        }
                        anyhow::Ok(())
                    })
                })
                .collect();
            // The scope waits for the others when one has failed.
            workers.into_iter().try_for_each(|worker| {
                let end = worker.join();
                end.unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked")))
            })
        })?;
        let summary = Summary::new(self.nodes, self.from, &found.into_inner());
        print(&if self.json {
            serde_json::to_string(&summary)?
        } else {
            summary.text()
        })?;
        let failed = failed.into_inner();
        ensure!(
            failed == 0,
            "{failed} of {} files could not be reviewed; the others are",
            files.len()
        );
        Ok(())
    }

    fn review(&self, file: &Path) -> anyhow::Result<Reviewed> {
        let record = read(file, None)?;
        // Many NoGo files only say that they use Go's board.
        let game = match record.game.as_str() {
            "go" => "nogo",
            name => name,
        };
        ensure!(
            solves(game) == Solves::Endings,
            "{}: only endings of NoGo are solved, and this is a game of {game}",
            file.display()
        );
        let reviewed = with_game!(game, record.size, |empty| self.solve(empty, &record, file))
            .map_err(anyhow::Error::from);
        reviewed
            .flatten()
            .with_context(|| file.display().to_string())
    }

    /// Reviews a game that starts with this empty board.
    fn solve<G: Solvable>(
        &self,
        empty: G,
        record: &GameRecord,
        file: &Path,
    ) -> anyhow::Result<Reviewed> {
        let positions = positions(record, empty)?;
        let effort = SolveLimits::alone(self.nodes, &|_| false);
        let bytes = self.nodes.saturating_mul(BYTES_A_NODE).min(MAX_MIB << 20);
        let mut solver = G::solver(bytes as usize).context("cannot create the solver")?;
        let winner = |position: &G| {
            solver.clear();
            let mover = position.to_move();
            let proof = solver.solve(position, &effort).proof()?;
            Some((position.ply(), proof.outcome(mover).winner?))
        };
        let solved = look_back(&positions, self.from, winner);
        let players = [(&record.black, Color::Black), (&record.white, Color::White)];
        let players = players.map(|(name, color)| match name.as_str() {
            "" => color.to_string(),
            name => name.to_owned(),
        });
        // Stones that were set up count as plies, and are not moves.
        let setup = record.setup.len();
        let gift = |ply: u32| {
            let play = record.plays.get(ply as usize - setup)?.play;
            Some(Blunder {
                file: file.display().to_string(),
                ply,
                player: players[play.color.index()].clone(),
                mv: format_vertex(play.vertex, record.size),
            })
        };
        Ok(Reviewed {
            plies: (setup + record.plays.len()) as u32,
            blunders: given_away(&solved).filter_map(gift).collect(),
            players,
            solved,
        })
    }
}

/// Solves positions from the last one back to `from`, until several consecutive ones fail, and
/// returns the results, ascending.
fn look_back<G: Game, T>(
    positions: &[G],
    from: u32,
    mut solve: impl FnMut(&G) -> Option<T>,
) -> Vec<T> {
    let mut found = Vec::new();
    let mut in_vain = 0;
    for position in positions.iter().rev() {
        if position.ply() < from || in_vain > MAX_IN_VAIN {
            break;
        }
        match solve(position) {
            Some(solved) => {
                found.push(solved);
                in_vain = 0;
            }
            None => in_vain += 1,
        }
    }
    found.reverse();
    found
}

/// Plies after which the winner changes.
fn given_away(solved: &[(u32, Color)]) -> impl Iterator<Item = u32> + '_ {
    solved.windows(2).filter_map(|pair| {
        let [(ply, before), (next, after)] = pair else {
            return None;
        };
        (ply + 1 == *next && before != after).then_some(*ply)
    })
}

impl Blunder {
    fn text(&self) -> String {
        let Blunder {
            file,
            ply,
            player,
            mv,
        } = self;
        format!("{file}: {player} gives a won game away after {ply} moves with {mv}")
    }
}

impl Summary {
    fn new(nodes: u64, from: u32, games: &[Reviewed]) -> Summary {
        let mut firsts: Vec<u32> = games
            .iter()
            .filter_map(|game| Some(game.solved.first()?.0))
            .collect();
        firsts.sort_unstable();
        let mut by_ply: BTreeMap<u32, Share> = BTreeMap::new();
        let mut players = BTreeMap::new();
        for game in games {
            for ply in from..=game.plies {
                by_ply.entry(ply).or_default().games += 1;
            }
            for (ply, _) in &game.solved {
                by_ply.entry(*ply).or_default().solved += 1;
            }
            for player in &game.players {
                *players.entry(player.clone()).or_default() += 1;
            }
        }
        let mut blunders: Vec<Blunder> = games
            .iter()
            .flat_map(|game| game.blunders.clone())
            .collect();
        blunders.sort_by(|a, b| (&a.file, a.ply).cmp(&(&b.file, b.ply)));
        Summary {
            games: games.len(),
            nodes,
            median_ply: firsts.get(games.len() / 2).copied(),
            by_ply,
            players,
            blunders,
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} games, {} nodes a position; half of them are solved from ply {}",
            self.games,
            self.nodes,
            self.median_ply
                .map_or("-".to_owned(), |ply| ply.to_string())
        )];
        lines.push("ply    games  solved".to_owned());
        // Rows where nothing or everything is solved are left out.
        let telling = |share: &Share| share.solved > 0;
        for (ply, share) in self.by_ply.iter().filter(|(_, share)| telling(share)) {
            let part = 100.0 * share.solved as f64 / share.games as f64;
            lines.push(format!("{ply:<5} {:6} {part:6.1}%", share.games));
        }
        for (player, games) in &self.players {
            let blunders = self.blunders.iter().filter(|gift| gift.player == *player);
            lines.push(format!(
                "{player} gave {} won games away in {games} games",
                blunders.count()
            ));
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    #[test]
    fn a_gift_is_a_change_of_winner_from_one_ply_to_the_next() {
        let solved = [(50, Black), (51, Black), (52, White), (54, Black)];
        // From 52 to 54 it is unknown whose move lost.
        assert_eq!(given_away(&solved).collect::<Vec<_>>(), [51]);
    }

    #[test]
    fn games_are_summed_by_ply_and_player() {
        let game = |plies, first: u32, blunders: &[u32]| Reviewed {
            plies,
            players: ["a".to_owned(), "b".to_owned()],
            solved: (first..=plies).map(|ply| (ply, Black)).collect(),
            blunders: blunders
                .iter()
                .map(|&ply| Blunder {
                    file: "f".to_owned(),
                    ply,
                    player: "b".to_owned(),
                    mv: "A1".to_owned(),
                })
                .collect(),
        };
        let games = [game(6, 3, &[5, 4]), game(5, 4, &[]), game(4, 5, &[])];
        let summary = Summary::new(10, 2, &games);
        // The third game was never solved; of three first plies 3, 4 and never the median is 4.
        assert_eq!(summary.median_ply, Some(4));
        let share = |ply: u32| {
            let share = summary.by_ply[&ply];
            (share.solved, share.games)
        };
        assert_eq!([share(2), share(3), share(5)], [(0, 3), (1, 3), (2, 2)]);
        let text = summary.text();
        assert!(
            text.contains("b gave 2 won games away in 3 games"),
            "{text}"
        );
        assert!(text.contains("a gave 0"), "{text}");
    }
}
