use super::*;
use crate::clock::{FakeClock, TimeLeft};
use crate::watch::{ClockView, MoveView};

const AT_ONCE: Duration = Duration::ZERO;

fn games(boards: usize) -> (Arc<WatchedGames>, Arc<FakeClock>) {
    let time = Arc::new(FakeClock::new());
    let games = WatchedGames::new(boards, Arc::clone(&time) as Arc<dyn Clock>);
    (games, time)
}

fn kinds(news: &[(&'static str, Arc<str>)]) -> Vec<&'static str> {
    news.iter().map(|(kind, _)| *kind).collect()
}

fn data(news: &[(&'static str, Arc<str>)], kind: &str) -> serde_json::Value {
    let found = news.iter().find(|(own, _)| *own == kind);
    let (_, text) = found.expect("such a message");
    serde_json::from_str(text).expect("JSON")
}

fn begin(game: &mut WatchedGame) {
    game.game = "nogo".to_owned();
    let left = TimeLeft::Main(Duration::from_secs(60));
    game.clocks = [ClockView::new(left, true), ClockView::new(left, false)];
}

#[test]
fn a_page_is_sent_the_newest_state_of_its_board_only() {
    let (games, _) = games(2);
    let mut page = Arc::clone(&games).open("1");
    assert_eq!(kinds(&page.news(AT_ONCE)), ["games"], "no game has begun");
    assert!(page.news(AT_ONCE).is_empty());
    games.update(1, begin);
    games.update(1, |game| game.title = "7".to_owned());
    games.show(1, "{\"visits\":1}".to_owned());
    games.show(1, "{\"visits\":2}".to_owned());
    let news = page.news(AT_ONCE);
    assert_eq!(kinds(&news), ["games", "game", "analysis"]);
    assert_eq!(data(&news, "game")["title"], "7");
    assert_eq!(data(&news, "analysis")["visits"], 2);
    // Another board changes the list only.
    games.update(0, begin);
    games.set_score("3 - 1".to_owned());
    let news = page.news(AT_ONCE);
    assert_eq!(kinds(&news), ["games"]);
    assert_eq!(data(&news, "games")["score"], "3 - 1");
    // One that is not there is no reason to fail.
    assert_eq!(
        kinds(&Arc::clone(&games).open("99").news(AT_ONCE)),
        ["games"]
    );
    assert_eq!(
        kinds(&Arc::clone(&games).open("-x").news(AT_ONCE)),
        ["games", "game", "analysis"]
    );
    games.update(99, begin);
}

#[test]
fn a_search_is_forgotten_with_its_position() {
    let (games, _) = games(1);
    let mut page = Arc::clone(&games).open("");
    let moved = |at: &str| MoveView {
        color: "B",
        at: at.to_owned(),
        note: String::new(),
    };
    let analysis_after = |page: &mut Box<dyn Page>, moves: &[&str], title: &str| {
        games.show(0, "{}".to_owned());
        page.news(AT_ONCE);
        games.update(0, |game| {
            begin(game);
            game.title = title.to_owned();
            game.moves = moves.iter().map(|at| moved(at)).collect();
        });
        let news = page.news(AT_ONCE);
        kinds(&news)
            .contains(&"analysis")
            .then(|| data(&news, "analysis"))
    };
    let gone = Some(serde_json::Value::Null);
    assert_eq!(analysis_after(&mut page, &[], "1"), gone, "the first game");
    assert_eq!(analysis_after(&mut page, &["A1"], "1"), None, "it goes on");
    assert_eq!(analysis_after(&mut page, &["A1", "B1"], "1"), None);
    assert_eq!(analysis_after(&mut page, &["A1"], "1"), gone, "taken back");
    assert_eq!(
        analysis_after(&mut page, &["A2"], "1"),
        gone,
        "another move"
    );
    assert_eq!(
        analysis_after(&mut page, &["A2"], "2"),
        gone,
        "another game"
    );
}

#[test]
fn a_page_that_comes_later_sees_the_clocks_of_then() {
    let (games, time) = games(1);
    games.update(0, begin);
    time.advance(Duration::from_secs(20));
    let news = Arc::clone(&games).open("").news(AT_ONCE);
    let clocks = &data(&news, "game")["clocks"];
    assert_eq!(
        (&clocks[0]["seconds"], &clocks[1]["seconds"]),
        (&40.0.into(), &60.0.into())
    );
}

#[test]
fn a_page_sees_how_a_game_ended_though_the_next_has_begun() {
    let (games, _) = games(1);
    let mut page = Arc::clone(&games).open("");
    let play = |title: &str, end: Option<&str>| {
        games.update(0, |game| {
            begin(game);
            game.title = title.to_owned();
            game.end = end.map(|result| (result.to_owned(), "rules".to_owned()));
        });
    };
    play("1", None);
    page.news(AT_ONCE);
    play("1", Some("B+R"));
    play("2", None);
    let news = page.news(AT_ONCE);
    let shown = news.iter().filter(|(kind, _)| *kind == "game");
    let shown: Vec<serde_json::Value> = shown
        .map(|(_, text)| serde_json::from_str(text).expect("JSON"))
        .collect();
    assert_eq!(
        (&shown[0]["title"], &shown[0]["end"][0]),
        (&"1".into(), &"B+R".into())
    );
    assert_eq!((&shown[1]["title"], shown.len()), (&"2".into(), 2));
    // One that has seen it, and one that comes later, are shown the new game only.
    play("2", Some("W+R"));
    page.news(AT_ONCE);
    play("3", None);
    assert_eq!(data(&page.news(AT_ONCE), "game")["title"], "3");
    assert_eq!(
        data(&Arc::clone(&games).open("").news(AT_ONCE), "game")["title"],
        "3"
    );
}

#[test]
fn games_know_whether_a_page_is_open() {
    let (games, _) = games(1);
    assert!(!games.is_watched());
    let (one, other) = (Arc::clone(&games).open(""), Arc::clone(&games).open(""));
    drop(one);
    assert!(games.is_watched());
    drop(other);
    assert!(!games.is_watched());
}
