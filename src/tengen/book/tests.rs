use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::clock::{Clock, StopReason, SystemClock};
use crate::encode::{Encode as _, made_up};
use crate::engine::{Decision, Engine, EngineOptions, MoveRequest};
use crate::game::{BoardSize, Color, Game, Move, Proof};
use crate::games::go::SmallGo;
use crate::games::nogo::SmallNoGo;
use crate::games::tictactoe::TicTacToe;
use crate::record::{Play, Vertex};
use crate::registry;
use crate::search::{
    AnalysisOptions, Limits, MoveReport, SearchParams, SearchReport, SearchRequest, Searcher,
    SearcherOptions, StopFlag,
};
use tengen_nn::eval::EvaluatorFactory;
use tengen_nn::files::scratch::Scratch;

fn tictactoe() -> TicTacToe {
    TicTacToe::new(BoardSize::square(3)).expect("a board")
}

/// Searches with a network that knows nothing.
fn searcher() -> Searcher<TicTacToe> {
    let model = made_up(&tictactoe(), TicTacToe::encodings()[0]);
    let factory = EvaluatorFactory::uniform(model);
    let options = SearcherOptions {
        threads: 1,
        seed: 1,
        params: SearchParams::default(),
    };
    Searcher::new(
        Arc::new(move || factory.make()),
        options,
        Arc::new(SystemClock::new()),
    )
}

fn search(
    searcher: &mut Searcher<TicTacToe>,
    place: &Place<TicTacToe>,
    visits: u64,
) -> SearchReport {
    let limits = Limits::visits(visits);
    searcher.clear();
    let position = place.images.position().clone();
    let request = SearchRequest::new(position.into()).within(limits);
    let request = request.with(AnalysisOptions {
        avoid: place.avoid.clone(),
        ..AnalysisOptions::default()
    });
    searcher.search(&request, &mut |_| {}).expect("a report")
}

/// A book of Tic-tac-toe of at most this many searches.
fn grown(moves: &[u16], steps: usize) -> Growth<TicTacToe> {
    let moves = moves.iter().map(|&point| Move(point)).collect();
    let mut growth = Growth::new(Book::default(), &tictactoe(), moves);
    let mut searcher = searcher();
    for _ in 0..steps {
        let Some(place) = growth.next().expect("its own book") else {
            break;
        };
        let report = search(&mut searcher, &place, 30);
        growth.add(&place, Some(&report));
    }
    growth
}

#[test]
fn a_book_built_to_the_end_knows_the_value_of_the_game() {
    let growth = grown(&[], 5_000);
    assert!(
        growth.next().expect("its own book").is_none(),
        "{}",
        growth.book().len()
    );
    let root = Images::of_empty(&tictactoe());
    let found = growth.book().value(root.key());
    assert_eq!(
        found,
        Some((0.0, Some(Proof::Draw))),
        "{} positions",
        growth.book().len()
    );
    // 765 positions differ under symmetry.
    assert!(growth.book().len() <= 765, "{}", growth.book().len());
    let moves = growth.book().moves(root.key());
    assert_eq!(moves.len(), 3, "corner, side and centre");
    assert!(moves.iter().all(|found| found.proof == Some(Proof::Draw)));
}

/// A searched position with these moves: value of each, and the position after it.
fn searched(moves: &[(f32, u128)]) -> Searched {
    let moves = moves.iter().zip(0..);
    let moves: Vec<SearchedMove> = moves
        .map(|(&(value, next), point)| SearchedMove {
            mv: Move(point),
            value,
            prior: 0.1,
            visits: 10,
            proof: None,
            next,
        })
        .collect();
    Searched {
        visits: 100,
        value: moves.first().map_or(0.0, |best| best.value),
        proof: None,
        left_out: LeftOut {
            moves: 1,
            value: -1.0,
            prior: 0.01,
        },
        moves,
    }
}

