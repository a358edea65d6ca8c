//! Networks to try the engine with, and a place for them.

use std::path::PathBuf;

use tengen::encode::Encode;
use tengen::eval::{ModelInfo, PLANES, POLICY, VALUE};
use tengen::game::nogo::SmallNoGo;
use tengen::game::{BoardSize, Game};
use tengen::onnx::GraphBuilder;

/// A folder of this test, removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the system's folder is writable");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.0.join(name), bytes).expect("our folder");
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a network for NoGo on a square board says of itself.
pub(crate) fn info(side: u8) -> ModelInfo {
    let encodings = SmallNoGo::encodings();
    let encoding = encodings.last().expect("NoGo has an encoding");
    let size = BoardSize::square(side);
    ModelInfo {
        game: SmallNoGo::NAME.to_owned(),
        size,
        boards: Vec::new(),
        encoding: encoding.id().to_owned(),
        planes: encoding.planes(),
        policy_len: size.area(),
        outcomes: 2,
        network: "test".to_owned(),
        games: 0,
        steps: 0,
        creator: "tengen test".to_owned(),
        points: 0,
    }
}

/// Weights with which a [`network`] answers every input that is not all zero with infinity.
pub(crate) const WILD: f32 = 3e38;

/// A network of one layer.
pub(crate) fn network(info: &ModelInfo, weight: f32) -> Vec<u8> {
    let (planes, mut graph) = (info.planes, GraphBuilder::new("test"));
    let input = graph.input(PLANES, info.planes_shape());
    let kernel = graph.weights("kernel", &[1, planes, 1, 1], &vec![0.1; planes]);
    let policy = graph.conv(input, kernel, None);
    let policy = graph.flatten(policy);
    graph.output(POLICY, policy, info.policy_shape());
    let pooled = graph.reduce_mean(input, &[2, 3]);
    let weights = graph.weights("weights", &[planes, 1], &vec![weight; planes]);
    let none = graph.weights("none", &[1], &[0.0]);
    let sum = graph.gemm(pooled, weights, none);
    let last = graph.weights("last", &[1, 2], &[weight, -weight]);
    let nothing = graph.weights("nothing", &[2], &[0.0; 2]);
    let value = graph.gemm(sum, last, nothing);
    graph.output(VALUE, value, info.value_shape());
    graph.finish(&info.to_metadata()).expect("a sound graph")
}
