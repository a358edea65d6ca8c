//! The inverse of a small matrix.

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
