//! Random networks of each kind against plain loops, on every backend, and files that are damaged.

mod net;
mod transformer;

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::model::{PLANES, SPATIAL};
use super::writer::{Form, Points, Writer};
use super::*;
use crate::eval::native::Level;
use crate::eval::testnet::random_batch;
use crate::eval::{
    Batch, Evaluator, EvaluatorFactory, LoadOptions, ModelSource, NativeModel, Outputs, suite,
};
use crate::files::scratch::Scratch;
use crate::onnx::{Model, Tensor, to_f16};
use net::{Plan, Tip};

/// Residual and pooling blocks, as the networks of 2020 have them.
const OLD: Plan = Plan {
    version: 8,
    channels: 8,
    blocks: "og",
    tip: Tip::Batch,
    activation: "ACTIVATION_RELU",
    binary: true,
    imitates: false,
};

/// Nested blocks and Mish, as today's have them.
const NESTED: Plan = Plan {
    version: 15,
    channels: 16,
    blocks: "ngn",
    tip: Tip::Batch,
    activation: "ACTIVATION_MISH",
    binary: true,
    imitates: false,
};

/// One that imitates people.
const HUMAN: Plan = Plan {
    imitates: true,
    ..NESTED
};

/// Whom it imitates.
fn players() -> Option<HumanProfile> {
    Some("preaz_5k".parse().expect("a profile"))
}

/// A transformer with all there is.
const TRANSFORMER: Plan = Plan {
    version: 17,
    channels: 24,
    blocks: "aftfq",
    tip: Tip::OfBoard,
    activation: "ACTIVATION_SILU",
    binary: true,
    imitates: false,
};

const BOARDS: [BoardSize; 3] = [
    BoardSize::square(19),
    BoardSize::new(7, 5),
    BoardSize::square(2),
];

/// As ONNX; a network that imitates people is told whom.
fn for_board(bytes: &[u8], board: BoardSize) -> Vec<u8> {
    let text = unpacked(bytes, MAX_BYTES).unwrap();
    let header = Header::read(&mut KataGoReader::new(&text)).unwrap();
    let profile = players().filter(|_| header.imitates);
    to_onnx("net.bin", bytes, Some(board), profile).unwrap()
}

/// As it is computed here, in integers where these are faster.
fn native(bytes: &[u8], board: BoardSize) -> impl Evaluator + use<> {
    let onnx = for_board(bytes, board);
    NativeModel::load("net.bin", &onnx, None)
        .unwrap()
        .evaluator()
}

/// In f32 alone.
fn exact(bytes: &[u8], board: BoardSize) -> impl Evaluator + use<> {
    let onnx = for_board(bytes, board);
    NativeModel::load_for("net.bin", &onnx, None, Level::best(), false)
        .unwrap()
        .evaluator()
}

/// Rows of which planes of numbers hold one number each, and the last one nothing.
fn batch(board: BoardSize, seed: u64) -> Batch {
    let area = board.area();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let random = random_batch(PLANES * area, 3, seed);
    let mut batch = Batch::new(PLANES * area);
    for index in 0..random.len() {
        let row = batch.push(index as u128);
        row.copy_from_slice(random.row(index));
        for plane in row[SPATIAL * area..].chunks_exact_mut(area) {
            plane.fill(rng.random_range(-1.0..1.0));
        }
        row[(PLANES - 1) * area..].fill(0.0);
    }
    batch
}

/// The other way up.
fn flipped<T: Copy>(plane: &[T], width: usize) -> Vec<T> {
    let rows = plane.chunks_exact(width).rev();
    rows.flatten().copied().collect()
}

#[track_caller]
fn near(found: f32, wanted: f64, what: &str) {
    let error = (f64::from(found) - wanted).abs();
    assert!(
        error <= 1e-4 * wanted.abs().max(1.0),
        "{what}: {found}, not {wanted}"
    );
}

