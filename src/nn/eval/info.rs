//! Model metadata, validated on load.
//!
//! Every backend gets its [`ModelInfo`] from here, from the bytes of the file, so that all accept
//! and refuse the same models with the same messages.

use std::error::Error;
use std::path::Path;

use crate::onnx::{self, Dim, FLOAT, Header, TensorInfo, element_name};
use crate::{BoardSize, files};

use super::{Batch, EvalError};

/// Maximum size of a network file, in bytes. The largest known ones for board games have half of
/// it; protocol buffers, the format of ONNX files, are limited to twice as much.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// Name of the input tensor: f32 `[batch, planes, height, width]`, from the side to move's view.
pub const PLANES: &str = "planes";
/// Name of the policy output: f32 logits `[batch, policy_len]`.
pub const POLICY: &str = "policy";
/// Name of the value output: f32 logits `[batch, outcomes]`, for the side to move.
pub const VALUE: &str = "value";
/// Name of an optional output for games with points: f32 `[batch, 1]`, the expected lead of the
/// side to move in units of [`LEAD_SCALE`](super::LEAD_SCALE) points.
pub const LEAD: &str = "lead";
/// Name of an optional output of files with [`LEAD`]: f32 logits `[batch, area]`, of each point
/// becoming the side to move's.
pub const OWNERSHIP: &str = "ownership";

/// Model metadata: the ONNX metadata properties, validated when a model is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Name of the game, as `Game::NAME` of the package `tengen`.
    pub game: String,
    /// The board it is for or, with `boards`, the one it is opened for.
    pub size: BoardSize,
    /// The boards it was trained on, if its file has dynamic height and width; empty if it is for
    /// one board only.
    pub boards: Vec<BoardSize>,
    /// Id of the encoding of its input planes.
    pub encoding: String,
    /// Number of input planes.
    pub planes: usize,
    /// Number of policy logits.
    pub policy_len: usize,
    /// Number of value logits: 2 for win/loss, 3 for win/draw/loss, for the side to move.
    pub outcomes: usize,
    /// Architecture and size of the network, such as `az-5b32c`.
    pub network: String,
    /// Number of self-play games it was trained on.
    pub games: u64,
    /// Number of optimiser steps.
    pub steps: u64,
    /// Program and version that wrote the file.
    pub creator: String,
    /// Number of points outputs: 0, or 1 for the lead, or in addition one logit per point for the
    /// owner. Not in the metadata: the file either has these outputs or not.
    pub points: usize,
}

impl ModelInfo {
    /// Length of one input row: planes x height x width.
    pub fn row_len(&self) -> usize {
        self.planes * self.size.area()
    }

    /// Shape of this many rows: positions, planes, height, width.
    #[cfg(any(feature = "tract", feature = "ort"))]
    pub(super) fn input_dims(&self, rows: usize) -> [usize; 4] {
        let (height, width) = (self.size.height.into(), self.size.width.into());
        [rows, self.planes, height, width]
    }

    /// Whether it can be used on a board: its own, or one whose sides are between the shortest and
    /// the longest of the boards it was trained on.
    pub fn plays_on(&self, size: BoardSize) -> bool {
        let sides = self
            .boards
            .iter()
            .flat_map(|board| [board.width, board.height]);
        let (Some(least), Some(most)) = (sides.clone().min(), sides.max()) else {
            return size == self.size;
        };
        [size.width, size.height]
            .iter()
            .all(|side| (least..=most).contains(side))
    }

    /// The same network opened for another board; `None` where it cannot be used there.
    pub fn on(&self, size: BoardSize) -> Option<ModelInfo> {
        let extra = self.policy_len.checked_sub(self.size.area())?;
        let policy_len = size.area() + extra;
        let points = match self.points {
            0 | 1 => self.points,
            _ => 1 + size.area(),
        };
        let opened = || ModelInfo {
            size,
            policy_len,
            points,
            ..self.clone()
        };
        self.plays_on(size).then(opened)
    }