#[test]
fn values_come_from_the_best_moves_whatever_is_added_first() {
    let all = [
        (1, searched(&[(0.5, 2), (0.4, 3)])),
        (2, searched(&[(-0.1, 4), (-0.2, 5)])),
        (3, searched(&[(-0.3, 4), (-0.6, 6)])),
        (4, searched(&[(0.9, 7)])),
    ];
    let check = |all: Vec<(u128, Searched)>| {
        let book = Book::of(all);
        // 4 is won for its mover, so those before it look elsewhere.
        let values = [1, 2, 3, 4].map(|key| book.value(key).expect("it is there").0);
        assert_eq!(values, [0.6, -0.2, -0.6, 0.9]);
        let moves = book.moves(1);
        let found = moves
            .iter()
            .map(|found| (found.next, found.value, found.is_known));
        assert_eq!(found.collect::<Vec<_>>(), [(3, 0.6, true), (2, 0.2, true)]);
    };
    check(all.to_vec());
    check(all.iter().rev().cloned().collect());
}

#[test]
fn proofs_are_passed_on_if_no_move_was_left_out() {
    let lost = |mut searched: Searched| {
        (searched.proof, searched.value) = (Some(Proof::Loss), -1.0);
        searched
    };
    let value = |left_out, second: Searched| {
        let mut first = searched(&[(0.5, 2), (0.4, 3)]);
        first.left_out.moves = left_out;
        let won = Searched {
            proof: Some(Proof::Win),
            ..searched(&[(1.0, 9)])
        };
        Book::of([(1, first), (2, second), (3, won)]).value(1)
    };
    // One lost move, and one that leads to a loss of the other side.
    assert_eq!(value(1, lost(searched(&[]))), Some((1.0, Some(Proof::Win))));
    let won = Searched {
        proof: Some(Proof::Win),
        ..searched(&[(1.0, 8)])
    };
    assert_eq!(
        value(1, won.clone()),
        Some((-1.0, None)),
        "others were left out"
    );
    assert_eq!(value(0, won), Some((-1.0, Some(Proof::Loss))));
}

#[test]
fn a_proof_counts_more_than_visits() {
    let open = searched(&[(0.5, 2)]);
    let proven = Searched {
        visits: 1,
        proof: Some(Proof::Loss),
        ..searched(&[])
    };
    assert!(proven.is_better_than(&open) && !open.is_better_than(&proven));
    let longer = Searched {
        visits: 101,
        ..open.clone()
    };
    assert!(longer.is_better_than(&open) && !open.is_better_than(&open));
}

#[test]
fn where_repetition_is_forbidden_nothing_is_proven() {
    for (rules, expected) in [("tromp-taylor", None), ("japanese", Some(Proof::Win))] {
        let named = rules.parse().expect("known rules");
        let empty = SmallGo::with_rules(BoardSize::square(5), named).expect("a board");
        let mut won = MoveReport::unsearched(Move(12), 1.0);
        won.prove(Proof::Win);
        let report = SearchReport {
            proof: Some(Proof::Win),
            ..SearchReport::unsearched(vec![won], StopReason::Proven)
        };
        let found = Searched::of(&Images::of_empty(&empty), &report).expect("a move");
        let of_moves: Vec<_> = found.moves.iter().map(|kept| kept.proof).collect();
        assert_eq!(
            (found.proof, of_moves),
            (expected, vec![expected]),
            "{rules}"
        );
        assert!(found.value > 0.9, "{rules}: its value stays");
    }
}

#[test]
fn values_that_depend_on_themselves_end() {
    let book = Book::of([
        (1, searched(&[(0.2, 2), (0.1, 9)])),
        (2, searched(&[(0.3, 3), (-0.5, 8)])),
        (3, searched(&[(0.4, 1)])),
    ]);
    assert!(book.value(1).is_some_and(|(value, _)| value.abs() <= 1.0));
}

#[test]
fn growth_of_a_book_with_infinite_values_ends() {
    let root = Images::of_empty(&tictactoe()).key();
    let end = Searched {
        value: f32::NEG_INFINITY,
        left_out: LeftOut::default(),
        ..searched(&[])
    };
    let [ended, one, other] = [1, 2, 3];
    let book = Book::of([
        (root, searched(&[(0.0, ended), (0.0, one)])),
        (ended, end),
        (one, searched(&[(0.5, other)])),
        (other, searched(&[(0.5, one)])),
    ]);
    let growth = Growth::new(book, &tictactoe(), Vec::new());
    let place = growth.next().expect("no circle").expect("a place");
    assert!(place.moves.is_empty(), "the root is widened");
}