/// Checks what a network answers against plain loops.
fn check_plan(plan: Plan, board: BoardSize) {
    let net = plan.net(3);
    let (width, area) = (usize::from(board.width), board.area());
    let told = players().map_or(Vec::new(), |players| {
        players.row(area).map(f64::from).to_vec()
    });
    let batch = batch(board, 4);
    let mut out = Outputs::new();
    let mut evaluator = exact(&net.bytes, board);
    evaluator.evaluate(&batch, &mut out).unwrap();
    // Words of 14 bits, over a few layers.
    suite::agree(&mut evaluator, &mut native(&net.bytes, board), 1e-2);
    for index in 0..batch.len() {
        let planes: Vec<&[f32]> = batch.row(index).chunks_exact(area).collect();
        let wide = |plane: &&[f32]| {
            let plane = flipped(plane, width);
            plane.into_iter().map(f64::from).collect()
        };
        let maps = planes[..SPATIAL].iter().map(wide).collect();
        let numbers = planes[SPATIAL..PLANES - 1].iter();
        let numbers: Vec<f64> = numbers.map(|plane| f64::from(plane[0])).collect();
        let wanted = net.answer(&maps, &numbers, &told, (width, board.height.into()));
        let what = format!("{plan:?} {board}");
        let policy = out.policy(index);
        let moves = flipped(&policy[..area], width);
        for (found, wanted) in moves.iter().chain(&policy[area..]).zip(&wanted.policy) {
            near(*found, *wanted, &what);
        }
        let [win, loss, none] = wanted.value[..] else {
            panic!("three results");
        };
        for (found, wanted) in out.value_logits(index).iter().zip([win, none, loss]) {
            near(*found, wanted, &what);
        }
        near(out.lead(index).unwrap(), wanted.lead, &what);
        let owners: Vec<f32> = out.owners(index).collect();
        for (found, wanted) in flipped(&owners, width).iter().zip(&wanted.owners) {
            near(*found, wanted.tanh(), &what);
        }
    }
}

#[test]
fn every_version_and_block_is_what_plain_loops_say() {
    for version in super::model::VERSIONS {
        check_plan(Plan { version, ..NESTED }, BoardSize::new(5, 7));
        let tip = if version >= 15 {
            Tip::OfBoard
        } else {
            Tip::Batch
        };
        let transformer = Plan {
            version,
            tip,
            ..TRANSFORMER
        };
        check_plan(transformer, BoardSize::new(5, 7));
    }
    for board in BOARDS {
        check_plan(OLD, board);
        check_plan(NESTED, board);
        check_plan(HUMAN, board);
    }
    for (blocks, tip) in [
        ("a", Tip::OfPoints),
        ("uf", Tip::OfBoard),
        ("pxf", Tip::Batch),
        ("oaf", Tip::OfPoints),
        ("tgaun", Tip::OfBoard),
    ] {
        let plan = Plan {
            blocks,
            tip,
            ..TRANSFORMER
        };
        for board in [
            BoardSize::square(9),
            BoardSize::new(19, 3),
            BoardSize::square(2),
        ] {
            check_plan(plan, board);
        }
    }
    check_plan(TRANSFORMER, BoardSize::square(13));
    for activation in ["ACTIVATION_IDENTITY", "ACTIVATION_RELU"] {
        check_plan(
            Plan {
                activation,
                ..NESTED
            },
            BoardSize::square(4),
        );
    }
    check_plan(
        Plan {
            channels: 21,
            blocks: "gono",
            ..NESTED
        },
        BoardSize::square(9),
    );
}

