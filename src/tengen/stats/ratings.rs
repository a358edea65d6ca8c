//! Ratings of many engines from all their games: Bradley and Terry's model by Firth's penalised likelihood.
//!
//! An engine of rating `a` scores against one of rating `b` as the logistic curve of `a - b`; a draw is half a win. One
//! engine's rating is fixed, which fixes the scale. Source: Bradley and Terry, Biometrika 39 (1952).
//!
//! Colours are not part of the model. Every opening is played with both, so that they cancel out, and the ratings of two
//! engines agree with the rating difference of their score. An unknown for the advantage of Black would have no bound
//! where one colour always wins, and with it the differences between engines would grow without bound.
//!
//! Plain maximum likelihood puts an engine that won everything at infinity. Firth's penalty (half
//! the logarithm of the information's determinant, Jeffreys' prior; Biometrika 80, 1993) removes
//! the bias of order 1/n instead, and is the accepted remedy for this case (Heinze and Schemper,
//! Statistics in Medicine 21, 2002). It acts like some additional drawn games per meeting, in total
//! one fewer than there are engines: 4-0 alone counts as 4.5-0.5, and 400 games are hardly affected.

use super::elo::{LOGIT_PER_ELO, score_from_elo};

/// Standard deviation (Elo) of a normal prior on every unknown: wide enough to carry no
/// information, but it defines an answer for an engine without games.
const PRIOR_DEVIATION_ELO: f64 = 100_000.0;

/// Maximum number of steps; ten are usual.
const MAX_STEPS: usize = 100;

/// Convergence threshold for the change in a step, in Elo.
const CONVERGED_ELO: f64 = 1e-4;

/// Maximum length of a step (Elo); far from the maximum full steps overshoot.
const MAX_STEP_ELO: f64 = 200.0;

/// Games between the same two engines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Index of the first engine.
    pub first: usize,
    /// Index of the second engine.
    pub second: usize,
    /// The first engine's points: wins and half the draws.
    pub points: f64,
    /// Number of games between the two.
    pub games: f64,
}

impl Meeting {
    /// The first engine's expected score under these ratings, in 0..=1.
    pub(super) fn expected(&self, elo: &[f64]) -> f64 {
        score_from_elo(self.difference(elo))
    }

    fn difference(&self, elo: &[f64]) -> f64 {
        elo[self.first] - elo[self.second]
    }

    /// The unknowns that it depends on, with the sign of their effect on the first engine's score.
    fn signs(&self) -> [(usize, f64); 2] {
        [(self.first, 1.0), (self.second, -1.0)]
    }

    /// Information that it adds about its difference, per square Elo.
    fn weight(&self, elo: &[f64]) -> f64 {
        let expected = self.expected(elo);
        self.games * expected * (1.0 - expected) * LOGIT_PER_ELO.powi(2)
    }
}

/// The likelihood of games under ratings in Elo. The unknowns are one per engine, including the
/// anchor, which is fixed.
pub(super) struct Model<'a> {
    engines: usize,
    anchor: usize,
    meetings: &'a [Meeting],
}

impl<'a> Model<'a> {
    pub(super) fn new(engines: usize, anchor: usize, meetings: &'a [Meeting]) -> Model<'a> {
        Model {
            engines,
            anchor,
            meetings,
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
            let logit = meeting.difference(elo) * LOGIT_PER_ELO;
            // Of a win and of a loss: ln(1 / (1 + e^-x)) without overflow.
            let won = |x: f64| -(-x.abs()).exp().ln_1p() + x.min(0.0);
            meeting.points * won(logit) + (meeting.games - meeting.points) * won(-logit)
        });
        let prior = elo.iter().map(|value| -0.5 * prior() * value * value);
        let (_, log_determinant) = self.information(elo);
        games.chain(prior).sum::<f64>() + 0.5 * log_determinant
    }

    /// Standard deviation (Elo) of one unknown, from the curvature of the likelihood.
    pub(super) fn deviation(&self, elo: &[f64], unknown: usize) -> f64 {
        let (inverse, _) = self.information(elo);
        inverse[unknown][unknown].sqrt()
    }