/// A game that is over on an empty board: Black has no move.
#[test]
fn a_finished_position_has_its_result() {
    let empty = SmallNoGo::new(BoardSize::square(1)).expect("a board");
    let mut growth = Growth::new(Book::default(), &empty, Vec::new());
    let place = growth.next().expect("its own book").expect("a place");
    growth.add(&place, None);
    let root = Images::of_empty(&empty).key();
    assert_eq!(growth.book().value(root), Some((-1.0, Some(Proof::Loss))));
    assert!(growth.next().expect("its own book").is_none());
}

#[test]
fn the_next_position_is_the_end_of_the_cheapest_line() {
    let growth = grown(&[], 1);
    let place = growth.next().expect("its own book").expect("a place");
    assert_eq!(place.moves.len(), 1, "the first move of the first search");
    let best = growth.book().moves(Images::of_empty(&tictactoe()).key())[0];
    assert_eq!(place.images.key(), best.next);
}

#[test]
fn growth_from_a_position_searches_what_leads_there_first() {
    let growth = grown(&[4, 0], 5);
    let mut images = Images::of_empty(&tictactoe());
    for point in [4, 0] {
        assert!(growth.book().searched(images.key()).is_some());
        images = images.after(Move(point));
    }
    assert!(growth.book().searched(images.key()).is_some());
    assert!((3..=5).contains(&growth.book().len()));
    let next = growth.next().expect("its own book").expect("a place");
    assert_eq!(next.moves[..2], [Move(4), Move(0)]);
}

/// A file with the book of Tic-tac-toe after this many searches.
fn written(folder: &Scratch, steps: usize) -> PathBuf {
    let path = folder.path().join("tictactoe.book");
    let meta = BookMeta {
        player: "nobody".to_owned(),
        steps: steps as u64,
        ..BookMeta::of(&tictactoe())
    };
    let (file, ..) = BookFile::open(&path, &meta).expect("a new book");
    file.add(&meta, grown(&[], steps).book().iter())
        .expect("writable");
    path
}

#[test]
fn a_file_holds_what_was_added() {
    let folder = Scratch::new("book-file");
    let path = written(&folder, 20);
    let (meta, book) = read(&path).expect("a book");
    let fresh = grown(&[], 20);
    let all = fresh.book().len();
    assert_eq!((meta.steps, &*meta.player, book.len()), (20, "nobody", all));
    for (key, searched) in fresh.book().iter() {
        assert_eq!(book.searched(key), Some(searched));
        assert_eq!(book.value(key), fresh.book().value(key));
    }
    // It is read while it is added to, but only one may add.
    let (file, ..) = BookFile::open(&path, &BookMeta::of(&tictactoe())).expect("a book");
    let second = BookFile::open(&path, &BookMeta::of(&tictactoe()));
    let in_use = |opened: Result<(BookFile, BookMeta, Book), BookError>| {
        let error = opened.err().expect("it is open").to_string();
        assert_eq!(error, "another program is adding to it");
    };
    in_use(second);
    file.add(&meta, [(1, &searched(&[]))]).expect("writable");
    assert_eq!(read(&path).expect("a book").1.len(), all + 1);
    if cfg!(unix) {
        // As while the other one begins it.
        fs::write(&path, [0; 4096]).expect("writable");
        let second = BookFile::open(&path, &BookMeta::of(&tictactoe()));
        in_use(second);
        // It would find its book gone.
        std::mem::forget(file);
    }
}

fn read(path: &Path) -> Result<(BookMeta, Book), BookError> {
    BookSource::File(path.to_owned()).read()
}

