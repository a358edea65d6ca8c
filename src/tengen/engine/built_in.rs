//! Networks compiled into the program.

use std::ops::RangeInclusive;

use crate::game::BoardSize;
use tengen_nn::eval::{BackendKind, Device, ModelSource, NativeModel};

/// A game's network for some boards: the trained f32 network, and its int8 form.
struct Network {
    game: &'static str,
    /// Its file in `models/`, without the ending.
    name: &'static str,
    /// Smallest and largest board side.
    sides: RangeInclusive<u8>,
    exact: &'static [u8],
    int8: &'static [u8],
}

/// A line of [`NETWORKS`].
macro_rules! network {
    ($game:literal, $name:literal, $sides:expr) => {
        Network {
            game: $game,
            name: $name,
            sides: $sides,
            exact: include_bytes!(concat!("../../../models/", $name, ".onnx")),
            int8: include_bytes!(concat!("../../../models/", $name, "-int8.onnx")),
        }
    };
}

const NETWORKS: &[Network] = &[
    #[cfg(not(feature = "gomocup"))]
    network!("nogo", "nogo-9x9", 9..=9),
    #[cfg(not(feature = "gomocup"))]
    network!("go", "go-9x9-taught", 9..=9),
    #[cfg(not(feature = "gomocup"))]
    network!("go", "go-taught", 9..=19),
    network!("gomoku", "gomoku-8x8", 8..=8),
    network!("gomoku", "gomoku-taught", 9..=20),
];

impl Network {
    fn fits(&self, size: BoardSize) -> bool {
        self.sides.contains(&size.width) && self.sides.contains(&size.height)
    }
}

/// The networks of a game.
fn of_game(game: &str) -> impl Iterator<Item = &'static Network> + Clone {
    NETWORKS.iter().filter(move |network| network.game == game)
}

/// The boards for which a game has built-in networks, for messages; `None` if it has none.
pub fn built_in_boards(game: &str) -> Option<String> {
    let sides = of_game(game).map(|network| &network.sides);
    let holds = |all: &RangeInclusive<u8>, part: &RangeInclusive<u8>| {
        all != part && all.contains(part.start()) && all.contains(part.end())
    };
    let largest = sides
        .clone()
        .filter(|&part| !sides.clone().any(|all| holds(all, part)));
    let boards = largest.map(|sides| match (sides.start(), sides.end()) {
        (least, most) if least == most => format!("{least}x{most}"),
        (least, most) => format!("boards with sides from {least} to {most}"),
    });
    let boards: Vec<String> = boards.collect();
    (!boards.is_empty()).then(|| boards.join(" and "))
}

/// The name of the built-in network of a game for a board: its file in `models/`, without the ending.
pub fn built_in_name(game: &str, size: BoardSize) -> Option<&'static str> {
    let mut found = of_game(game).filter(|network| network.fits(size));
    found.next().map(|network| network.name)
}

/// Why a game has no built-in network for a board, for messages.
pub fn none_built_in(game: &str, size: BoardSize) -> String {
    match built_in_boards(game) {
        None => format!("there is no built-in network for {game}"),
        Some(boards) => {
            format!("the built-in networks for {game} play on {boards}, not on {size}")
        }
    }
}

/// The built-in network of a game for a board, if there is one, in its fastest form: int8 on a
/// processor with instructions for it, except for `tract`, which has none (`docs/networks.md#network-files`,
/// int8).
pub fn built_in(
    game: &str,
    size: BoardSize,
    backend: BackendKind,
    device: Device,
) -> Option<ModelSource> {
    let found = of_game(game).find(|network| network.fits(size))?;
    let integers = match backend {
        BackendKind::Native => NativeModel::prefers_integers(),
        BackendKind::Ort => multiplies_bytes_fast(),
        BackendKind::Tract => false,
    };
    Some(ModelSource::Embedded(match device {
        Device::Cpu if integers => found.int8,
        _ => found.exact,
    }))
}

