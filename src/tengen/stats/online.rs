//! Online Elo, updated after every game: a replication of NoGoZero+, not suitable for decisions.
//!
//! Its ratings keep a standard deviation of about 37 points however many games are played, and
//! remember about 43 of them (docs/methods.md#match-statistics); use the maximum-likelihood ratings
//! instead.

use super::elo::score_from_elo;
use super::ratings::Meeting;

/// The step of NoGoZero+ (Gao and Wu 2021, section 4): `R' = R + 16 (S - E)`.
const STEP: f64 = 16.0;

/// Ratings after these games in order, all starting at 0.
#[must_use]
pub fn online_elo(engines: usize, games: &[Meeting]) -> Vec<f64> {
    let mut elo = vec![0.0; engines];
    for game in games {
        let expected = score_from_elo(elo[game.black] - elo[game.white]);
        let change = STEP * (game.black_points - game.games * expected);
        elo[game.black] += change;
        elo[game.white] -= change;
    }
    elo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_move_by_sixteen_times_the_surprise() {
        let game = |black, white, black_points| Meeting {
            black,
            white,
            black_points,
            games: 1.0,
        };
        // By hand: the winner of an even game gains 8 and the loser loses 8. Then E = 1 / (1 +
        // 10^(-16/400)) = 0.52301 for the leader, who loses: 16 * 0.52301 = 8.368 back.
        let elo = online_elo(2, &[game(0, 1, 1.0)]);
        assert_eq!(elo, [8.0, -8.0]);
        let elo = online_elo(2, &[game(0, 1, 1.0), game(1, 0, 1.0)]);
        assert!(
            (elo[0] + 0.368).abs() < 0.001 && (elo[1] - 0.368).abs() < 0.001,
            "{elo:?}"
        );
    }
}