fn refusal(path: &Path) -> String {
    read(path)
        .err()
        .map_or("none".to_owned(), |error| error.to_string())
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = Scratch::new("book-other");
    let path = folder.path().join("game.sgf");
    let wanted = BookMeta::of(&tictactoe());
    assert_eq!(refusal(&path), "no such file");
    let nowhere = folder.path().join("nowhere").join("new.book");
    let opened = BookFile::open(&nowhere, &wanted).err();
    assert_eq!(opened.expect("no folder").to_string(), "no such folder");
    for name in ["built-in", "none"] {
        let opened = BookFile::open(Path::new(name), &wanted).err();
        let error = opened.expect("--book has this word").to_string();
        assert!(error.contains("choose another"), "{name}: {error}");
    }
    for text in ["", "(;GM[1]SZ[9])", &"x".repeat(100_000)] {
        fs::write(&path, text).expect("writable");
        assert_eq!(
            refusal(&path),
            BookError::NotABook.to_string(),
            "{} bytes",
            text.len()
        );
        if !text.is_empty() {
            assert!(BookFile::open(&path, &wanted).is_err());
        }
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
    }
    // A sparse file, which is refused by its first bytes.
    let sparse = fs::File::create(&path).expect("writable");
    sparse.set_len(1 << 32).expect("holes are allowed");
    assert_eq!(refusal(&path), BookError::NotABook.to_string());
    assert!(read(folder.path()).is_err(), "a folder");
    let path = written(&folder, 5);
    let four = TicTacToe::new(BoardSize::square(4)).expect("a board");
    let error = BookFile::open(&path, &BookMeta::of(&four))
        .err()
        .expect("another board");
    assert_eq!(
        error.to_string(),
        "it is a book of tictactoe 3x3, rules 3, not of tictactoe 4x4, rules 3"
    );
}

#[test]
fn a_book_of_another_version_is_refused() {
    let folder = Scratch::new("book-version");
    let path = written(&folder, 5);
    let store = redb::Database::open(&path).expect("a store");
    let change = store.begin_write().expect("writable");
    let about = redb::TableDefinition::<&str, &str>::new("about");
    change
        .open_table(about)
        .expect("a table")
        .insert("format", "7")
        .expect("writable");
    change.commit().expect("writable");
    drop(store);
    assert!(
        refusal(&path).contains("another version of Tengen"),
        "{}",
        refusal(&path)
    );
}

/// However a file is cut off or changed, reading it ends with the same book or an error.
#[test]
fn damaged_files_are_refused() {
    let folder = Scratch::new("book-damaged");
    let whole = written(&folder, 40);
    let (_, book) = read(&whole).expect("a book");
    let whole = fs::read(whole).expect("readable");
    let path = folder.path().join("damaged.book");
    let parts = (0..40).map(|part| whole.len() * part / 40);
    for cut in parts.chain([5, 9, 100]) {
        fs::write(&path, &whole[..cut]).expect("writable");
        assert!(refusal(&path).starts_with("it is "), "{cut} bytes");
    }
    let mut at = 0;
    while at < whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        fs::write(&path, &changed).expect("writable");
        if let Ok((_, found)) = read(&path) {
            let mut all = found.iter();
            assert!(
                found.len() == book.len()
                    && all.all(|(key, searched)| book.searched(key) == Some(searched)),
                "byte {at}"
            );
        }
        at += 97;
    }
}

#[test]
fn searches_count_by_the_share_that_is_added() {
    let book = BookMeta {
        player: "b".to_owned(),
        steps: 10,
        seconds: 5.0,
        ..BookMeta::of(&tictactoe())
    };
    let told = |meta: &BookMeta| (meta.player.clone(), meta.steps, meta.seconds);
    let nothing = book.unsearched();
    assert_eq!(told(&nothing.with(0.0, &book)), (String::new(), 0, 0.0));
    let all = nothing.with(1.0, &book);
    assert_eq!(told(&all), told(&book));
    assert_eq!(told(&all.with(0.0, &book)), told(&book));
    assert_eq!(told(&all.with(0.2, &book)), ("b".to_owned(), 12, 6.0));
    let other = BookMeta {
        player: "c".to_owned(),
        ..book.clone()
    };
    assert_eq!(told(&all.with(1.0, &other)), ("b, c".to_owned(), 20, 10.0));
}