#[test]
fn transformers_are_computed_alike_on_every_processor() {
    let board = BoardSize::square(9);
    for blocks in ["aftfq", "uf"] {
        let plan = Plan {
            blocks,
            ..TRANSFORMER
        };
        let onnx = to_onnx("net.bin", &plan.net(5).bytes, Some(board), None).unwrap();
        let load = |level, integers| {
            let model = NativeModel::load_for("net.bin", &onnx, None, level, integers);
            model.unwrap().evaluator()
        };
        let levels = Level::all();
        let portable = *levels.last().unwrap();
        for level in levels {
            suite::agree(&mut load(level, false), &mut load(portable, false), 1e-4);
            suite::agree(&mut load(level, true), &mut load(portable, false), 1e-2);
        }
        // So is the file in half precision, with its normalisations in f32.
        let half = NativeModel::load("half", &to_f16(&onnx).unwrap(), None);
        assert!(half.is_ok(), "{:?}", half.err());
    }
}

#[test]
fn text_and_compressed_files_are_the_same() {
    let board = BoardSize::square(5);
    let [binary, text] = [true, false].map(|binary| Plan { binary, ..NESTED }.net(1).bytes);
    let packed = packed(&binary);
    for (other, tolerance) in [(&text, 1e-6), (&packed, 0.0)] {
        suite::agree(
            &mut native(&binary, board),
            &mut native(other, board),
            tolerance,
        );
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A small file may not fill all memory: nothing that was trained can be compressed so far.
#[test]
fn what_unpacks_to_far_more_than_its_size_is_refused() {
    let zeros = [&OLD.net(1).bytes[..], &vec![0; 64 << 20]].concat();
    let bomb = packed(&zeros);
    assert!(bomb.len() < 1 << 20);
    let error = to_onnx("net.bin", &bomb, None, None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("16 times as large"), "{error}");
    let unpacked = unpacked(&bomb, u64::MAX).map(|text| text.len());
    assert!(unpacked.is_err(), "{unpacked:?}");
}

/// One head for each of 4,096 numbers of a file had 47 MB of tables in every block.
#[test]
fn tables_of_turns_are_shared_and_no_larger_than_the_file_justifies() {
    let tables = |blocks: &'static str| {
        let plan = Plan {
            blocks,
            ..TRANSFORMER
        };
        let onnx = for_board(&plan.net(1).bytes, BoardSize::square(5));
        let tensors = Model::read(&onnx).unwrap().tensors;
        let is_table = |tensor: &&Tensor| tensor.dims.first() == Some(&25);
        tensors.iter().filter(is_table).count()
    };
    // Cosines and sines of queries and keys.
    assert_eq!([tables("q"), tables("qqq"), tables("qx")], [4, 4, 6]);
    // What is learned is each block's own.
    assert_eq!([tables("a"), tables("aa")], [2, 4]);
    let text = TRANSFORMER.net(1).bytes;
    let checked = |area: usize| tokens::check_turns(1_000, area, text.len());
    assert_eq!(checked(19 * 19), Ok(()));
    let message = checked(1 << 20).unwrap_err();
    assert!(
        message.contains("8 times as large as the file"),
        "{message}"
    );
}

#[test]
fn blocks_within_others_count() {
    let stack = |count: usize| {
        let text = "transformer_ffn_block b 1 1 1 n 1 0.1 1 f 1 1 1 g 1 1 1 l 1 1 1 ".repeat(count);
        let mut reader = KataGoReader::new(text.as_bytes());
        reader.blocks = graph::MAX_BLOCKS - 3;
        let mut writer = Writer::new("", BoardSize::square(2));
        let x = Points {
            value: writer.constant(&[1, 4, 1], &[0.0; 4]),
            channels: 1,
            form: Form::Tokens,
        };
        graph::stack(&mut reader, &mut writer, x, count, 1).map(|x| x.channels)
    };
    assert_eq!(stack(3), Ok(1));
    let message = stack(4).unwrap_err();
    assert!(message.contains("more than 1000 blocks"), "{message}");
}

#[test]
fn no_layer_is_wider_than_the_description_says() {
    let bytes = Plan {
        binary: false,
        ..OLD
    };
    let text = String::from_utf8(bytes.net(1).bytes).unwrap();
    // The first convolution of the first block: 8 channels to 11.
    let wide = text.replacen("3 3 8 11 1 1", "3 3 8 4096 1 1", 1);
    assert_ne!(text, wide);
    let error = to_onnx("net.bin", wide.as_bytes(), None, None).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("it makes 4096 channels"), "{error}");
}

