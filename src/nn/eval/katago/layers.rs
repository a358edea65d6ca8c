//! The layers of a file, each with its name first.

use super::reader::KataGoReader;

/// The most channels of a layer, and numbers that a fully connected one makes.
const MAX_CHANNELS: usize = 1 << 14;
/// The longest side of a kernel.
const LONGEST_SIDE: usize = 15;

#[derive(Debug)]
pub(super) struct Conv {
    /// Height and width, both odd.
    pub(super) kernel: [usize; 2],
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// `[height, width, input, output]`, row-major.
    pub(super) weights: Vec<f32>,
}

/// A batch normalisation, as what it does with each channel: x scale + bias.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) scale: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

/// The channels of a point over the root of their mean square, times a number each.
#[derive(Debug)]
pub(super) struct RmsNorm {
    /// Added to the mean square.
    pub(super) epsilon: f32,
    pub(super) scale: Vec<f32>,
}

/// The normalisation behind the last block, where it is by the root of the mean square.
#[derive(Debug)]
pub(super) struct LastRmsNorm {
    pub(super) epsilon: f32,
    /// Whether the mean is that of all points and not of each.
    pub(super) of_all_points: bool,
    /// What comes after it, channel by channel.
    pub(super) then: Norm,
}

/// A fully connected layer without a bias.
#[derive(Debug)]
pub(super) struct MatMul {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// `[input, output]`, row-major.
    pub(super) weights: Vec<f32>,
}

/// A normalisation and the activation behind it.
#[derive(Debug)]
pub(super) struct NormAct {
    pub(super) norm: Norm,
    pub(super) activation: Activation,
}

/// A convolution whose channels are pooled, and the layers after the pools.
#[derive(Debug)]
pub(super) struct Pooling {
    pub(super) conv: Conv,
    pub(super) after: NormAct,
    /// Of mean, mean by size and maximum of each channel.
    pub(super) to_bias: MatMul,
}

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Identity,
    Relu,
    Mish,
    Silu,
}

impl Conv {
    /// Reads one of `wanted` channels, which makes `made` where that is known.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        wanted: usize,
        made: Option<usize>,
    ) -> Result<Conv, String> {
        reader.named("the name of a convolution", |reader, name| {
            let height = reader.count("the height of its kernel", LONGEST_SIDE)?;
            let width = reader.count("the width of its kernel", LONGEST_SIDE)?;
            let inputs = reader.count("the number of channels it reads", MAX_CHANNELS)?;
            let outputs = reader.count("the number of channels it makes", MAX_CHANNELS)?;
            let dilations =
                ["height", "width"].map(|side| reader.number(&format!("its dilation in {side}")));
            let [Ok(1), Ok(1)] = dilations else {
                return reader
                    .wrong("it leaves out points (dilation), which no known network does");
            };
            if height % 2 == 0 || width % 2 == 0 {
                return reader.wrong(format!("its kernel is {height}x{width}"));
            }
            check(inputs, wanted)?;
            reader.check_width(outputs)?;
            let weights = reader.weights(height * width * inputs * outputs, name)?;
            check_made(outputs, made)?;
            Ok(Conv {
                kernel: [height, width],
                inputs,
                outputs,
                weights,
            })
        })
    }
}

impl Norm {
    /// Reads one with this number of channels.
    pub(super) fn read(reader: &mut KataGoReader<'_>, wanted: usize) -> Result<Norm, String> {
        reader.named("the name of a normalisation", |reader, name| {
            let channels = reader.count("its number of channels", MAX_CHANNELS)?;
            let epsilon = reader.positive("its epsilon")?;
            let has_scale = reader.flag("whether it has scales")?;
            let has_bias = reader.flag("whether it has biases")?;
            check(channels, wanted)?;
            let mean = reader.weights(channels, name)?;
            let variance = reader.weights(channels, name)?;
            let mut optional = |has: bool, usual: f32| match has {
                true => reader.weights(channels, name),
                false => Ok(vec![usual; channels]),
            };
            let (scale, bias) = (optional(has_scale, 1.0)?, optional(has_bias, 0.0)?);
            let deviations = variance.iter().map(|variance| (variance + epsilon).sqrt());
            let scale: Vec<f32> = scale
                .iter()
                .zip(deviations)
                .map(|(scale, by)| scale / by)
                .collect();
            let shift = scale.iter().zip(&mean).map(|(scale, mean)| scale * mean);
            let bias: Vec<f32> = bias
                .iter()
                .zip(shift)
                .map(|(bias, shift)| bias - shift)
                .collect();
            match scale.iter().chain(&bias).all(|number| number.is_finite()) {
                true => Ok(Norm { scale, bias }),
                false => reader.wrong("its variance is negative or its numbers too large"),
            }
        })
    }
}