    /// The boards that it can be used on, for messages.
    pub fn boards_text(&self) -> String {
        match self.boards.is_empty() {
            true => self.size.to_string(),
            false => format!("{} and boards between", list(&self.boards, ", ")),
        }
    }

    /// Names of the outputs that are read: policy, value and points outputs.
    pub fn outputs(&self) -> &'static [&'static str] {
        match self.points {
            0 => &[POLICY, VALUE],
            1 => &[POLICY, VALUE, LEAD],
            _ => &[POLICY, VALUE, LEAD, OWNERSHIP],
        }
    }

    /// Numbers of each of [`ModelInfo::outputs`].
    pub fn output_lens(&self) -> [usize; 4] {
        let owners = self.points.saturating_sub(1);
        [self.policy_len, self.outcomes, self.points.min(1), owners]
    }

    /// Refuses rows that were not encoded for this model.
    pub(super) fn check_batch(
        &self,
        backend: &'static str,
        batch: &Batch,
    ) -> Result<(), EvalError> {
        if batch.row_len() == self.row_len() {
            return Ok(());
        }
        let reason = format!(
            "rows have {} numbers, the network {} expects {}",
            batch.row_len(),
            self.network,
            self.row_len()
        );
        Err(EvalError::run(backend, reason))
    }

    /// The key-value pairs for an ONNX file's `metadata_props`.
    pub fn to_metadata(&self) -> Vec<(String, String)> {
        let boards = (!self.boards.is_empty()).then(|| (BOARDS, list(&self.boards, " ")));
        let pairs = [
            ("tengen.game", self.game.clone()),
            ("tengen.board_width", self.size.width.to_string()),
            ("tengen.board_height", self.size.height.to_string()),
            ("tengen.encoding", self.encoding.clone()),
            ("tengen.planes", self.planes.to_string()),
            ("tengen.policy_len", self.policy_len.to_string()),
            ("tengen.outcomes", self.outcomes.to_string()),
            ("tengen.network", self.network.clone()),
            ("tengen.games", self.games.to_string()),
            ("tengen.steps", self.steps.to_string()),
            ("tengen.creator", self.creator.clone()),
        ];
        let pairs = pairs.into_iter().chain(boards);
        pairs.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// A length that depends on the board: fixed in the file, or dynamic with this `name`.
    fn dim(&self, len: usize, name: &str) -> Dim {
        match self.boards.is_empty() {
            true => Dim::Fixed(len),
            false => Dim::Symbol(name.to_owned()),
        }
    }

    /// Shape of the tensor [`PLANES`].
    pub fn planes_shape(&self) -> [Dim; 4] {
        let (height, width) = (self.size.height.into(), self.size.width.into());
        [
            Dim::batch(),
            self.planes.into(),
            self.dim(height, "height"),
            self.dim(width, "width"),
        ]
    }

    /// Shape of the tensor [`POLICY`].
    pub fn policy_shape(&self) -> [Dim; 2] {
        [Dim::batch(), self.dim(self.policy_len, "moves")]
    }

    /// Shape of an output with `len` numbers, `each_point` of them per point.
    pub fn points_shape(&self, len: usize, each_point: bool) -> [Dim; 2] {
        let dim = match each_point {
            true => self.dim(len, "points"),
            false => len.into(),
        };
        [Dim::batch(), dim]
    }

    /// Shape of the tensor [`VALUE`].
    pub fn value_shape(&self) -> [Dim; 2] {
        [Dim::batch(), self.outcomes.into()]
    }

    /// Reads the metadata of a model file, and validates the shapes of its tensors, its checksum if
    /// it has one, and what [`onnx::validate`] checks. `path` is only used in errors.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the bytes are not an ONNX model, a key is missing or unreadable, a
    /// tensor is missing or its shape contradicts the metadata, or the file is damaged or invalid.
    pub fn read(path: &str, onnx: &[u8]) -> Result<ModelInfo, EvalError> {
        let info = ModelInfo::described(path, onnx)?;
        onnx::validate(onnx).map_err(|error| EvalError::load(path, error))?;
        Ok(info)
    }

    /// As [`ModelInfo::read`], without loading the file: what [`onnx::validate`] checks is left to the load.
    ///
    /// # Errors
    /// As [`ModelInfo::read`], also when it is not a regular file or too large.
    pub fn of_file(path: &Path) -> Result<ModelInfo, EvalError> {
        let name = path.display().to_string();
        let onnx = files::read(path, MAX_BYTES).map_err(|error| EvalError::load(&name, error))?;
        ModelInfo::described(&name, &onnx)
    }

    /// As [`ModelInfo::read`], opened for `board` if one is given.
    ///
    /// # Errors
    /// As [`ModelInfo::read`], also when the network cannot be used on this board.
    pub fn read_for(
        path: &str,
        onnx: &[u8],
        board: Option<BoardSize>,
    ) -> Result<ModelInfo, EvalError> {
        let info = ModelInfo::read(path, onnx)?;
        let board = board.unwrap_or(info.size);
        info.on(board).ok_or_else(|| {
            let reason = format!("it is for {}, not for {board}", info.boards_text());
            EvalError::load(path, reason)
        })
    }

    /// The metadata of a file that is not damaged, according to its checksum.
    fn described(path: &str, onnx: &[u8]) -> Result<ModelInfo, EvalError> {
        let read = || -> Result<ModelInfo, Box<dyn Error>> {
            let header = Header::read(onnx)?;
            header.verify(onnx)?;
            Ok(ModelInfo::from_header(&header)?)
        };
        read().map_err(|reason| EvalError::load(path, reason))
    }

    fn from_header(header: &Header) -> Result<ModelInfo, String> {
        let mut info = ModelInfo {
            game: text(header, "tengen.game")?,
            size: BoardSize::new(
                number(header, "tengen.board_width", 1, u8::MAX)?,
                number(header, "tengen.board_height", 1, u8::MAX)?,
            ),
            boards: match header.metadata(BOARDS) {
                Some(list) => read_list(list)?,
                None => Vec::new(),
            },
            encoding: text(header, "tengen.encoding")?,
            planes: number(header, "tengen.planes", 1, u16::MAX)?.into(),
            policy_len: number(header, "tengen.policy_len", 1, u16::MAX)?.into(),
            outcomes: number(header, "tengen.outcomes", 2, 3u8)?.into(),
            network: text(header, "tengen.network")?,
            games: number(header, "tengen.games", 0, u64::MAX)?,
            steps: number(header, "tengen.steps", 0, u64::MAX)?,
            creator: text(header, "tengen.creator")?,
            points: 0,
        };
        if !info.boards.is_empty()
            && (!info.boards.contains(&info.size) || info.policy_len < info.size.area())
        {
            return Err(format!(
                "its metadata key {BOARDS} does not go with the size {} and {} moves",
                info.size, info.policy_len
            ));
        }
        check_shape("input", PLANES, header.input(PLANES), &info.planes_shape())?;
        let output = |name, shape: &[Dim]| check_shape("output", name, header.output(name), shape);
        output(POLICY, &info.policy_shape())?;
        output(VALUE, &info.value_shape())?;
        if header.output(LEAD).is_some() {
            output(LEAD, &info.points_shape(1, false))?;
            info.points = 1;
            if header.output(OWNERSHIP).is_some() {
                let area = info.size.area();
                output(OWNERSHIP, &info.points_shape(area, true))?;
                info.points += area;
            }
        }
        check_logits(header, info.outputs())?;
        if let [first, second, ..] = &header.inputs[..] {
            let other = if second.name == PLANES { first } else { second };
            let name = &other.name;
            return Err(format!(
                "it has a second input {name}, which this engine does not fill: export constants as \
                 initialisers alone"
            ));
        }
        Ok(info)
    }
}