#[test]
fn passes_the_suite() {
    for plan in [OLD, NESTED, TRANSFORMER] {
        suite::check(&mut native(&plan.net(2).bytes, BoardSize::new(6, 5)));
    }
}

#[cfg(feature = "tract")]
#[test]
fn other_backends_agree() {
    let board = BoardSize::new(6, 5);
    for plan in [OLD, NESTED, TRANSFORMER] {
        let bytes = plan.net(2).bytes;
        let onnx = to_onnx("net.bin", &bytes, Some(board), None).unwrap();
        let tract = crate::eval::TractModel::load("net.bin", &onnx, None).unwrap();
        suite::agree(
            &mut exact(&bytes, board),
            &mut tract.evaluator().unwrap(),
            1e-3,
        );
        #[cfg(feature = "ort")]
        if suite::ort_is_installed() {
            let library = crate::eval::LibraryPlaces::usual(None);
            let ort = crate::eval::OrtModel::load("net.bin", onnx.into(), None, &library).unwrap();
            suite::agree(
                &mut exact(&bytes, board),
                &mut ort.evaluator().unwrap(),
                1e-3,
            );
        }
    }
}

/// A game without a result is only possible where the last plane does not rule it out.
#[test]
fn the_last_plane_rules_out_no_result() {
    let board = BoardSize::square(5);
    let mut evaluator = native(&NESTED.net(1).bytes, board);
    let open = batch(board, 1);
    let mut certain = open.clone();
    certain.clear();
    for index in 0..open.len() {
        let row = certain.push(index as u128);
        row.copy_from_slice(open.row(index));
        row[(PLANES - 1) * board.area()..].fill(1.0);
    }
    let [open, certain] = [open, certain].map(|batch| {
        let mut out = Outputs::new();
        evaluator.evaluate(&batch, &mut out).unwrap();
        out
    });
    for index in 0..open.len() {
        let [a, b] = [&open, &certain].map(|out| out.value_logits(index));
        assert!((a[0] - b[0]).abs() < 1e-5 && (a[2] - b[2]).abs() < 1e-5);
        assert!((a[1] - 100.0 - b[1]).abs() < 1e-3);
    }
}

#[test]
fn a_file_is_opened_for_every_board_by_what_is_in_it() {
    let (folder, bytes) = (Scratch::new("katago"), NESTED.net(1).bytes);
    // Under any name.
    for (name, bytes) in [("k1.bin", bytes.clone()), ("k2.onnx", packed(&bytes))] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let source = ModelSource::File(file);
        let info = source.info().unwrap();
        assert_eq!((&*info.network, &*info.game), ("random-net", "go"));
        assert_eq!(info.encoding, "katago-7-suicide");
        for (board, fits) in [
            (BoardSize::square(19), true),
            (BoardSize::new(13, 2), true),
            (BoardSize::square(20), false),
        ] {
            assert_eq!(info.plays_on(board), fits, "{board}");
            let options = LoadOptions {
                board: Some(board),
                ..LoadOptions::default()
            };
            let opened =
                EvaluatorFactory::open(crate::eval::BackendKind::Native, &source, &options);
            match opened {
                Ok(factory) => assert_eq!(factory.info().size, board),
                Err(error) => {
                    assert!(!fits, "{error}");
                    assert!(error.to_string().contains("boards of 2 to 19"), "{error}");
                }
            }
        }
    }
}

