//! The blocks of transformers: attention and feed-forward, each with its normalisation.

use super::layers::{MatMul, RmsNorm};
use super::reader::KataGoReader;

/// The most heads of a block, and channels of a head.
const MAX_OF_HEADS: usize = 4096;

/// Each point reads all others, by as many patterns as there are heads.
#[derive(Debug)]
pub(super) struct Attention {
    pub(super) norm: RmsNorm,
    pub(super) heads: usize,
    /// Heads of keys and values, each for as many of `heads`.
    pub(super) kv_heads: usize,
    /// Channels of a head of queries and keys.
    pub(super) query_dim: usize,
    /// Channels of a head of values.
    pub(super) value_dim: usize,
    pub(super) query: MatMul,
    pub(super) key: MatMul,
    pub(super) value: MatMul,
    pub(super) out: MatMul,
    pub(super) rotation: Option<Rotation>,
}

/// By which angle a pair of neighbouring channels of queries and keys is turned at a point (rotary
/// positions, Su et al. 2021).
#[derive(Debug)]
pub(super) enum Rotation {
    /// Radians per column and per row: `[kv head, pair, 2]`.
    Learned(Vec<[f32; 2]>),
    /// The first half of the pairs by the row, the others by the column, each by powers of this number.
    Fixed(f32),
}

/// SiLU(h `first`) x (h `gate`), times `last`.
#[derive(Debug)]
pub(super) struct FeedForward {
    pub(super) norm: RmsNorm,
    pub(super) first: MatMul,
    pub(super) gate: MatMul,
    pub(super) last: MatMul,
}

impl Attention {
    /// The rest of a block with this number of channels.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
    ) -> Result<Attention, String> {
        let mut count = |what: &str| reader.count(what, MAX_OF_HEADS);
        let heads = count("its number of heads")?;
        let kv_heads = count("its number of heads of keys and values")?;
        let query_dim = count("the number of channels of a head of queries")?;
        let value_dim = count("the number of channels of a head of values")?;
        let rotates = reader.flag("whether it has rotary positions")?;
        let is_learned = reader.flag("whether its rotary positions are learned")?;
        if heads % kv_heads != 0 {
            return Err(reader.wrong(&format!(
                "its {heads} heads cannot share {kv_heads} heads of keys and values"
            )));
        }
        if rotates && query_dim % 2 != 0 {
            return Err(reader.wrong(&format!(
                "rotary positions turn pairs of channels, and its heads have {query_dim}"
            )));
        }
        Ok(Attention {
            norm: RmsNorm::read(reader, channels)?,
            query: MatMul::of(reader, [channels, heads * query_dim])?,
            key: MatMul::of(reader, [channels, kv_heads * query_dim])?,
            value: MatMul::of(reader, [channels, kv_heads * value_dim])?,
            out: MatMul::of(reader, [heads * value_dim, channels])?,
            rotation: match rotates {
                true => Some(Rotation::read(
                    reader,
                    is_learned,
                    [kv_heads, query_dim / 2],
                )?),
                false => None,
            },
            heads,
            kv_heads,
            query_dim,
            value_dim,
        })
    }
}

impl Rotation {
    fn read(
        reader: &mut KataGoReader<'_>,
        is_learned: bool,
        [heads, pairs]: [usize; 2],
    ) -> Result<Rotation, String> {
        let name = reader.word("the name of rotary positions")?;
        if !is_learned {
            return Ok(Rotation::Fixed(reader.positive(&format!("{name}: theta"))?));
        }
        let mut shape = [0; 3];
        for len in &mut shape {
            *len = reader.number(&format!("{name}: a length"))?;
        }
        if shape != [heads, pairs, 2] {
            return Err(reader.wrong(&format!(
                "{name} has the shape {shape:?}, not {:?}",
                [heads, pairs, 2]
            )));
        }
        let frequencies = reader.weights(heads * pairs * 2, name)?;
        let (frequencies, _) = frequencies.as_chunks::<2>();
        Ok(Rotation::Learned(frequencies.to_vec()))
    }

    /// The angle of a pair of `pairs`, in radians; rows are counted from the top.
    pub(super) fn angle(&self, kv_head: usize, [pair, pairs]: [usize; 2], [x, y]: [f32; 2]) -> f32 {
        match self {
            Rotation::Learned(frequencies) => {
                let [by_x, by_y] = frequencies[kv_head * pairs + pair];
                x * by_x + y * by_y
            }
            Rotation::Fixed(theta) => {
                let of_rows = pairs / 2;
                let (at, pair) = match pair.checked_sub(of_rows) {
                    Some(pair) => (x, pair),
                    None => (y, pair),
                };
                at / theta.powf((2 * pair) as f32 / pairs as f32)
            }
        }
    }
}

impl FeedForward {
    /// The rest of a block with this number of channels.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        channels: usize,
    ) -> Result<FeedForward, String> {
        let found: usize = reader.number("its number of channels")?;
        let hidden: usize = reader.number("its number of hidden channels")?;
        if found != channels {
            return Err(reader.wrong(&format!(
                "it is for {found} channels, but there are {channels}"
            )));
        }
        if !reader.flag("whether it has a gate (SwiGLU)")? {
            return Err(
                reader.wrong("it has no gate (SwiGLU), which KataGo does not compute either")
            );
        }
        Ok(FeedForward {
            norm: RmsNorm::read(reader, channels)?,
            first: MatMul::of(reader, [channels, hidden])?,
            gate: MatMul::of(reader, [channels, hidden])?,
            last: MatMul::of(reader, [hidden, channels])?,
        })
    }
}
