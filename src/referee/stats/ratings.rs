//! Ratings of many engines from all their games: Bradley and Terry's model by maximum likelihood,
//! with a parameter for the first player's advantage.
//!
//! Black of rating `a` scores against White of rating `b` as the logistic curve of `a + f - b`, with
//! one `f` for all; a draw is half a win. One engine's rating is fixed, which fixes the scale.
//! Source: Bradley and Terry, Biometrika 39 (1952); Davidson and Beaver, Biometrics 33 (1977), for
//! the order effect.

use super::elo::{LOGIT_PER_ELO, score_from_elo};

/// Standard deviation (Elo) of a normal prior on every rating. It only keeps an engine that won or
/// lost everything at a finite rating: a rating of 400 from 100 games moves by less than 1.
const PRIOR_DEVIATION_ELO: f64 = 1500.0;

/// Newton steps after which the ratings are taken as they are; ten are usual.
const MAX_STEPS: usize = 100;

/// A change (Elo) in a Newton step that no longer matters.
const CONVERGED_ELO: f64 = 1e-6;

/// The longest Newton step (Elo) taken at once; far from the maximum full steps overshoot.
const MAX_STEP_ELO: f64 = 200.0;

/// Games between the same Black and White.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Index of the black engine.
    pub black: usize,
    /// Index of the white engine.
    pub white: usize,
    /// Black's points: wins and half the draws.
    pub black_points: f64,
    /// Number of games.
    pub games: f64,
}

/// Ratings in Elo.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// Each engine's rating; the anchor's is 0.
    pub elo: Vec<f64>,
    /// What playing Black is worth.
    pub black_advantage: f64,
}

/// The most likely ratings of `engines` engines, the anchor's being 0.
#[must_use]
pub fn fit(engines: usize, anchor: usize, meetings: &[Meeting]) -> Ratings {
    // The unknowns: one per engine, and last the first player's advantage.
    let mut elo = vec![0.0; engines + 1];
    for _ in 0..MAX_STEPS {
        let step = newton_step(&elo, anchor, meetings);
        let longest = step
            .iter()
            .fold(0.0, |longest: f64, change| longest.max(change.abs()));
        let scale = (MAX_STEP_ELO / longest).min(1.0);
        elo.iter_mut()
            .zip(&step)
            .for_each(|(value, change)| *value += scale * change);
        if longest < CONVERGED_ELO {
            break;
        }
    }
    let black_advantage = elo.pop().unwrap_or_default();
    Ratings {
        elo,
        black_advantage,
    }
}

/// The change of all unknowns that Newton's method asks for; none for the anchor.
fn newton_step(elo: &[f64], anchor: usize, meetings: &[Meeting]) -> Vec<f64> {
    let unknowns = elo.len();
    let advantage = unknowns - 1;
    let prior = 1.0 / PRIOR_DEVIATION_ELO.powi(2);
    let mut gradient: Vec<f64> = elo.iter().map(|value| -prior * value).collect();
    let mut information = vec![vec![0.0; unknowns]; unknowns];
    for (index, row) in information.iter_mut().enumerate() {
        row[index] = prior;
    }
    for meeting in meetings {
        let expected = score_from_elo(elo[meeting.black] + elo[advantage] - elo[meeting.white]);
        let surplus = (meeting.black_points - meeting.games * expected) * LOGIT_PER_ELO;
        let weight = meeting.games * expected * (1.0 - expected) * LOGIT_PER_ELO.powi(2);
        let signs = [
            (meeting.black, 1.0),
            (advantage, 1.0),
            (meeting.white, -1.0),
        ];
        for (row, row_sign) in signs {
            gradient[row] += row_sign * surplus;
            for (column, column_sign) in signs {
                information[row][column] += row_sign * column_sign * weight;
            }
        }
    }
    // The anchor does not move: its equation says so and its column is gone.
    for (index, row) in information.iter_mut().enumerate() {
        if index == anchor {
            row.fill(0.0);
        }
        row[anchor] = f64::from(u8::from(index == anchor));
    }
    gradient[anchor] = 0.0;
    solve(information, gradient)
}

