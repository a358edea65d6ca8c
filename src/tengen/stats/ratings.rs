//! Ratings of many engines from all their games: Bradley and Terry's model with a parameter for the
//! first player's advantage, by Firth's penalised likelihood.
//!
//! Black of rating `a` scores against White of rating `b` as the logistic curve of `a + f - b`, with
//! one `f` for all; a draw is half a win. One engine's rating is fixed, which fixes the scale.
//! Sources: Bradley and Terry, Biometrika 39 (1952); Davidson and Beaver, Biometrics 33 (1977), for
//! the order effect.
//!
//! Plain maximum likelihood puts an engine that won everything at infinity. Firth's penalty (half
//! the logarithm of the information's determinant, Jeffreys' prior; Biometrika 80, 1993) removes
//! the bias of order 1/n instead, and is the accepted remedy for this case (Heinze and Schemper,
//! Statistics in Medicine 21, 2002). It acts like some additional drawn games per meeting, in total
//! as many as there are unknowns: 4-0 alone counts as 4.5-0.5, and 400 games are hardly affected.

use super::elo::{LOGIT_PER_ELO, score_from_elo};

/// Standard deviation (Elo) of a normal prior on every unknown: wide enough to carry no
/// information, but it defines an answer for unknowns without games (the first player's advantage
/// after one game).
const PRIOR_DEVIATION_ELO: f64 = 100_000.0;

/// Maximum number of steps; ten are usual.
const MAX_STEPS: usize = 100;

/// Convergence threshold for the change in a step, in Elo.
const CONVERGED_ELO: f64 = 1e-4;

/// Maximum length of a step (Elo); far from the maximum full steps overshoot.
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
    /// Number of games between the two, with these colours.
    pub games: f64,
}

/// Ratings in Elo.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// Each engine's rating; the anchor's is 0.
    pub elo: Vec<f64>,
    /// Value of playing Black.
    pub black_advantage: f64,
}

impl Ratings {
    /// Black's expected score in a game between these two, in 0..=1.
    pub fn expected(&self, black: usize, white: usize) -> f64 {
        score_from_elo(self.elo[black] + self.black_advantage - self.elo[white])
    }
}

/// The likelihood of games under ratings. The unknowns, in Elo: one per engine, including the
/// anchor, which is fixed, and last the first player's advantage.
pub(super) struct Model<'a> {
    unknowns: usize,
    anchor: usize,
    meetings: &'a [Meeting],
}

