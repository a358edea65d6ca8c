//! A network as an ONNX file for one board: what follows the header of its file is read and written layer by layer.

use super::blocks::{MAX_BLOCKS, stack};
use super::heads;
use super::layers::{Activation, Conv, LastRmsNorm, MatMul, NormAct};
use super::model::{GLOBAL, Header, SPATIAL};
use super::profile::HumanProfile;
use super::reader::KataGoReader;
use super::tokens::rms_norm;
use super::writer::{Form, Points, Writer};
use crate::eval::{LEAD, ModelInfo, OWNERSHIP, PLANES, POLICY, VALUE};

/// Writes the network for the board of `info`; one that imitates people is told by `profile` whom.
pub(super) fn onnx(
    reader: &mut KataGoReader<'_>,
    header: &Header,
    info: &ModelInfo,
    profile: Option<HumanProfile>,
) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(&info.network, info.size);
    let planes = Points {
        value: writer.graph.input(PLANES, info.planes_shape()),
        channels: info.planes,
        form: Form::Map,
    };
    let means = writer.graph.reduce_mean(planes.value, &[2, 3]);
    reader.word("the name of the trunk")?;
    let count = reader.count("the number of blocks", MAX_BLOCKS)?;
    let channels: usize = reader.number("the number of channels")?;
    let mut widest = channels;
    for what in ["middle", "regular", "dilated", "pooled"] {
        widest = widest.max(reader.number(&format!("the number of {what} channels"))?);
    }
    reader.widest = Some(widest);
    let mut has_rms_norm = false;
    if reader.version >= 15 {
        has_rms_norm = reader.flag("the kind of the last normalisation")?;
        reader.unused(5, "its option")?;
    }
    let stem = Conv::read(reader, SPATIAL, Some(channels))?;
    let layer = MatMul::read(reader, GLOBAL, Some(channels))?;
    let bias = match profile {
        Some(profile) => heads::told(reader, &profile.row(info.size.area()), channels)?,
        None => vec![0.0; channels],
    };
    let stem = writer.conv(planes, &stem, None);
    let x = writer.add_dense(stem, means, &of_means(&layer, info.planes), &bias);
    let x = stack(reader, &mut writer, x, count, 0)?;
    // The heads' channels are not among those of the description.
    reader.widest = None;
    let x = tip(reader, &mut writer, x, has_rms_norm)?;
    let policy = heads::policy(reader, &mut writer, x)?;
    writer.graph.output(POLICY, policy, info.policy_shape());
    let means = (means, info.planes);
    let [value, lead, owners] = heads::value(reader, &mut writer, x, means, header.lead_scale)?;
    writer.graph.output(VALUE, value, info.value_shape());
    writer.graph.output(LEAD, lead, info.points_shape(1, false));
    let owners_shape = info.points_shape(info.size.area(), true);
    writer.graph.output(OWNERSHIP, owners, owners_shape);
    reader.finish()?;
    let written = writer.graph.finish(&info.to_metadata());
    written.map_err(|error| error.to_string())
}

/// A layer of the numbers of a position as one of the means of all planes, of which they are the ones
/// after those of points.
fn of_means(layer: &MatMul, planes: usize) -> MatMul {
    let mut weights = vec![0.0; planes * layer.outputs];
    weights[SPATIAL * layer.outputs..(SPATIAL + GLOBAL) * layer.outputs]
        .copy_from_slice(&layer.weights);
    MatMul {
        inputs: planes,
        outputs: layer.outputs,
        weights,
    }
}

/// What the heads read, as a map: the last normalisation and its activation.
fn tip(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    has_rms_norm: bool,
) -> Result<Points, String> {
    let x = if has_rms_norm {
        let norm = LastRmsNorm::read(reader, x.channels)?;
        let activation = Activation::read(reader)?;
        let x = writer.formed(x, Form::Tokens);
        let axes: &[i64] = if norm.of_all_points { &[1, 2] } else { &[2] };
        let value = rms_norm(writer, x.value, norm.epsilon, axes);
        let x = writer.norm(x.with(value, x.channels), &norm.then);
        writer.activated(x, activation)
    } else {
        let norm = NormAct::read(reader, x.channels)?;
        writer.norm_act(x, &norm)
    };
    Ok(writer.formed(x, Form::Map))
}
