use super::super::testing::numbers;
use super::*;
use proptest::prelude::*;
use tengen_nn::eval::native::Level;

/// Calls `with` for each combination of board, output, input and weight index.
fn each_product(layer: Layer, sizes: &[[usize; 3]], mut with: impl FnMut(usize, usize, usize)) {
    let mut first = 0;
    for &[boards, height, width] in sizes {
        each_product_of_size(layer, [boards, height, width], first, &mut with);
        first += boards * height * width;
    }
}

/// The same for the boards of one size, whose first point is `first`.
fn each_product_of_size(
    layer: Layer,
    [boards, height, width]: [usize; 3],
    first: usize,
    with: &mut impl FnMut(usize, usize, usize),
) {
    let Layer {
        level: _,
        depthwise,
        inputs,
        outputs,
        kernel,
    } = layer;
    let rim = kernel / 2;
    for board in 0..boards {
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            for (ky, kx) in (0..kernel).flat_map(|y| (0..kernel).map(move |x| (y, x))) {
                let (from_y, from_x) = (y + ky, x + kx);
                let inside =
                    (rim..rim + height).contains(&from_y) && (rim..rim + width).contains(&from_x);
                if !inside {
                    continue;
                }
                let point = first + (board * height + y) * width + x;
                let from = first + (board * height + from_y - rim) * width + from_x - rim;
                for (output, input) in (0..outputs).flat_map(|o| (0..inputs).map(move |i| (o, i))) {
                    if depthwise && input != output {
                        continue;
                    }
                    let (seen, place) = if depthwise { (1, 0) } else { (inputs, input) };
                    let weight = ((output * seen + place) * kernel + ky) * kernel + kx;
                    with(point * outputs + output, from * inputs + input, weight);
                }
            }
        }
    }
}

/// Equal but for rounding, also that of Winograd's transforms.
fn near(a: &[f32], b: &[f32]) -> bool {
    let largest = b.iter().fold(0.0, |most: f32, b| most.max(b.abs()));
    let enough = 1e-5 * largest + 2e-4;
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < enough)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn convolutions_agree_with_the_definition(
        inputs in 1usize..36, outputs in 1usize..70, rim in 0usize..3, depthwise in any::<bool>(),
        sizes in prop::collection::vec((1usize..12, 1usize..8, 1usize..20), 1..4), seed in 0usize..100,
    ) {
        let sizes: Vec<[usize; 3]> = sizes.into_iter().map(|size| size.into()).collect();
        let kernel = 2 * rim + 1;
        let outputs = if depthwise { inputs } else { outputs };
        let level = Level::best();
        let layer = Layer { level, depthwise, inputs, outputs, kernel };
        let points: usize = sizes.iter().map(|size| size.iter().product::<usize>()).sum();
        let x = numbers(points * inputs, seed);
        let seen = if depthwise { 1 } else { inputs };
        let weights = numbers(outputs * seen * kernel * kernel, seed + 1);
        let gradient = numbers(points * outputs, seed + 2);
        let mut y = vec![0.0; gradient.len()];
        let mut to_x = vec![0.0; x.len()];
        let mut to_factors = vec![0.0; weights.len()];
        each_product(layer, &sizes, |to, from, weight| {
            y[to] += x[from] * weights[weight];
            to_x[from] += gradient[to] * weights[weight];
            to_factors[weight] += gradient[to] * x[from];
        });
        for level in Level::all() {
            let layer = Layer { level, ..layer };
            prop_assert!(near(&convolve(layer, &sizes, &x, &weights, false), &y), "{level}");
            let found = convolve(layer.transposed(), &sizes, &gradient, &weights, true);
            prop_assert!(near(&found, &to_x), "{level}");
            let found = weight_gradient(layer, &sizes, &x, &gradient);
            prop_assert!(near(&found, &to_factors), "{level}");
        }

        let planes = transpose(&x, points, inputs);
        prop_assert!(near(&transpose(&planes, inputs, points), &x));
    }

    #[test]
    fn norms_agree_with_their_definition(
        channels in 1usize..20, points in 2usize..600, seed in 0usize..100,
    ) {
        let x = numbers(points * channels, seed);
        let (gamma, beta) = (numbers(channels, seed + 1), numbers(channels, seed + 2));
        let [means, variances] = moments(&x, channels);
        for channel in 0..channels {
            let own: Vec<f64> = x[channel..].iter().step_by(channels).map(|x| (*x).into()).collect();
            let mean = own.iter().sum::<f64>() / points as f64;
            let variance = own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / points as f64;
            prop_assert!((f64::from(means[channel]) - mean).abs() < 1e-5);
            prop_assert!((f64::from(variances[channel]) - variance).abs() < 1e-5);
            let scale = f64::from(gamma[channel]) / (variance + 1e-3).sqrt();
            let wanted: Vec<f32> =
                own.iter().map(|x| ((x - mean) * scale) as f32 + beta[channel]).collect();
            let factors = [&gamma[..], &beta, &means, &variances];
            let y = norm(&x, factors, 1e-3, false);
            let clipped = norm(&x, factors, 1e-3, true);
            prop_assert!(clipped.iter().zip(&y).all(|(clipped, y)| *clipped == y.max(0.0)));
            let y: Vec<f32> = y[channel..].iter().step_by(channels).copied().collect();
            prop_assert!(near(&y, &wanted));
        }
    }
}

