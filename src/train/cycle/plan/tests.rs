//! Tests of plans.

use super::*;
use crate::play::mcts::RootRule;

const SHORT: &str = "[[stage]]\nnetwork = \"az-1b8c\"\nvisits = 8\ngames = 4\ngenerations = 2\n";

#[test]
fn a_short_plan_has_defaults_and_survives_writing() {
    let plan = CyclePlan::parse(SHORT).unwrap();
    assert_eq!(
        (plan.size, plan.self_play.root),
        (Some(9), RootRule::Gumbel)
    );
    let gomoku = CyclePlan::parse(&format!("game = \"gomoku\"\n{SHORT}")).unwrap();
    assert_eq!(gomoku.size, Some(15), "what people play on");
    assert_eq!(plan.game, "nogo", "as plans meant that were written before");
    assert_eq!(CyclePlan::parse(&plan.to_toml().unwrap()).unwrap(), plan);
}

#[test]
fn what_is_left_out_is_the_default() {
    let plan = CyclePlan::parse("").unwrap();
    assert_eq!(plan.stage, [Stage::default()]);
    let plan = CyclePlan::parse("[[stage]]\nvisits = 9\n[warm-up]\n[rating]\n").unwrap();
    let stage = Stage {
        visits: 9,
        ..Stage::default()
    };
    assert_eq!(
        (plan.stage, plan.warm_up),
        (vec![stage], Some(WarmUp::default()))
    );
}

/// Runs that are kept can be continued.
#[test]
fn plans_of_runs_are_read() {
    let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/runs");
    let mut read = 0;
    for run in std::fs::read_dir(runs).unwrap() {
        let path = run.unwrap().path().join("plan.toml");
        // A network that was fitted by itself has none.
        if !path.exists() {
            continue;
        }
        let plan = CyclePlan::parse(&std::fs::read_to_string(&path).unwrap());
        let plan = plan.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(CyclePlan::parse(&plan.to_toml().unwrap()).unwrap(), plan);
        read += 1;
    }
    assert!(read > 0);
}

#[track_caller]
fn refused(text: &str, because: &str) {
    let message = CyclePlan::parse(text).unwrap_err().to_string();
    assert!(message.contains(because), "{message}");
}

#[test]
fn a_wrong_plan_says_what_is_wrong() {
    refused("stage = []", "[[stage]]");
    refused(&format!("game = \"chess\"\n{SHORT}"), "chess");
    refused(&format!("size = 40\n{SHORT}"), "40x40");
    refused(&format!("rules = \"renju\"\n{SHORT}"), "renju");
    refused(&SHORT.replace("visits", "visit"), "visit");
    refused(&SHORT.replace("az-1b8c", "az-1"), "az-1");
    let second = SHORT.replace("games = 4", "games = 0");
    refused(&format!("{SHORT}{second}"), "[[stage]] 2: games");
    refused(
        &format!("{SHORT}[self-play]\nsearch = {{ nothing = 1 }}\n"),
        "\"nothing\": docs/settings.md",
    );
    refused(
        &format!("{SHORT}[warm-up]\nplayouts = 0\n"),
        "[warm-up]: playouts",
    );
    refused(&format!("{SHORT}[window]\nheld-out = 1.0\n"), "held-out");
    refused(
        &format!("{SHORT}[rating]\nanchors = [400, 100]\n"),
        "rising",
    );
    refused(&format!("{SHORT}rate-factor = 0.0\n"), "rate-factor");
    for elo1 in ["-5.0", "inf"] {
        refused(&format!("{SHORT}[gate]\nelo1 = {elo1}\n"), "elo1");
    }
    refused(&format!("{SHORT}[gate]\npairs = 0\n"), "pairs");
    refused(&format!("{SHORT}[machines]\nahead = 9\n"), "ahead");
    refused(&format!("{SHORT}[fit]\nbatch = 1000001\n"), "batch");
    refused(
        &format!("{SHORT}[machines]\ngames-per-ticket = 0\n"),
        "games-per-ticket",
    );
    for wrong in ["nan", "inf", "-1.0"] {
        refused(
            &format!("{SHORT}[self-play]\nmove-noise = {wrong}\n"),
            "move-noise",
        );
        refused(&format!("{SHORT}[fit]\nreuse = {wrong}\n"), "reuse");
        refused(&format!("{SHORT}[fit]\ncatch-up = {wrong}\n"), "catch-up");
    }
    refused(&format!("size = 1\n{SHORT}"), "nogo on 1x1 is over before");
    // Nine tenths of four games are four.
    let boards = "[[board]]\nsize = \"5\"\nshare = 9.0\n[[board]]\nsize = \"4\"\n";
    let several = format!("{}{boards}", SHORT.replace("az-1b8c", "tengen+area-1b8c"));
    refused(&several, "of 4 games none is on 4x4");
    refused(&format!("size = 9\n{several}"), "without [[board]]");
    refused(
        &format!(
            "{}[warm-up]\ngames = 3\nplayouts = 8\n",
            several.replace("games = 4", "games = 40")
        ),
        "of 3 games none is on 4x4",
    );
    refused(&format!("{SHORT}[window]\nmost = 0\n"), "most");
    refused(
        &format!("{SHORT}[fit]\nsurprise-share = 1.5\n"),
        "surprise-share",
    );
    refused(&format!("{SHORT}[fit]\nreuse = nan\n"), "reuse");
    refused(&format!("{SHORT}[fit]\nkl-target = 0.0\n"), "kl-target");
    let play = |line: &str| format!("{SHORT}[self-play]\n{line}\n");
    refused(&play("search = { cpukt = 5.0 }"), "cpuct");
    refused(&play("search = { root_noise = 2.0 }"), "root-noise");
    refused(&play("move-noise = 1.5"), "move-noise");
}

