//! What only rows of tokens have, as steps of a plan.

use super::super::super::graph::{Conv, Extent, Node, Op, TokenOp, ValueId, Weights};
use super::super::super::kernels::Pairing;
use super::super::{MapPart, Step};
use super::Lowering;

impl Lowering<'_> {
    /// A node of tokens.
    pub(super) fn tokens(&mut self, index: usize, node: &Node, op: &TokenOp) -> Result<(), String> {
        let readers = self.readers[node.output].len();
        match (op, &node.inputs[..]) {
            (
                &TokenOp::RmsNorm {
                    epsilon,
                    extent: Extent::Point,
                },
                &[x],
            ) if self.readers_are_products(node.output) => {
                // A number for each point, by which their answers are multiplied.
                self.norms[node.output] = Some(epsilon);
                self.results.alias(node.output, x, readers);
            }
            (TokenOp::Pair(Pairing::Product, None), &[first, gate])
                if self.readers_are_products(node.output) && self.has_words(self.row) =>
            {
                // Multiplied while the product is rounded.
                self.gates[node.output] = Some(gate);
                self.results.alias(node.output, first, readers);
                self.results.alias(gate, gate, readers);
            }
            (op, inputs) => {
                let inputs = inputs.iter().map(|&input| self.results.numbers(input));
                let inputs = inputs.collect::<Result<Vec<MapPart>, _>>()?;
                let target = self.target(std::iter::once(&self.alone(index)))?;
                if target.rounded.is_some() {
                    return Err("what was made of tokens is rounded".to_owned());
                }
                let op = op.clone();
                self.steps.push(Step::Tokens { op, inputs, target });
            }
        }
        for &input in &node.inputs {
            self.results.release(input);
        }
        Ok(())
    }

    /// Whether all readers of tokens multiply them by matrices of numbers.
    fn readers_are_products(&self, value: ValueId) -> bool {
        self.readers[value].iter().all(|&reader| {
            matches!(
                &self.graph.nodes[reader].op,
                Op::Conv(Conv {
                    weights: Weights::Float(_),
                    ..
                })
            )
        })
    }
}