/// The gradients against finite differences of sum(weights * norm(x)), in which moments follow x.
#[test]
fn norms_have_the_gradients_of_their_differences() {
    let (channels, points, epsilon) = (3, 40, 1e-3);
    let x = numbers(channels * points, 1);
    let (gamma, beta) = (numbers(channels, 2), numbers(channels, 3));
    let weights = numbers(x.len(), 4);
    let total = |x: &[f32], gamma: &[f32], beta: &[f32]| -> f64 {
        let [mean, variance] = moments(x, channels);
        let y = norm(x, [gamma, beta, &mean, &variance], epsilon, false);
        let terms = y.iter().zip(&weights);
        terms.map(|(y, w)| f64::from(*y) * f64::from(*w)).sum()
    };
    let [mean, variance] = moments(&x, channels);
    let factors = [&gamma[..], &beta, &mean, &variance];
    let [to_x, to_gamma, to_beta] = norm_gradient(&x, &weights, factors, epsilon, false);
    let slope = |with: &dyn Fn(f32) -> f64| (with(1e-2) - with(-1e-2)) / 2e-2;
    let moved = |numbers: &[f32], place: usize, by: f32| {
        let mut numbers = numbers.to_vec();
        numbers[place] += by;
        numbers
    };
    for (place, found) in to_x.iter().enumerate() {
        let wanted = slope(&|by| total(&moved(&x, place, by), &gamma, &beta));
        assert!((f64::from(*found) - wanted).abs() < 5e-3, "{place}");
    }
    for channel in 0..channels {
        let by_gamma = slope(&|by| total(&x, &moved(&gamma, channel, by), &beta));
        let by_beta = slope(&|by| total(&x, &gamma, &moved(&beta, channel, by)));
        assert!((f64::from(to_gamma[channel]) - by_gamma).abs() < 5e-3);
        assert!((f64::from(to_beta[channel]) - by_beta).abs() < 5e-3);
    }
}

#[test]
fn numbers_by_board_reach_its_points_alone() {
    // Two boards of 1x2 and one of 1x3, two channels.
    let sizes = [[2, 1, 2], [1, 1, 3]];
    let x: Vec<f32> = (0..14_u8).map(f32::from).collect();
    let sum = add_by_board(2, &sizes, &x, &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
    assert_eq!(sum[..4], [10.0, 21.0, 12.0, 23.0]);
    assert_eq!(sum[4..8], [34.0, 45.0, 36.0, 47.0]);
    assert_eq!(sum[8..], [58.0, 69.0, 60.0, 71.0, 62.0, 73.0]);
    let sums = sums_by_board(2, &sizes, &x);
    assert_eq!(sums, [2.0, 4.0, 10.0, 12.0, 30.0, 33.0]);
}

/// A ReLU behind a norm lets through the gradients of answers above zero.
#[test]
fn a_relu_masks_the_gradients_of_a_norm() {
    let (channels, points, epsilon) = (5, 300, 1e-3);
    let x = numbers(channels * points, 1);
    let (gamma, beta) = (numbers(channels, 2), numbers(channels, 3));
    let gradient = numbers(x.len(), 4);
    let [mean, variance] = moments(&x, channels);
    let factors = [&gamma[..], &beta, &mean, &variance];
    let y = norm(&x, factors, epsilon, false);
    let masked = gradient.iter().zip(&y);
    let masked: Vec<f32> = masked
        .map(|(g, y)| if *y > 0.0 { *g } else { 0.0 })
        .collect();
    assert!(masked.iter().filter(|g| **g == 0.0).count() > x.len() / 10);
    let found = norm_gradient(&x, &gradient, factors, epsilon, true);
    assert_eq!(found, norm_gradient(&x, &masked, factors, epsilon, false));
}