#[test]
fn boards_of_several_sizes_have_shares() {
    let text = format!(
        "game = \"go\"\n[[board]]\nsize = \"7\"\nshare = 3\nkomi = {{ mean = 9.0, near = 1.0, \
         far-share = 0.0, far = 1.0 }}\n[[board]]\nsize = \"5x6\"\n{}",
        SHORT.replace("az-1b8c", "tengen+area-1b8c")
    );
    let plan = CyclePlan::parse(&text).unwrap();
    assert_eq!(CyclePlan::parse(&plan.to_toml().unwrap()).unwrap(), plan);
    assert_eq!(plan.largest(), BoardSize::square(7));
    let sizes: Vec<String> = plan.boards().iter().map(|b| b.size.to_string()).collect();
    assert_eq!(sizes, ["7x7", "5x6"]);
    assert_eq!(plan.boards()[0].komi.unwrap().mean, 9.0);
    let games = BoardShare::parts(&plan.boards(), 10);
    assert_eq!(games, [(0, 8), (8, 2)]);
    refused(&text.replace("5x6", "5y6"), "5y6");
    refused(&text.replace("5x6", "20"), "20x20");
    refused(&text.replace("5x6", "7x7"), "[[board]]");
    refused(&text.replace("share = 3", "share = 0"), "[[board]]");
    refused(
        &text.replace("tengen+area", "nogozero+"),
        "is for one board",
    );
    refused(
        &text.replace("\"5x6\"", "\"5x6\"\nrules = \"renju\""),
        "renju",
    );
    let with_rules = |rules| text.replace("\"5x6\"", &format!("\"7\"\nrules = \"{rules}\""));
    let plan = CyclePlan::parse(&with_rules("japanese")).unwrap();
    assert_eq!(plan.boards()[1].name(), "7x7-japanese");
    let encoding = |id: &str| format!("{text}[fit]\nencoding = \"{id}\"\n");
    assert!(CyclePlan::parse(&encoding("go-mobile-2")).is_ok());
    refused(&encoding("nogo-1"), "go-mobile-2, go-2, go-1");
}

#[test]
fn searches_are_spelled_with_underscores_or_hyphens() {
    let plan = |name: &str| {
        let text = format!("{SHORT}[self-play]\nsearch = {{ {name} = 0.5 }}\n");
        CyclePlan::parse(&text).unwrap()
    };
    let spelled = plan("root-noise");
    assert_eq!(spelled, plan("root_noise"));
    assert_eq!(spelled.self_play.search_params().unwrap().root_noise, 0.5);
    assert!(spelled.to_toml().unwrap().contains("root-noise"));
}

#[test]
fn a_run_may_be_prolonged_and_not_changed() {
    let plan = CyclePlan::parse(SHORT).unwrap();
    let change = |text: &str| CyclePlan::parse(text).unwrap();
    let conflict = |text: &str| change(text).conflict(&plan);
    let prolonged = SHORT.replace("generations = 2", "generations = 3");
    let more = format!("{SHORT}{}", SHORT.replace("visits = 8", "visits = 16"));
    for may in [SHORT, &prolonged, &more] {
        assert_eq!(conflict(may), None);
    }
    for (text, words) in [
        (
            SHORT.replace("generations = 2", "generations = 1"),
            "generations of stage 1: 1 and not 2",
        ),
        (
            SHORT.replace("visits = 8", "visits = 9"),
            "visits of stage 1: 9 and not 8",
        ),
        (
            format!("seed = 2\n{prolonged}[rating]\nanchors = [7]\n"),
            "rating: a table and not none, seed: 2 and not 1",
        ),
        (
            format!("{SHORT}[fit]\nbatch = 7\n[machines]\nahead = 1\n"),
            "batch of fit: 7 and not 256, ahead of machines: 1 and not 0",
        ),
    ] {
        assert_eq!(conflict(&text).as_deref(), Some(words));
    }
    let shorter = plan.conflict(&change(&more));
    assert_eq!(shorter.as_deref(), Some("stage 2: none and not a table"));
}

#[test]
fn the_window_grows_between_its_bounds() {
    let window = Window::default();
    let rows: Vec<usize> = [0, 100_000, 1_000_000, 10_000_000]
        .map(|all| window.rows(all))
        .into();
    assert_eq!(rows, [50_000, 50_000, 300_000, 600_000]);
}
