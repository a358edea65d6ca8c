//! What is done to a sum on its way to memory.

use super::simd::Simd;

/// A function of one number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Activation {
    /// The number itself.
    #[default]
    Identity,
    /// max(x, 0).
    Relu,
    /// x tanh(ln(1 + e^x)) (Misra 2019).
    Mish,
    /// x / (1 + e^-x) (Elfwing et al. 2017).
    Silu,
    /// x (1 + erf(x / sqrt 2)) / 2 (Hendrycks and Gimpel 2016).
    Gelu,
}

/// The activation of `x`.
#[inline(always)]
pub(super) fn activate<S: Simd>(simd: S, activation: Activation, x: S::F) -> S::F {
    match activation {
        Activation::Identity => x,
        // In this order it keeps what is not a number.
        Activation::Relu => simd.max(simd.splat(0.0), x),
        Activation::Mish => mish(simd, x),
        Activation::Silu => silu(simd, x),
        Activation::Gelu => gelu(simd, x),
    }
}

/// Beyond this e^x squared is more than 1 by more than f32 can tell: the answer is x.
const LARGE: f32 = 20.0;
/// Below this e^x is smaller than any normal number: the answer is 0.
const SMALL: f32 = -87.0;

/// ln 2 in two parts, the first of which has few digits (Cephes).
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, the highest power first (Cephes).
const POLYNOMIAL: [f32; 6] = [
    1.987_569_1e-4,
    1.398_199_9e-3,
    8.333_452e-3,
    4.166_579_6e-2,
    0.166_666_66,
    0.5,
];

/// [`Activation::Mish`], with a relative error of some 1e-6: tanh(ln(1 + e)) = n / (n + 2) with
/// n = e (e + 2).
#[inline(always)]
fn mish<S: Simd>(simd: S, x: S::F) -> S::F {
    let e = exp(
        simd,
        simd.max(simd.min(x, simd.splat(LARGE)), simd.splat(SMALL)),
    );
    let two = simd.splat(2.0);
    let n = simd.mul(e, simd.add(e, two));
    simd.mul(x, simd.div(n, simd.add(n, two)))
}

/// [`Activation::Silu`].
#[inline(always)]
fn silu<S: Simd>(simd: S, x: S::F) -> S::F {
    let least = simd.splat(SMALL);
    let negative = simd.mul(x, simd.splat(-1.0));
    let e = exp(
        simd,
        simd.max(simd.min(negative, simd.splat(-SMALL)), least),
    );
    simd.div(x, simd.add(e, simd.splat(1.0)))
}

/// 1 - erf(x) for x >= 0 as a polynomial of 1 / (1 + [`ERF_SCALE`] x) times e^(-x^2), with an error of 1.5e-7 at most
/// (Abramowitz and Stegun 1964, 7.1.26), the highest power first; halved.
const HALF_ERFC: [f32; 5] = [
    0.530_702_7,
    -0.726_576,
    0.710_706_9,
    -0.142_248_4,
    0.127_414_8,
];
const ERF_SCALE: f32 = 0.327_591_1;

/// [`Activation::Gelu`], with an error of some 1e-7 times |x|: x / 2 + |x| (1/2 - q), where q is half of 1 - erf.
#[inline(always)]
fn gelu<S: Simd>(simd: S, x: S::F) -> S::F {
    let half = simd.splat(0.5);
    let magnitude = simd.max(x, simd.mul(x, simd.splat(-1.0)));
    let scaled = simd.mul(magnitude, simd.splat(std::f32::consts::FRAC_1_SQRT_2));
    let one = simd.splat(1.0);
    let t = simd.div(one, simd.mul_add(scaled, simd.splat(ERF_SCALE), one));
    let mut sum = simd.splat(HALF_ERFC[0]);
    for factor in &HALF_ERFC[1..] {
        sum = simd.mul_add(sum, t, simd.splat(*factor));
    }
    let e = exp_of_negative(simd, simd.mul(scaled, simd.mul(scaled, simd.splat(-1.0))));
    let q = simd.mul(simd.mul(sum, t), e);
    let rest = simd.mul_add(q, simd.splat(-1.0), half);
    simd.mul_add(magnitude, rest, simd.mul(x, half))
}

/// e^x for x up to 0; below -87 it stays at what is next to nothing.
#[inline(always)]
pub(super) fn exp_of_negative<S: Simd>(simd: S, x: S::F) -> S::F {
    exp(simd, simd.max(x, simd.splat(SMALL)))
}

/// e^x for x in [-87, 87].
#[inline(always)]
fn exp<S: Simd>(simd: S, x: S::F) -> S::F {
    let power = simd.round(simd.mul(x, simd.splat(std::f32::consts::LOG2_E)));
    let rest = simd.mul_add(power, simd.splat(-LN_2[0]), x);
    let rest = simd.mul_add(power, simd.splat(-LN_2[1]), rest);
    let mut sum = simd.splat(POLYNOMIAL[0]);
    for factor in &POLYNOMIAL[1..] {
        sum = simd.mul_add(sum, rest, simd.splat(*factor));
    }
    let one = simd.splat(1.0);
    let exp = simd.mul_add(simd.mul(sum, rest), rest, simd.add(rest, one));
    simd.mul(exp, simd.power_of_two(power))
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::super::simd::{Job, LANES, Lanes};
    use super::*;

    struct Activated(Activation, Lanes<f32>);

    impl Job for Activated {
        type Output = Lanes<f32>;

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Lanes<f32> {
            let mut out = Lanes::default();
            simd.store(activate(simd, self.0, simd.load(&self.1)), &mut out);
            out
        }
    }

    /// The share of a normal distribution below `x`, by the series of its integral.
    fn normal(x: f64) -> f64 {
        if x.abs() > 8.0 {
            return if x > 0.0 { 1.0 } else { 0.0 };
        }
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= x * x / f64::from(2 * n + 1);
            sum += term;
        }
        0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
    }

    #[test]
    fn activations_are_what_their_formulas_say() {
        let formula = |activation, x: f64| match activation {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
            Activation::Silu => x / (1.0 + (-x).exp()),
            Activation::Gelu => x * normal(x),
        };
        let all = [
            Activation::Identity,
            Activation::Relu,
            Activation::Mish,
            Activation::Silu,
            Activation::Gelu,
        ];
        for level in Level::all() {
            for activation in all {
                let found = level.enter(Activated(activation, Lanes([f32::NAN; LANES])));
                let is_lost = found.0.iter().any(|number| !number.is_nan());
                assert!(!is_lost, "{level}: {activation:?} of NaN is {found:?}");
            }
            for start in -4000..4000 {
                let line = Lanes(std::array::from_fn(|i| {
                    (start * LANES as i32 + i as i32) as f32 / 500.0
                }));
                for activation in all {
                    let found = level.enter(Activated(activation, line));
                    for (x, found) in line.0.into_iter().zip(found.0) {
                        let wanted = formula(activation, f64::from(x));
                        let error = (f64::from(found) - wanted).abs();
                        let least = match activation {
                            Activation::Gelu => 1e-6,
                            _ => 1e-30,
                        };
                        assert!(
                            error <= 2e-6 * wanted.abs() + least,
                            "{level}: {activation:?} of {x} is {found}"
                        );
                    }
                }
            }
        }
    }
}