/// Metadata key of the boards of a network for several.
const BOARDS: &str = "tengen.boards";

fn list(boards: &[BoardSize], between: &str) -> String {
    let boards: Vec<String> = boards.iter().map(BoardSize::to_string).collect();
    boards.join(between)
}

fn read_list(text: &str) -> Result<Vec<BoardSize>, String> {
    let boards: Result<Vec<BoardSize>, _> = text.split_whitespace().map(str::parse).collect();
    let boards = boards.ok().filter(|boards| !boards.is_empty());
    boards.ok_or_else(|| {
        format!("its metadata key {BOARDS} is '{text}', not boards such as 9x9 13x13")
    })
}

fn text(header: &Header, key: &str) -> Result<String, String> {
    match header.metadata(key) {
        Some(value) if !value.is_empty() => Ok(value.to_owned()),
        Some(_) => Err(format!("its metadata key {key} is empty")),
        None => Err(format!(
            "it has no metadata key {key}: docs/networks.md#network-files lists those that a network needs"
        )),
    }
}

fn number<T>(header: &Header, key: &str, min: T, max: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let value = text(header, key)?;
    let parsed = value.parse().ok().filter(|n| min <= *n && *n <= max);
    parsed.ok_or_else(|| {
        format!("its metadata key {key} is '{value}', not a whole number from {min} to {max}")
    })
}