impl NormAct {
    pub(super) fn read(reader: &mut KataGoReader<'_>, channels: usize) -> Result<NormAct, String> {
        Ok(NormAct {
            norm: Norm::read(reader, channels)?,
            activation: Activation::read(reader)?,
        })
    }
}

impl Pooling {
    /// One of `inputs` channels; the numbers for `outputs` follow in the caller's layers.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        [inputs, outputs]: [usize; 2],
    ) -> Result<Pooling, String> {
        let conv = Conv::read(reader, inputs, None)?;
        let after = NormAct::read(reader, conv.outputs)?;
        let to_bias = MatMul::read(reader, 3 * conv.outputs, Some(outputs))?;
        Ok(Pooling {
            conv,
            after,
            to_bias,
        })
    }
}

/// The largest number that is added to a mean square; KataGo has the same bound.
const LARGEST_EPSILON: f32 = 1.0;

fn epsilon(reader: &mut KataGoReader<'_>) -> Result<f32, String> {
    let epsilon = reader.positive("its epsilon")?;
    match epsilon <= LARGEST_EPSILON {
        true => Ok(epsilon),
        false => reader.wrong(format!("its epsilon is {epsilon}")),
    }
}

impl RmsNorm {
    /// Reads one with this number of channels.
    pub(super) fn read(reader: &mut KataGoReader<'_>, wanted: usize) -> Result<RmsNorm, String> {
        reader.named("the name of a normalisation", |reader, name| {
            let channels = reader.count("its number of channels", MAX_CHANNELS)?;
            check(channels, wanted)?;
            Ok(RmsNorm {
                epsilon: epsilon(reader)?,
                scale: reader.weights(channels, name)?,
            })
        })
    }
}

impl LastRmsNorm {
    /// Reads one with this number of channels.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        wanted: usize,
    ) -> Result<LastRmsNorm, String> {
        reader.named("the name of a normalisation", |reader, name| {
            let channels = reader.count("its number of channels", MAX_CHANNELS)?;
            check(channels, wanted)?;
            let epsilon = epsilon(reader)?;
            let of_all_points = reader.flag("whether its mean is that of all points")?;
            reader.unused(1, "its number of groups of channels")?;
            Ok(LastRmsNorm {
                epsilon,
                of_all_points,
                then: Norm {
                    scale: reader.weights(channels, name)?,
                    bias: reader.weights(channels, name)?,
                },
            })
        })
    }
}

impl MatMul {
    /// Reads one of `wanted` numbers, which makes `made` where that is known.
    pub(super) fn read(
        reader: &mut KataGoReader<'_>,
        wanted: usize,
        made: Option<usize>,
    ) -> Result<MatMul, String> {
        reader.named("the name of a fully connected layer", |reader, name| {
            let inputs = reader.count("the number of numbers it reads", 3 * MAX_CHANNELS)?;
            let outputs = reader.count("the number of numbers it makes", MAX_CHANNELS)?;
            check(inputs, wanted)?;
            let weights = reader.weights(inputs * outputs, name)?;
            check_made(outputs, made)?;
            Ok(MatMul {
                inputs,
                outputs,
                weights,
            })
        })
    }
}

/// Reads the biases of a fully connected layer that makes `outputs` numbers.
pub(super) fn biases(reader: &mut KataGoReader<'_>, outputs: usize) -> Result<Vec<f32>, String> {
    reader.named("the name of biases", |reader, name| {
        let count = reader.count("their number", MAX_CHANNELS)?;
        check(count, outputs)?;
        reader.weights(count, name)
    })
}

impl Activation {
    /// By its name, which files have from version 11 on.
    pub(super) fn read(reader: &mut KataGoReader<'_>) -> Result<Activation, String> {
        let name = reader.word("the name of an activation")?;
        if reader.version < 11 {
            return Ok(Activation::Relu);
        }
        match reader.word("an activation")? {
            "ACTIVATION_IDENTITY" => Ok(Activation::Identity),
            "ACTIVATION_RELU" => Ok(Activation::Relu),
            "ACTIVATION_MISH" => Ok(Activation::Mish),
            "ACTIVATION_SILU" => Ok(Activation::Silu),
            other => reader.wrong(format!(
                "{name}: this program does not know the activation {other}; known are \
                 ACTIVATION_IDENTITY, ACTIVATION_RELU, ACTIVATION_MISH and ACTIVATION_SILU"
            )),
        }
    }
}

/// Checks what a layer reads.
fn check(found: usize, wanted: usize) -> Result<(), String> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!(
            "it is for {found} channels, but there are {wanted}"
        )),
    }
}

/// Checks what a layer makes.
fn check_made(found: usize, wanted: Option<usize>) -> Result<(), String> {
    match wanted.filter(|&wanted| found != wanted) {
        None => Ok(()),
        Some(wanted) => Err(format!("it makes {found} channels, but {wanted} are read")),
    }
}
