//! Weights of the parts of the loss (Gao & Wu 2021, 4.3, with the corrections of
//! docs/methods.md#networks).

use serde::{Deserialize, Serialize};

use crate::network::net::AuxHead;

/// Weights of the parts of the loss, relative to the policy's cross-entropy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LossWeights {
    /// Cross-entropy of the value (Gao & Wu 2021, 4.3: 1.5).
    pub value: f32,
    /// Whether the value's part is the squared error of the expected result, in [0, 1], instead of the cross-entropy:
    /// Cazenave 2020 compares both (IV-D).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub squared_value: bool,
    /// Cross-entropy of the owners, mean over points (the paper: 0.5, printed as a sum, which would
    /// begin at 28 nats and dominate the rest).
    pub ownership: f32,
    /// Fate's cross-entropy, the mean over all points of both sides, stones counting 0; as
    /// ownership.
    pub fate: f32,
    /// Squared error of the margin in points, linear beyond 2 (the paper: 0.25). It improves the
    /// value at the expense of the policy: networks `tengen-5b32c` fitted with 0, 0.03 and 0.25 to
    /// the same 7,800 games for 1,800 steps played equally well, 150-150 both times.
    #[serde(rename = "score")]
    pub margin: f32,
    /// Error of the lead in tens of points, squared up to 10 points, linear beyond. Absent in games
    /// without points and in older files.
    #[serde(default = "lead_weight")]
    pub lead: f32,
    /// Cross-entropy of the opponent's reply (Wu 2019, 3.4: 0.15).
    pub reply: f32,
}

impl Default for LossWeights {
    fn default() -> LossWeights {
        LossWeights {
            value: 1.5,
            squared_value: false,
            ownership: 0.5,
            fate: 0.5,
            margin: 0.25,
            lead: lead_weight(),
            reply: 0.15,
        }
    }
}

/// Default weight of the lead: an error of 5 points counts as much as 0.06 nats of the policy.
fn lead_weight() -> f32 {
    0.25
}

impl LossWeights {
    /// The weight of an auxiliary head.
    pub(crate) fn of(&self, head: AuxHead) -> f32 {
        match head {
            AuxHead::Ownership => self.ownership,
            AuxHead::PointStatus => self.fate,
            AuxHead::Margin => self.margin,
            AuxHead::Lead => self.lead,
            AuxHead::Reply => self.reply,
        }
    }
}