/// Whether the processor multiplies and adds four bytes at once (VNNI). Without it, int8 gains
/// little.
#[cfg(target_arch = "x86_64")]
fn multiplies_bytes_fast() -> bool {
    is_x86_feature_detected!("avx512vnni") || is_x86_feature_detected!("avxvnni")
}

#[cfg(not(target_arch = "x86_64"))]
fn multiplies_bytes_fast() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::find;
    use crate::games::with_game;
    use tengen_nn::eval::{CudaDevices, ModelInfo};
    use tengen_nn::onnx::{Header, PRECISION};

    fn bytes(source: Option<ModelSource>) -> &'static [u8] {
        match source {
            Some(ModelSource::Embedded(onnx)) => onnx,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_forms_are_the_same_network() {
        for network in NETWORKS {
            let [exact, int8] = [network.exact, network.int8].map(|onnx| {
                let precision = Header::read(onnx).unwrap();
                let precision = precision.metadata(PRECISION).map(str::to_owned);
                (ModelInfo::read("built-in", onnx).unwrap(), precision)
            });
            assert_eq!(exact.0.game, network.game);
            assert_eq!(int8.1.as_deref(), Some("int8"));
            assert_ne!(exact.1, int8.1);
            let origin = |info: &ModelInfo| (info.network.clone(), info.games, info.steps);
            assert_eq!(origin(&exact.0), origin(&int8.0));
        }
    }

    #[test]
    fn integers_are_for_processors_and_backends_that_are_fast_at_them() {
        let exact = NETWORKS[0].exact;
        let nogo = |backend, device| bytes(built_in("nogo", BoardSize::square(9), backend, device));
        assert_eq!(nogo(BackendKind::Tract, Device::Cpu), exact);
        assert_eq!(
            nogo(BackendKind::Ort, Device::Cuda(CudaDevices::only(0))),
            exact
        );
        let native = nogo(BackendKind::Native, Device::Cpu);
        assert_eq!(native != exact, NativeModel::prefers_integers());
        let cpu = nogo(BackendKind::Ort, Device::Cpu);
        assert_eq!(cpu != exact, multiplies_bytes_fast());
    }

    #[test]
    fn a_board_gets_its_own_network() {
        let found = |game, size| built_in(game, size, BackendKind::Tract, Device::Cpu);
        for network in NETWORKS {
            let (least, most) = (*network.sides.start(), *network.sides.end());
            // On square boards a smaller network may be better.
            for size in [BoardSize::new(least, most), BoardSize::square(most)] {
                let own = bytes(found(network.game, size)) == network.exact;
                assert!(own, "{} {size}", network.game);
                let info = ModelInfo::read("built-in", network.exact).unwrap();
                let fits = with_game!(network.game, size, |start| find(&info, &start).is_ok());
                assert_eq!(fits, Ok(true), "{} {size}", network.game);
            }
        }
        let small = bytes(found("go", BoardSize::square(9)));
        assert!(small == NETWORKS[1].exact, "9x9 has a network of its own");
        assert_eq!(
            [9, 19].map(|side| built_in_name("go", BoardSize::square(side))),
            [Some("go-9x9-taught"), Some("go-taught")]
        );
        assert!(found("nogo", BoardSize::square(13)).is_none());
        assert!(found("gomoku", BoardSize::new(8, 9)).is_none());
        assert!(found("shogi", BoardSize::square(9)).is_none());
    }

    #[test]
    fn all_boards_are_named_where_there_is_no_network() {
        let of = |game| none_built_in(game, BoardSize::new(5, 20));
        let words = "the built-in networks for gomoku play on 8x8 and boards with sides from 9 to \
                     20, not on 5x20";
        assert_eq!(of("gomoku"), words);
        assert!(of("go").contains("play on boards with sides from 9 to 19, not"));
        assert!(of("nogo").contains("play on 9x9, not"));
        assert_eq!(of("shogi"), "there is no built-in network for shogi");
    }
}