fn engine(settings: &[(&str, &str)]) -> Box<dyn Engine> {
    let mut options = EngineOptions::of("tictactoe").expect("a game");
    for (name, value) in [("backend", "rollout"), ("visits", "10"), ("seed", "1")] {
        options.set(name, value).expect(name);
    }
    for (name, value) in settings {
        options.set(name, value).expect(name);
    }
    let options = options.resolve().expect("available");
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    registry::create(&options, options.board(), &time).expect("a game")
}

/// A move, and why its search ended.
fn genmove(engine: &mut dyn Engine) -> (Decision, Option<StopReason>) {
    let request = MoveRequest::new(engine.to_move(), &StopFlag::new());
    let decision = engine.genmove(&request, &mut |_| {});
    (decision, engine.last_report().map(|report| report.stop))
}

#[test]
fn an_engine_plays_from_it_in_all_symmetries() {
    let folder = Scratch::new("book-played");
    let path = written(&folder, 5_000);
    let book = path.to_str().expect("text");
    let mut engine = engine(&[("book", book)]);
    for first in [0, 2, 6, 8] {
        engine.clear();
        let play = Play {
            color: Color::Black,
            vertex: Vertex::Point(Move(first)),
        };
        engine.play(play).expect("legal");
        // Only the centre does not lose.
        let expected = (
            Decision::Play(Vertex::Point(Move(4))),
            Some(StopReason::Book),
        );
        assert_eq!(genmove(&mut *engine), expected);
        engine.undo().expect("played");
        let mut avoiding = MoveRequest::new(Color::White, &StopFlag::new());
        avoiding.options.avoid.push(Move(4));
        engine.genmove(&avoiding, &mut |_| {});
        let stop = engine.last_report().map(|report| report.stop);
        assert_ne!(stop, Some(StopReason::Book), "the others lose");
    }
    engine.set_rules("2").expect("rules");
    engine.clear();
    assert_ne!(
        genmove(&mut *engine).1,
        Some(StopReason::Book),
        "other rules"
    );
}

#[test]
fn variety_chooses_among_good_moves() {
    let folder = Scratch::new("book-variety");
    let path = written(&folder, 5_000);
    let book = path.to_str().expect("text");
    let first = |settings: &[(&str, &str)]| {
        let mut engine = engine(settings);
        genmove(&mut *engine).0
    };
    let firsts = |variety: &str| {
        let seeds = ["1", "2", "3", "4", "5", "6", "7", "8"];
        let moves =
            seeds.map(|seed| first(&[("book", book), ("book-variety", variety), ("seed", seed)]));
        let mut different: Vec<Decision> = Vec::new();
        for mv in moves {
            if !different.contains(&mv) {
                different.push(mv);
            }
        }
        different.len()
    };
    assert_eq!(firsts("0"), 1);
    assert!(firsts("0.1") > 1, "all three first moves draw");
}

#[test]
fn a_book_that_does_not_fit_is_refused_at_the_start() {
    let folder = Scratch::new("book-refused");
    let path = written(&folder, 5);
    let refused = |settings: &[(&str, &str)]| {
        let mut options = EngineOptions::of("tictactoe").expect("a game");
        options.set("backend", "rollout").expect("a backend");
        options
            .set("book", path.to_str().expect("text"))
            .expect("a file");
        for (name, value) in settings {
            options.set(name, value).expect(name);
        }
        options.resolve().map_err(|error| error.to_string()).err()
    };
    assert_eq!(refused(&[]), None);
    for settings in [[("size", "4")], [("rules", "2")]] {
        let error = refused(&settings).expect("another book");
        assert!(error.contains("rules 3, not of tictactoe"), "{error}");
        assert!(error.ends_with("--game, --size and --rules"), "{error}");
    }
    let error = refused(&[("book", "/nowhere.book")]).expect("no file");
    assert!(error.contains("/nowhere.book"), "{error}");
}