/// Shares or their like, read as logits, would make all moves nearly equal.
fn check_logits(header: &Header, outputs: &[&str]) -> Result<(), String> {
    for &name in outputs.iter().filter(|&&name| name != LEAD) {
        if let Some(operator @ ("Softmax" | "Sigmoid" | "Tanh")) = header.maker(name) {
            return Err(format!(
                "its output {name} is made by {operator}: leave that out, as logits are wanted"
            ));
        }
    }
    Ok(())
}

/// The batch dimension must be dynamic, since batch sizes vary; the others must agree. A length that the file leaves
/// open may be any: backends look at what they compute.
fn check_shape(
    kind: &str,
    name: &str,
    found: Option<&TensorInfo>,
    expected: &[Dim],
) -> Result<(), String> {
    let TensorInfo { element, dims, .. } =
        found.ok_or_else(|| format!("it has no {kind} named {name}"))?;
    if *element != FLOAT {
        let element = element_name(*element);
        return Err(format!(
            "its {kind} {name} is {element}, not float32: convert it with inputs and outputs kept in \
             float32"
        ));
    }
    let agrees =
        |(found, expected): (&Dim, &Dim)| matches!(found, Dim::Symbol(_)) || found == expected;
    let rest = || dims[1..].iter().zip(&expected[1..]);
    if dims.len() == expected.len() && rest().all(agrees) {
        return match &dims[0] {
            Dim::Symbol(_) => Ok(()),
            Dim::Fixed(len) => Err(format!(
                "its {kind} {name} has a fixed batch size of {len}: export it with a dynamic batch axis"
            )),
        };
    }
    let show = |dims: &[Dim]| {
        let words: Vec<String> = dims.iter().map(Dim::to_string).collect();
        format!("[{}]", words.join(", "))
    };
    Err(format!(
        "its {kind} {name} has shape {}, but its metadata say {}",
        show(dims),
        show(expected)
    ))
}

#[cfg(test)]
mod tests {
    use crate::onnx::GraphBuilder;

    use super::*;

    fn info() -> ModelInfo {
        ModelInfo {
            game: "nogo".to_owned(),
            size: BoardSize::new(4, 3),
            boards: Vec::new(),
            encoding: "nogo-v1".to_owned(),
            planes: 2,
            policy_len: 12,
            outcomes: 2,
            network: "az-1b4c".to_owned(),
            games: 7,
            steps: 8,
            creator: "tengen 0.1.0".to_owned(),
            points: 0,
        }
    }