/// Why a network with some bytes replaced is not read.
#[track_caller]
fn refused(plan: Plan, [from, to]: [&str; 2], parts: &[&str]) {
    let bytes = plan.net(1).bytes;
    let at = bytes
        .windows(from.len())
        .position(|window| window == from.as_bytes());
    let at = at.unwrap_or_else(|| panic!("the file holds {from}"));
    let changed = [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat();
    let profile = players().filter(|_| plan.imitates);
    let error = to_onnx("net.bin", &changed, None, profile)
        .unwrap_err()
        .to_string();
    for part in parts {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_is_not_known_is_named_with_what_to_do() {
    refused(
        NESTED,
        ["nested_bottleneck_block", "mlp_block"],
        &["mlp_block", "gpool_block", "transformer_ffn_block"],
    );
    refused(
        NESTED,
        ["ACTIVATION_MISH", "ACTIVATION_GELU"],
        &["ACTIVATION_GELU", "ACTIVATION_SILU"],
    );
    refused(
        NESTED,
        ["\n15 22", "\n18 22"],
        &["model version 18; known are 8 to 17"],
    );
    refused(
        OLD,
        ["\n8 22", "\n7 22"],
        &["model version 7; known are 8 to 17"],
    );
    refused(
        NESTED,
        ["0 1 0 0", "2 1 0 0"],
        &["metadata encoder of version 2; known is 1"],
    );
    refused(
        HUMAN,
        ["\n192\n", "\n193\n"],
        &["it reads 193 numbers, not 192"],
    );
    refused(
        NESTED,
        ["0 1 0 0", "0 1 3 0"],
        &["its option 0 is 3", "newer than this program"],
    );
    for (from, to, part) in [
        (
            "\n1 0 0 0 0 0\n",
            "\n2 0 0 0 0 0\n",
            "kind of the last normalisation is 2",
        ),
        ("24 0.02 1 0", "24 0.02 1 4", "groups of channels 0 is 4"),
        ("24 0.01\n", "24 2.0\n", "its epsilon is 2"),
        ("3 3 32 32 1 1", "3 2 32 32 1 1", "3 heads cannot share 2"),
        ("3 3 32 32 1 1", "3 3 33 32 1 1", "pairs of channels"),
        ("3 3 32 32 1 1", "4096 3 32 32 1 1", "not from 1 to 256"),
        ("3 3 32 32 1 1", "3 3 4096 32 1 1", "not from 1 to 1024"),
        ("rope 3 16 2", "rope 3 15 2", "[3, 15, 2], not [3, 16, 2]"),
        ("24 53 1", "24 53 0", "no gate (SwiGLU)"),
        ("24 53 1", "23 53 1", "for 23 channels, but there are 24"),
        ("\n4 0 0 0\n", "\n3 0 0 0\n", "3 channels, not 2 or 4"),
    ] {
        refused(TRANSFORMER, [from, to], &[part]);
    }
    refused(NESTED, ["22 19", "22 20"], &["22 planes and 20 numbers"]);
    refused(
        NESTED,
        ["1 1 16 8 1 1", "1 1 16 8 2 2"],
        &["block3: conv", "dilation"],
    );
    refused(
        NESTED,
        ["1 1 16 8 1 1", "1 1 17 8 1 1"],
        &["for 17 channels, but there are 16"],
    );
    refused(
        NESTED,
        ["1 1 16 8 1 1", "2 1 16 8 1 1"],
        &["its kernel is 2x1"],
    );
    refused(
        NESTED,
        ["random-net", "random net"],
        &["not a network of KataGo", "'net'"],
    );
    refused(NESTED, ["policyhead", "policyhead x"], &["policyhead"]);
}

/// Networks that are sound, but told of players or not as they should not be.
#[test]
fn only_networks_that_imitate_people_are_told_whom() {
    let error = |plan: Plan, profile| {
        to_onnx("net.bin", &plan.net(1).bytes, None, profile)
            .unwrap_err()
            .to_string()
    };
    let text = error(HUMAN, None);
    assert!(text.contains("--human-profile"), "{text}");
    let text = error(NESTED, players());
    assert!(text.contains("does not imitate people"), "{text}");
}

#[test]
fn what_is_damaged_is_said_with_where() {
    let bytes = OLD.net(1).bytes;
    let error = |bytes: &[u8]| {
        to_onnx("net.bin", bytes, None, None)
            .unwrap_err()
            .to_string()
    };
    let text = error(&bytes[..bytes.len() / 2]);
    assert!(
        text.contains("the file ends after") && text.contains("block"),
        "{text}"
    );
    let packed = packed(&bytes);
    let text = error(&packed[..packed.len() / 2]);
    assert!(
        text.contains("damaged or incomplete") && text.contains("fetch it again"),
        "{text}"
    );
    let mut wrong_sum = packed.clone();
    let end = wrong_sum.len();
    wrong_sum[end - 6] ^= 1;
    assert!(
        error(&wrong_sum).contains("damaged"),
        "{}",
        error(&wrong_sum)
    );
    let text = error(&[&bytes[..], b"more"].concat());
    assert!(text.contains("4 bytes follow the last layer"), "{text}");
    let mut not_a_number = bytes.clone();
    let at = bytes.len() - 5;
    not_a_number[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(error(&not_a_number).contains("is not a number"));
    // A compressed file of something else.
    let text = error(&super::tests::packed(&[0, 1, 2, 3]));
    assert!(text.contains("it is not a network of KataGo"), "{text}");
}

/// After any truncation or change a file is rejected or computed, and memory for its description is
/// bounded by its length.
#[test]
fn damaged_files_never_end_the_program() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let board = BoardSize::square(3);
    for plan in [
        Plan {
            binary: false,
            ..OLD
        },
        OLD,
        NESTED,
        TRANSFORMER,
    ] {
        let bytes = plan.net(1).bytes;
        // For fuzzing to begin with: gtp-tests/fuzz/seeds.
        if let Ok(folder) = std::env::var("TENGEN_WRITE_TEST_NETWORK") {
            let name = format!("{folder}/katago-{}-{}", plan.version, plan.binary);
            std::fs::write(name, &bytes).unwrap();
        }
        for len in (0..bytes.len()).step_by(bytes.len() / 60 + 1) {
            assert!(to_onnx("net.bin", &bytes[..len], Some(board), None).is_err());
            assert!(to_onnx("net.bin", &packed(&bytes[..len]), Some(board), None).is_err());
        }
        // Text is where it hurts; weights have the most bytes.
        let text = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_graphic());
        let text: Vec<usize> = text.collect();
        let mut computed = 0;
        for _ in 0..250 {
            let mut changed = bytes.clone();
            for _ in 0..rng.random_range(1..4) {
                let at = text[rng.random_range(0..text.len())];
                changed[at] = match rng.random_range(0..3) {
                    0 => rng.random(),
                    1 => rng.random_range(b'0'..=b'9'),
                    _ => changed[at] ^ (1 << rng.random_range(0..8)),
                };
            }
            if let Ok(onnx) = to_onnx("net.bin", &changed, Some(board), None)
                && let Ok(model) = NativeModel::load("net.bin", &onnx, None)
            {
                let mut out = Outputs::new();
                let batch = batch(board, 1);
                model.evaluator().evaluate(&batch, &mut out).unwrap();
                computed += 1;
            }
        }
        assert!(computed > 10, "{computed}");
    }
}

#[test]
fn other_files_are_not_taken_for_these() {
    for other in [
        &b""[..],
        b"hello",
        b"hello world",
        b"\x08\x08\x12\x06tengen",
        b"(;GM[1])",
    ] {
        assert!(!is_katago(other), "{other:?}");
    }
    assert!(is_katago(&OLD.net(1).bytes) && is_katago(b"kata1-b18 14\n"));
}
