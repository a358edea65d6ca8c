//! The direction of a step of Muon (Jordan et al. 2024): of a gradient U S V', its singular values S aside, U V'.
//!
//! The gradient of a matrix is long in a few directions, which Adam follows number by number. Here each direction
//! counts the same.

/// Newton and Schulz's iteration with the numbers of Jordan et al.: a x + b x^3 + c x^5 brings singular values from
/// 0.01 up to [0.7, 1.2] in five steps.
const FACTORS: [f32; 3] = [3.4445, -4.7750, 2.0315];
const ITERATIONS: usize = 5;

/// Sums of a scalar product that are kept side by side.
const LANES: usize = 16;

/// Replaces a matrix U S V', row-major, by about U V'.
pub(super) fn orthogonalise(matrix: &mut [f32], rows: usize, columns: usize) {
    let squared: f64 = matrix.iter().map(|&x| f64::from(x).powi(2)).sum();
    // Without a gradient there is no direction.
    let scale = 1.0 / (squared.sqrt() as f32).max(f32::MIN_POSITIVE.sqrt());
    matrix.iter_mut().for_each(|x| *x *= scale);
    match rows > columns {
        true => {
            let mut wide = transposed(matrix, columns);
            iterate(&mut wide, rows);
            matrix.copy_from_slice(&transposed(&wide, rows));
        }
        false => iterate(matrix, columns),
    }
}

/// The iteration, of a matrix X of at least as many columns as rows: X <- a X + (b A + c A A) X, where A = X X'.
fn iterate(matrix: &mut [f32], columns: usize) {
    let [a, b, c] = FACTORS;
    for _ in 0..ITERATIONS {
        let products = row_products(matrix, columns);
        let rows = matrix.len() / columns;
        // It is symmetric: products of its rows are its square.
        let mut mixed = row_products(&products, rows);
        for (mixed, product) in mixed.iter_mut().zip(&products) {
            *mixed = b * product + c * *mixed;
        }
        let before = matrix.to_vec();
        matrix.iter_mut().for_each(|x| *x *= a);
        for (row, factors) in matrix
            .chunks_exact_mut(columns)
            .zip(mixed.chunks_exact(rows))
        {
            for (factor, other) in factors.iter().zip(before.chunks_exact(columns)) {
                for (x, other) in row.iter_mut().zip(other) {
                    *x = factor.mul_add(*other, *x);
                }
            }
        }
    }
}

/// X X', row-major.
fn row_products(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    let mut products = vec![0.0; rows * rows];
    for (i, row) in matrix.chunks_exact(columns).enumerate() {
        for (j, other) in matrix.chunks_exact(columns).enumerate().take(i + 1) {
            let product = scalar_product(row, other);
            products[i * rows + j] = product;
            products[j * rows + i] = product;
        }
    }
    products
}

fn scalar_product(one: &[f32], other: &[f32]) -> f32 {
    let (ones, one) = one.as_chunks::<LANES>();
    let (others, other) = other.as_chunks::<LANES>();
    let mut sums = [0.0f32; LANES];
    for (one, other) in ones.iter().zip(others) {
        for (sum, (x, y)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum = x.mul_add(*y, *sum);
        }
    }
    let rest = one.iter().zip(other).map(|(x, y)| x * y);
    sums.into_iter().chain(rest).sum()
}

fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    let column = |column| (0..rows).map(move |row| matrix[row * columns + column]);
    (0..columns).flat_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_distr::StandardNormal;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn rows_become_orthogonal_and_as_long_as_each_other() {
        let (rows, columns) = (20, 50);
        let numbers = Xoshiro256PlusPlus::seed_from_u64(1).sample_iter::<f32, _>(StandardNormal);
        // Rows of very different length.
        let mut matrix: Vec<f32> = numbers.take(rows * columns).collect();
        for (row, numbers) in matrix.chunks_exact_mut(columns).enumerate() {
            numbers.iter_mut().for_each(|x| *x *= 1.0 + row as f32);
        }
        let before = matrix.clone();
        orthogonalise(&mut matrix, rows, columns);
        for (index, product) in row_products(&matrix, columns).into_iter().enumerate() {
            let is_length = index / rows == index % rows;
            let range = if is_length { 0.4..1.6 } else { -0.4..0.4 };
            assert!(range.contains(&product), "{index}: {product}");
        }
        // Each row turns towards the others' complement, not away from where it was.
        for (now, before) in matrix
            .chunks_exact(columns)
            .zip(before.chunks_exact(columns))
        {
            assert!(scalar_product(now, before) > 0.0);
        }
        // A matrix that stands upright is the same one.
        let mut upright = transposed(&before, columns);
        orthogonalise(&mut upright, columns, rows);
        assert_eq!(transposed(&upright, rows), matrix);
    }

    #[test]
    fn nothing_has_no_direction() {
        let mut matrix = vec![0.0; 16 * 16];
        orthogonalise(&mut matrix, 16, 16);
        assert_eq!(matrix, vec![0.0; 16 * 16]);
    }
}