/// Solves a positive definite system by elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let len = right.len();
    for pivot in 0..len {
        let (upper, lower) = matrix.split_at_mut(pivot + 1);
        let pivot_row = &upper[pivot];
        for (below, row) in lower.iter_mut().enumerate() {
            let factor = row[pivot] / pivot_row[pivot];
            row.iter_mut()
                .zip(pivot_row)
                .for_each(|(value, above)| *value -= factor * above);
            right[pivot + 1 + below] -= factor * right[pivot];
        }
    }
    for row in (0..len).rev() {
        let known: f64 = (row + 1..len)
            .map(|column| matrix[row][column] * right[column])
            .sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::stats::elo_from_score;

    fn meeting(black: usize, white: usize, black_points: f64, games: f64) -> Meeting {
        Meeting {
            black,
            white,
            black_points,
            games,
        }
    }

    #[track_caller]
    fn near(got: f64, expected: f64, tolerance: f64) {
        assert!(
            (got - expected).abs() <= tolerance,
            "{got} is not {expected}"
        );
    }

    #[test]
    fn two_engines_have_the_closed_solution() {
        // By hand: each is Black 1000 times and scores 80% and 40%. The curve must give 0.8 at f + d
        // and 0.4 at f - d: f = (240.8 - 70.4) / 2 = 85.2 and d = (240.8 + 70.4) / 2 = 155.6.
        let ratings = fit(
            2,
            1,
            &[meeting(0, 1, 800.0, 1000.0), meeting(1, 0, 400.0, 1000.0)],
        );
        let (a, b) = (elo_from_score(0.8), elo_from_score(0.4));
        near(ratings.black_advantage, f64::midpoint(a, b), 0.1);
        near(ratings.elo[0], (a - b) / 2.0, 0.1);
        assert_eq!(ratings.elo[1], 0.0);
    }

    #[test]
    fn consistent_scores_give_the_ratings_they_came_from() {
        let truth = [120.0, 0.0, -300.0, 45.0];
        let meetings: Vec<Meeting> = (0..4)
            .flat_map(|black| (0..4).map(move |white| (black, white)))
            .filter(|(black, white)| black != white)
            .map(|(black, white)| {
                let expected = score_from_elo(truth[black] + 30.0 - truth[white]);
                meeting(black, white, 2000.0 * expected, 2000.0)
            })
            .collect();
        let ratings = fit(4, 1, &meetings);
        near(ratings.black_advantage, 30.0, 0.1);
        for (got, expected) in ratings.elo.iter().zip(truth) {
            near(*got, expected, 0.2);
        }
    }

    #[test]
    fn the_published_baseball_example_is_reproduced() {
        // Agresti, Categorical Data Analysis, table of the American League 1987, as data set
        // `baseball` of the R package BradleyTerry2. Its vignette has these log odds with home
        // advantage (relative to Baltimore): Milwaukee 1.6196, Detroit 1.4754, Toronto 1.3271,
        // New York 1.2813, Boston 1.1438, Cleveland 0.7047, home 0.3023. The prior costs 0.5%.
        #[rustfmt::skip]
        let home_won_lost = [
            // home: Milwaukee 0, Detroit 1, Toronto 2, New York 3, Boston 4, Cleveland 5, Baltimore 6
            (0, 1, 4, 3), (0, 2, 4, 2), (0, 3, 4, 3), (0, 4, 6, 1), (0, 5, 4, 2), (0, 6, 6, 0),
            (1, 0, 3, 3), (1, 2, 4, 2), (1, 3, 4, 3), (1, 4, 6, 0), (1, 5, 6, 1), (1, 6, 4, 3),
            (2, 0, 2, 5), (2, 1, 4, 3), (2, 3, 2, 4), (2, 4, 4, 3), (2, 5, 4, 2), (2, 6, 6, 0),
            (3, 0, 3, 3), (3, 1, 5, 1), (3, 2, 2, 5), (3, 4, 4, 3), (3, 5, 4, 2), (3, 6, 6, 1),
            (4, 0, 5, 1), (4, 1, 2, 5), (4, 2, 3, 3), (4, 3, 4, 2), (4, 5, 5, 2), (4, 6, 6, 0),
            (5, 0, 2, 5), (5, 1, 3, 3), (5, 2, 3, 4), (5, 3, 4, 3), (5, 4, 4, 2), (5, 6, 2, 4),
            (6, 0, 2, 5), (6, 1, 1, 5), (6, 2, 1, 6), (6, 3, 2, 4), (6, 4, 1, 6), (6, 5, 3, 4),
        ];
        let meetings: Vec<Meeting> = home_won_lost
            .iter()
            .map(|&(home, away, won, lost)| {
                meeting(home, away, f64::from(won), f64::from(won + lost))
            })
            .collect();
        let ratings = fit(7, 6, &meetings);
        let log_odds = [1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047, 0.0];
        for (got, expected) in ratings.elo.iter().zip(log_odds) {
            near(got * LOGIT_PER_ELO, expected, 0.01);
        }
        near(ratings.black_advantage * LOGIT_PER_ELO, 0.3023, 0.002);
    }

    #[test]
    fn an_engine_that_won_everything_has_a_finite_rating() {
        let ratings = fit(2, 0, &[meeting(0, 1, 0.0, 50.0), meeting(1, 0, 50.0, 50.0)]);
        assert!((600.0..1500.0).contains(&ratings.elo[1]), "{ratings:?}");
    }
}