    /// A model of the shapes of `shapes` with `metadata`.
    fn model(shapes: &ModelInfo, metadata: &[(String, String)]) -> Vec<u8> {
        let mut graph = GraphBuilder::new("test");
        let planes = graph.input(PLANES, shapes.planes_shape());
        let policy = graph.flatten(planes);
        let value = graph.flatten(planes);
        graph.output(POLICY, policy, shapes.policy_shape());
        graph.output(VALUE, value, shapes.value_shape());
        graph.finish(metadata).unwrap()
    }

    fn reason(bytes: &[u8]) -> String {
        ModelInfo::read("net.onnx", bytes).unwrap_err().to_string()
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = model(&info(), &info().to_metadata());
        assert_eq!(ModelInfo::read("net.onnx", &bytes).unwrap(), info());
    }

    #[test]
    fn a_board_that_it_is_not_for_is_refused() {
        let bytes = model(&info(), &info().to_metadata());
        let read = |board| ModelInfo::read_for("net.onnx", &bytes, Some(board));
        assert_eq!(read(info().size), Ok(info()));
        let text = read(BoardSize::square(9)).unwrap_err().to_string();
        assert!(text.contains("it is for 4x3, not for 9x9"), "{text}");
    }

    #[test]
    fn every_key_is_required() {
        for missing in 0..info().to_metadata().len() {
            let mut metadata = info().to_metadata();
            let (key, _) = metadata.remove(missing);
            let text = reason(&model(&info(), &metadata));
            assert!(text.starts_with("cannot load network net.onnx: "), "{text}");
            assert!(text.contains(&format!("no metadata key {key}:")), "{text}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        let mut metadata = info().to_metadata();
        metadata[1].1 = "nine".to_owned();
        let text = reason(&model(&info(), &metadata));
        assert!(text.contains("tengen.board_width is 'nine'"), "{text}");
        let mut metadata = info().to_metadata();
        metadata[6].1 = "4".to_owned();
        let text = reason(&model(&info(), &metadata));
        assert!(text.contains("from 2 to 3"), "{text}");
        assert!(reason(b"hello").contains("not a readable ONNX model"));
    }

    /// As PyTorch writes the outputs of a `view`.
    #[test]
    fn a_length_may_be_left_open() {
        let mut graph = GraphBuilder::new("open");
        let planes = graph.input(PLANES, info().planes_shape());
        let policy = graph.flatten(planes);
        let value = graph.flatten(planes);
        let open = Dim::Symbol("Reshapepolicy_dim_1".to_owned());
        graph.output(POLICY, policy, [Dim::batch(), open]);
        graph.output(VALUE, value, info().value_shape());
        let bytes = graph.finish(&info().to_metadata()).unwrap();
        assert_eq!(ModelInfo::read("net.onnx", &bytes).unwrap(), info());
    }

    #[test]
    fn outputs_that_are_no_logits_are_refused() {
        for operator in ["Softmax", "Sigmoid", "Tanh"] {
            let mut graph = GraphBuilder::new("shares");
            let planes = graph.input(PLANES, info().planes_shape());
            let policy = graph.flatten(planes);
            let shares = graph.node(operator, &[planes], Vec::new());
            let value = graph.flatten(shares);
            graph.output(POLICY, policy, info().policy_shape());
            graph.output(VALUE, value, info().value_shape());
            let text = reason(&graph.finish(&info().to_metadata()).unwrap());
            let words = format!("its output value is made by {operator}: ");
            assert!(text.contains(&words), "{text}");
        }
    }

    #[test]
    fn shapes_must_agree_with_the_metadata() {
        let mut other = info();
        other.planes = 5;
        let text = reason(&model(&other, &info().to_metadata()));
        let wanted =
            "input planes has shape [batch, 5, 3, 4], but its metadata say [batch, 2, 3, 4]";
        assert!(text.contains(wanted), "{text}");
        let mut other = info();
        other.outcomes = 3;
        let text = reason(&model(&other, &info().to_metadata()));
        assert!(text.contains("output value has shape [batch, 3]"), "{text}");
    }
}
