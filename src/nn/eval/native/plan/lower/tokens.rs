//! What only rows of tokens have, as steps of a plan.

use std::sync::Arc;

use super::super::super::graph::{Conv, Extent, Node, Op, ValueId, Weights};
use super::super::super::kernels::{LANES, Lanes, Pairing};
use super::super::{MapPart, Step, TokenOp};
use super::{Lines, Lowering};

impl Lowering<'_> {
    /// A node of tokens.
    pub(super) fn of_tokens(&mut self, index: usize, node: &Node) -> Result<(), String> {
        if let Op::RmsNorm {
            epsilon,
            extent: Extent::Point,
        } = node.op
            && self.readers_are_products(node.output)
        {
            // A number for each point, by which their answers are multiplied.
            let readers = self.readers[node.output].len();
            self.norms[node.output] = Some(epsilon);
            self.results.alias(node.output, node.inputs[0], readers);
            self.results.release(node.inputs[0]);
            return Ok(());
        }
        if let (Op::Multiply, &[first, gate]) = (&node.op, &node.inputs[..])
            && self.readers_are_products(node.output)
            && self.has_words(self.row)
        {
            // Multiplied while the product is rounded.
            let readers = self.readers[node.output].len();
            self.gates[node.output] = Some(gate);
            self.results.alias(node.output, first, readers);
            self.results.alias(gate, gate, readers);
            self.results.release(first);
            self.results.release(gate);
            return Ok(());
        }
        let inputs = node.inputs.iter().map(|&input| self.results.numbers(input));
        let inputs = inputs.collect::<Result<Vec<MapPart>, _>>()?;
        let target = self.target(std::iter::once(&self.alone(index)))?;
        let mut table = |rows| Some(self.table(rows, inputs[0].channels));
        let op = match &node.op {
            Op::Move => TokenOp::Move,
            Op::Center => TokenOp::Center,
            &Op::RmsNorm { epsilon, extent } => TokenOp::RmsNorm { epsilon, extent },
            Op::Multiply => TokenOp::Pair(Pairing::Product, None),
            Op::AddTable(rows) => TokenOp::Pair(Pairing::Sum, table(rows)),
            Op::Turn(rows) => TokenOp::Pair(Pairing::Turn, table(rows)),
            &Op::Attend(heads) => TokenOp::Attend {
                heads,
                in_words: self.has_words(self.row),
            },
            _ => return Err("it is no operation of tokens".to_owned()),
        };
        let step = Step::Tokens { op, inputs, target };
        self.steps.push(step);
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

    /// A table of a number for each channel of each point, block by block; made once for all its readers.
    fn table(&mut self, rows: &Arc<Vec<f32>>, channels: usize) -> Lines {
        if let Some((_, table)) = self.tables.iter().find(|(of, _)| Arc::ptr_eq(of, rows)) {
            return Arc::clone(table);
        }
        let mut table = Vec::new();
        for first in (0..channels).step_by(LANES) {
            for row in rows.chunks_exact(channels) {
                let mut line = Lanes::default();
                let numbers = &row[first..channels.min(first + LANES)];
                line.0[..numbers.len()].copy_from_slice(numbers);
                table.push(line);
            }
        }
        let table = Arc::new(table);
        self.tables.push((Arc::clone(rows), Arc::clone(&table)));
        table
    }
}
