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
}

/// The activation of `x`.
#[inline(always)]
pub(super) fn activate<S: Simd>(simd: S, activation: Activation, x: S::F) -> S::F {
    match activation {
        Activation::Identity => x,
        Activation::Relu => simd.max(x, simd.splat(0.0)),
        Activation::Mish => mish(simd, x),
        Activation::Silu => silu(simd, x),
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

    #[test]
    fn activations_are_what_their_formulas_say() {
        let formula = |activation, x: f64| match activation {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
            Activation::Silu => x / (1.0 + (-x).exp()),
        };
        let all = [
            Activation::Identity,
            Activation::Relu,
            Activation::Mish,
            Activation::Silu,
        ];
        for level in Level::all() {
            for start in -4000..4000 {
                let line = Lanes(std::array::from_fn(|i| {
                    (start * LANES as i32 + i as i32) as f32 / 500.0
                }));
                for activation in all {
                    let found = level.enter(Activated(activation, line));
                    for (x, found) in line.0.into_iter().zip(found.0) {
                        let wanted = formula(activation, f64::from(x));
                        let error = (f64::from(found) - wanted).abs();
                        assert!(
                            error <= 2e-6 * wanted.abs() + 1e-30,
                            "{level}: {activation:?} of {x} is {found}"
                        );
                    }
                }
            }
        }
    }
}