impl<'a> Model<'a> {
    pub(super) fn new(engines: usize, anchor: usize, meetings: &'a [Meeting]) -> Model<'a> {
        Model {
            unknowns: engines + 1,
            anchor,
            meetings,
        }
    }

    /// The ratings given by these unknowns.
    pub(super) fn ratings(&self, mut unknowns: Vec<f64>) -> Ratings {
        let black_advantage = unknowns.pop().unwrap_or_default();
        Ratings {
            elo: unknowns,
            black_advantage,
        }
    }

    /// The unknowns with the highest penalised likelihood, searched from `start`; the unknown
    /// `held` keeps its value.
    pub(super) fn maximum(&self, start: Vec<f64>, held: Option<usize>) -> Vec<f64> {
        let mut elo = start;
        for _ in 0..MAX_STEPS {
            let step = self.step(&elo, held);
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
        elo
    }

    /// Logarithm of the penalised likelihood.
    pub(super) fn log_likelihood(&self, elo: &[f64]) -> f64 {
        let games = self.meetings.iter().map(|meeting| {
            let logit = self.difference(elo, meeting) * LOGIT_PER_ELO;
            // Of a win and of a loss: ln(1 / (1 + e^-x)) without overflow.
            let won = |x: f64| -(-x.abs()).exp().ln_1p() + x.min(0.0);
            meeting.black_points * won(logit) + (meeting.games - meeting.black_points) * won(-logit)
        });
        let prior = elo.iter().map(|value| -0.5 * prior() * value * value);
        games.chain(prior).sum::<f64>() + 0.5 * self.information(elo).log_determinant
    }

    /// Standard deviation (Elo) of one unknown, from the curvature of the likelihood.
    pub(super) fn deviation(&self, elo: &[f64], unknown: usize) -> f64 {
        self.information(elo).matrix[unknown][unknown].sqrt()
    }

    fn difference(&self, elo: &[f64], meeting: &Meeting) -> f64 {
        elo[meeting.black] + elo[self.unknowns - 1] - elo[meeting.white]
    }

    /// The unknowns that a meeting depends on, with the sign of their effect on Black's score.
    fn signs(&self, meeting: &Meeting) -> [(usize, f64); 3] {
        [
            (meeting.black, 1.0),
            (self.unknowns - 1, 1.0),
            (meeting.white, -1.0),
        ]
    }

    /// The inverse of Fisher's information.
    fn information(&self, elo: &[f64]) -> Inverse {
        let mut information = vec![vec![0.0; self.unknowns]; self.unknowns];
        for (index, row) in information.iter_mut().enumerate() {
            row[index] = prior();
        }
        for meeting in self.meetings {
            let weight = self.weight(elo, meeting);
            for (row, row_sign) in self.signs(meeting) {
                for (column, column_sign) in self.signs(meeting) {
                    information[row][column] += row_sign * column_sign * weight;
                }
            }
        }
        // The anchor is fixed: it has a trivial equation and no column.
        for (index, row) in information.iter_mut().enumerate() {
            if index == self.anchor {
                row.fill(0.0);
            }
            row[self.anchor] = f64::from(u8::from(index == self.anchor));
        }
        Inverse::of(information)
    }

    /// Information that a meeting adds about its difference, per square Elo.
    fn weight(&self, elo: &[f64], meeting: &Meeting) -> f64 {
        let expected = score_from_elo(self.difference(elo, meeting));
        meeting.games * expected * (1.0 - expected) * LOGIT_PER_ELO.powi(2)
    }

    /// Fisher scoring step for all unknowns; 0 for the anchor and the held one.
    fn step(&self, elo: &[f64], held: Option<usize>) -> Vec<f64> {
        let inverse = self.information(elo).matrix;
        let mut gradient: Vec<f64> = elo.iter().map(|value| -prior() * value).collect();
        for meeting in self.meetings {
            let signs = self.signs(meeting);
            let expected = score_from_elo(self.difference(elo, meeting));
            let variance: f64 = signs
                .iter()
                .flat_map(|&(row, a)| signs.map(|(column, b)| a * b * inverse[row][column]))
                .sum();
            // The meeting's diagonal entry of the hat matrix: the number of games added by the
            // penalty.
            let drawn = self.weight(elo, meeting) * variance;
            let surplus = meeting.black_points + 0.5 * drawn - (meeting.games + drawn) * expected;
            for (row, sign) in signs {
                gradient[row] += sign * surplus * LOGIT_PER_ELO;
            }
        }
        gradient[self.anchor] = 0.0;
        let along = |row: &Vec<f64>| row.iter().zip(&gradient).map(|(a, b)| a * b).sum::<f64>();
        let mut step: Vec<f64> = inverse.iter().map(along).collect();
        if let Some(held) = held {
            // The best step among those that leave the held unknown alone.
            let multiplier = step[held] / inverse[held][held];
            for (change, row) in step.iter_mut().zip(&inverse) {
                *change -= multiplier * row[held];
            }
        }
        step
    }
}

/// Information about each unknown added by the prior.
fn prior() -> f64 {
    1.0 / PRIOR_DEVIATION_ELO.powi(2)
}

/// The inverse of a symmetric positive definite matrix, and the logarithm of its determinant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Inverse {
    /// The inverse, by rows.
    pub(super) matrix: Vec<Vec<f64>>,
    /// Logarithm of the determinant of the matrix, not of its inverse.
    pub(super) log_determinant: f64,
}

impl Inverse {
    /// Inverts in place by Gauss-Jordan elimination; a positive definite matrix needs no pivoting.
    pub(super) fn of(mut matrix: Vec<Vec<f64>>) -> Inverse {
        let mut log_determinant = 0.0;
        for pivot in 0..matrix.len() {
            let mut row = std::mem::take(&mut matrix[pivot]);
            let divisor = row[pivot];
            log_determinant += divisor.ln();
            row[pivot] = 1.0;
            row.iter_mut().for_each(|value| *value /= divisor);
            for other in matrix.iter_mut().filter(|other| !other.is_empty()) {
                let factor = std::mem::take(&mut other[pivot]);
                other
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(value, above)| *value -= factor * above);
            }
            matrix[pivot] = row;
        }
        Inverse {
            matrix,
            log_determinant,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::tests::near;
    use crate::stats::elo_from_score;

    /// The ratings of `engines` engines, with the anchor at 0.
    fn fit(engines: usize, anchor: usize, meetings: &[Meeting]) -> Ratings {
        let model = Model::new(engines, anchor, meetings);
        model.ratings(model.maximum(vec![0.0; model.unknowns], None))
    }

    fn meeting(black: usize, white: usize, black_points: f64, games: f64) -> Meeting {
        Meeting {
            black,
            white,
            black_points,
            games,
        }
    }

    #[test]
    fn two_engines_have_the_closed_solution() {
        // By hand: each is Black a million times and scores 80% and 40%. The curve must give 0.8 at f + d
        // and 0.4 at f - d: f = (240.8 - 70.4) / 2 = 85.2 and d = (240.8 + 70.4) / 2 = 155.6.
        let ratings = fit(2, 1, &[meeting(0, 1, 8e5, 1e6), meeting(1, 0, 4e5, 1e6)]);
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
        // New York 1.2813, Boston 1.1438, Cleveland 0.7047, home 0.3023. A thousand such seasons
        // leave nothing of the penalty.
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
                meeting(
                    home,
                    away,
                    1e3 * f64::from(won),
                    1e3 * f64::from(won + lost),
                )
            })
            .collect();
        let ratings = fit(7, 6, &meetings);
        let log_odds = [1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047, 0.0];
        for (got, expected) in ratings.elo.iter().zip(log_odds) {
            near(got * LOGIT_PER_ELO, expected, 0.0005);
        }
        near(ratings.black_advantage * LOGIT_PER_ELO, 0.3023, 0.0005);
    }