    /// The inverse of Fisher's information, and the logarithm of the information's determinant.
    fn information(&self, elo: &[f64]) -> (Matrix, f64) {
        let mut information = vec![vec![0.0; self.engines]; self.engines];
        for (index, row) in information.iter_mut().enumerate() {
            row[index] = prior();
        }
        for meeting in self.meetings {
            let weight = meeting.weight(elo);
            for (row, row_sign) in meeting.signs() {
                for (column, column_sign) in meeting.signs() {
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
        inverse(information)
    }

    /// Fisher scoring step for all unknowns; 0 for the anchor and the held one.
    fn step(&self, elo: &[f64], held: Option<usize>) -> Vec<f64> {
        let (inverse, _) = self.information(elo);
        let mut gradient: Vec<f64> = elo.iter().map(|value| -prior() * value).collect();
        for meeting in self.meetings {
            let signs = meeting.signs();
            let expected = meeting.expected(elo);
            let variance: f64 = signs
                .iter()
                .flat_map(|&(row, a)| signs.map(|(column, b)| a * b * inverse[row][column]))
                .sum();
            // The meeting's diagonal entry of the hat matrix: the number of games added by the
            // penalty.
            let drawn = meeting.weight(elo) * variance;
            let surplus = meeting.points + 0.5 * drawn - (meeting.games + drawn) * expected;
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

/// Rows of a square matrix.
type Matrix = Vec<Vec<f64>>;

/// The inverse of a symmetric positive definite matrix, and the logarithm of the matrix's determinant, by Gauss-Jordan
/// elimination in place; such a matrix needs no pivoting.
fn inverse(mut matrix: Matrix) -> (Matrix, f64) {
    let mut log_determinant = 0.0;
    for pivot in 0..matrix.len() {
        let mut row = std::mem::take(&mut matrix[pivot]);
        let divisor = row[pivot];
        log_determinant += divisor.ln();
        row[pivot] = 1.0;
        row.iter_mut().for_each(|value| *value /= divisor);
        for other in matrix.iter_mut().filter(|other| !other.is_empty()) {
            let factor = std::mem::take(&mut other[pivot]);
            let values = other.iter_mut().zip(&row);
            values.for_each(|(value, above)| *value -= factor * above);
        }
        matrix[pivot] = row;
    }
    (matrix, log_determinant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::tests::near;
    use crate::stats::elo_from_score;

    /// The ratings of `engines` engines, with the anchor at 0.
    fn fit(engines: usize, anchor: usize, meetings: &[Meeting]) -> Vec<f64> {
        let model = Model::new(engines, anchor, meetings);
        model.maximum(vec![0.0; engines], None)
    }

    fn meeting(first: usize, second: usize, points: f64, games: f64) -> Meeting {
        Meeting {
            first,
            second,
            points,
            games,
        }
    }

    #[test]
    fn two_engines_have_the_rating_of_their_score() {
        let even = fit(2, 1, &[meeting(0, 1, 8e5, 1e6), meeting(1, 0, 4e5, 1e6)]);
        near(even[0], elo_from_score(0.7), 0.01);
        assert_eq!(even[1], 0.0);
        // White won all games but five: 55 of 100 points. One drawn game is the penalty.
        let by_colour = fit(2, 1, &[meeting(0, 1, 5.0, 50.0), meeting(1, 0, 0.0, 50.0)]);
        near(by_colour[0], elo_from_score(55.5 / 101.0), 0.01);
        // All of them.
        let evenly = fit(2, 1, &[meeting(0, 1, 0.0, 50.0), meeting(1, 0, 0.0, 50.0)]);
        near(evenly[0], 0.0, 0.01);
    }

    #[test]
    fn consistent_scores_give_the_ratings_they_came_from() {
        let truth = [120.0, 0.0, -300.0, 45.0];
        let meetings: Vec<Meeting> = (0..4)
            .flat_map(|first| (0..4).map(move |second| (first, second)))
            .filter(|(first, second)| first != second)
            .map(|(first, second)| {
                let expected = score_from_elo(truth[first] - truth[second]);
                meeting(first, second, 2000.0 * expected, 2000.0)
            })
            .collect();
        for (got, expected) in fit(4, 1, &meetings).iter().zip(truth) {
            near(*got, expected, 0.2);
        }
    }

    #[test]
    fn the_published_baseball_example_is_reproduced() {
        // Agresti, Categorical Data Analysis, table of the American League 1987, as data set
        // `baseball` of the R package BradleyTerry2. Its vignette has these log odds without home
        // advantage, relative to Baltimore (`baseballModel1`). A thousand such seasons leave
        // nothing of the penalty.
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
        let log_odds = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0];
        for (got, expected) in fit(7, 6, &meetings).iter().zip(log_odds) {
            near(got * LOGIT_PER_ELO, expected, 0.0005);
        }
    }

    #[test]
    fn the_penalty_is_half_a_game_won_and_lost_for_each_unknown() {
        let swept = fit(2, 0, &[meeting(0, 1, 0.0, 50.0), meeting(1, 0, 50.0, 50.0)]);
        near(swept[1], elo_from_score(100.5 / 101.0), 0.01);
        let short = fit(2, 1, &[meeting(0, 1, 10.0, 20.0), meeting(1, 0, 3.0, 4.0)]);
        near(short[0], elo_from_score(11.5 / 25.0), 0.001);
        // A chain of two meetings has one drawn game in each.
        let chain = fit(3, 0, &[meeting(1, 0, 2.0, 2.0), meeting(2, 1, 4.0, 4.0)]);
        near(chain[1], elo_from_score(2.5 / 3.0), 0.01);
        near(chain[2] - chain[1], elo_from_score(4.5 / 5.0), 0.01);
    }

    #[test]
    fn a_hand_computed_matrix_is_inverted() {
        // Determinant 4 * 3 - 2 * 2 = 8; inverse (3, -2; -2, 4) / 8.
        let (inverse, log_determinant) = inverse(vec![vec![4.0, 2.0], vec![2.0, 3.0]]);
        assert!((log_determinant - 8.0_f64.ln()).abs() < 1e-12);
        for (row, expected) in inverse.iter().zip([[0.375, -0.25], [-0.25, 0.5]]) {
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12, "{inverse:?}");
            }
        }
    }
}
