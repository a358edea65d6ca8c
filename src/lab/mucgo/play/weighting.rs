//! The evaluation of a move by domain knowledge and UCB1 (equation 9).

tengen::choices! {
    /// A row of Table 1. `f + g = 1`, and knowledge weighs at least as much as UCB1.
    Weighting {
        /// `g = 0.5`, `f = 0.5`.
        A = "A",
        /// `g = 0.4`, `f = 0.6`: the paper's choice.
        B = "B",
        /// `g = 0.3`, `f = 0.7`.
        C = "C",
        /// `g = 0.2`, `f = 0.8`.
        D = "D",
        /// `g = 0.1`, `f = 0.9`.
        E = "E",
    }
}

impl Weighting {
    /// The weight f of domain knowledge, in [0.5, 0.9].
    pub(super) fn of_domain(self) -> f32 {
        match self {
            Weighting::A => 0.5,
            Weighting::B => 0.6,
            Weighting::C => 0.7,
            Weighting::D => 0.8,
            Weighting::E => 0.9,
        }
    }

    /// Equation 9: `V = f d + g u`, of a domain score d and a UCB1 score u, both in [0, 1].
    pub(super) fn value(self, domain: f32, ucb: f32) -> f32 {
        let weight = self.of_domain();
        weight * domain + (1.0 - weight) * ucb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equation_9_with_the_weights_of_table_1() {
        for (weighting, expected) in [
            (Weighting::A, 0.6),
            (Weighting::B, 0.64),
            (Weighting::C, 0.68),
            (Weighting::D, 0.72),
            (Weighting::E, 0.76),
        ] {
            let value = weighting.value(0.8, 0.4);
            assert!((value - expected).abs() < 1e-6, "{weighting}: {value}");
        }
    }
}