    #[test]
    fn the_penalty_is_half_a_game_won_and_lost_for_each_unknown() {
        // Two unknowns and two meetings: each has one more game, drawn. By hand: 50.5 of 51 both
        // ways, and 10.5 of 21 with 3.5 of 5, as in the closed solution above.
        let swept = fit(2, 0, &[meeting(0, 1, 0.0, 50.0), meeting(1, 0, 50.0, 50.0)]);
        near(swept.elo[1], elo_from_score(50.5 / 51.0), 0.005);
        near(swept.black_advantage, 0.0, 0.001);
        let short = fit(2, 1, &[meeting(0, 1, 10.0, 20.0), meeting(1, 0, 3.0, 4.0)]);
        let (a, b) = (elo_from_score(0.5), elo_from_score(0.7));
        near(short.elo[0], (a - b) / 2.0, 0.001);
        near(short.black_advantage, f64::midpoint(a, b), 0.001);
    }

    #[test]
    fn a_hand_computed_matrix_is_inverted() {
        // Determinant 4 * 3 - 2 * 2 = 8; inverse (3, -2; -2, 4) / 8.
        let inverse = Inverse::of(vec![vec![4.0, 2.0], vec![2.0, 3.0]]);
        assert!((inverse.log_determinant - 8.0_f64.ln()).abs() < 1e-12);
        for (row, expected) in inverse.matrix.iter().zip([[0.375, -0.25], [-0.25, 0.5]]) {
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12, "{inverse:?}");
            }
        }
    }
}
