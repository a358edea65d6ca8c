//! A network in KataGo's format, as its users give it to the programs.

use std::fmt::Write as _;

use crate::process::{refuses, run_on};
use crate::scratch::Scratch;

/// Layers as text, one after the other, and the name of their activation where files have one.
struct File(String, &'static str);

impl File {
    fn numbers(&mut self, count: usize, number: f32) {
        for index in 0..count {
            // Not all alike, so that moves differ.
            let number = number * (1.0 + index as f32 % 7.0 / 10.0);
            write!(self.0, "{number} ").expect("it is text");
        }
        self.0.push('\n');
    }

    fn conv(&mut self, side: usize, inputs: usize, outputs: usize) {
        writeln!(self.0, "conv {side} {side} {inputs} {outputs} 1 1").expect("it is text");
        self.numbers(side * side * inputs * outputs, 0.05);
    }

    fn norm_act(&mut self, channels: usize) {
        writeln!(self.0, "norm {channels} 0.001 0 0").expect("it is text");
        self.numbers(channels, 0.0);
        self.numbers(channels, 1.0);
        self.activation();
    }

    fn activation(&mut self) {
        self.0.push_str("activation\n");
        self.0.push_str(self.1);
    }

    fn matmul(&mut self, inputs: usize, outputs: usize) {
        writeln!(self.0, "matmul {inputs} {outputs}").expect("it is text");
        self.numbers(inputs * outputs, 0.05);
    }

    fn biases(&mut self, count: usize) {
        writeln!(self.0, "bias {count}").expect("it is text");
        self.numbers(count, 0.01);
    }
}

/// A network of model version 8 with one block of two channels.
fn network() -> String {
    let begin = "made-for-a-test\n8\n22\n19\ntrunk\n1 2 2 2 0 2\n".to_owned();
    finished(File(begin, ""), false)
}

/// The same of version 15, which imitates people.
fn human_network() -> String {
    let begin = "made-of-people\n15\n22\n19\n20 20 20 20 40 0.25 150\n1 0 0 0 0 0 0 0\n\
                 trunk\n1 2 2 2 0 2\n0 0 0 0 0 0\n"
        .to_owned();
    finished(File(begin, "ACTIVATION_RELU\n"), true)
}

/// A file after its beginning.
fn finished(mut file: File, imitates: bool) -> String {
    file.conv(3, 22, 2);
    file.matmul(19, 2);
    if imitates {
        file.0.push_str("metadata\n192\n");
        for (inputs, outputs) in [(192, 3), (3, 3)] {
            file.matmul(inputs, outputs);
            file.biases(outputs);
            file.activation();
        }
        file.matmul(3, 2);
    }
    file.0.push_str("ordinary_block\nblock\n");
    for _ in 0..2 {
        file.norm_act(2);
        file.conv(3, 2, 2);
    }
    file.norm_act(2);
    file.0.push_str("policyhead\n");
    file.conv(1, 2, 2);
    file.conv(1, 2, 2);
    file.norm_act(2);
    file.matmul(6, 2);
    file.norm_act(2);
    if imitates {
        file.conv(1, 2, 2);
        file.matmul(6, 2);
        file.biases(2);
        file.activation();
        file.matmul(2, 2);
    } else {
        file.conv(1, 2, 1);
        file.matmul(6, 1);
    }
    file.0.push_str("valuehead\n");
    file.conv(1, 2, 2);
    file.norm_act(2);
    file.matmul(6, 2);
    file.biases(2);
    file.activation();
    for outputs in [3, if imitates { 6 } else { 4 }] {
        file.matmul(2, outputs);
        file.biases(outputs);
    }
    file.conv(1, 2, 1);
    file.0
}

/// What a program says on its standard output and on the other one, when it is told this.
fn run(args: &[&str], input: &str) -> [String; 2] {
    let output = run_on(args, input);
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn the_network_plays_on_every_board_by_all_rules() {
    let folder = Scratch::new("katago");
    let file = folder.write("net.txt", network().as_bytes());
    let mut input = String::new();
    for (size, rules) in [
        ("19", "chinese"),
        ("9", "japanese"),
        ("2", "tromp-taylor"),
        ("13 7", "aga"),
    ] {
        writeln!(
            input,
            "boardsize {size}\nclear_board\nkata-set-rules {rules}\nkomi -3.5\ngenmove b\n\
             kata-raw-nn 0\ntengen-network"
        )
        .expect("it is text");
    }
    let args = ["gtp", "--game", "go", "--model", &file, "--visits", "16"];
    let [replies, said] = run(&args, &input);
    assert!(!replies.contains('?'), "{replies}");
    assert_eq!(replies.matches("made-for-a-test").count(), 4, "{replies}");
    assert_eq!(replies.matches("whiteOwnership").count(), 4, "{replies}");
    assert!(
        !said.contains("playouts") && !said.contains("ERROR"),
        "{said}"
    );
}

/// The first visits of searches, and what the network says by itself.
#[test]
fn the_network_is_shown_which_side_is_stronger() {
    let folder = Scratch::new("katago-stronger");
    let file = folder.write("net.txt", network().as_bytes());
    let asks = "kata-raw-nn 0\nclear_cache\nkata-genmove_analyze b 1000\nundo\n";
    let advantage = "kata-set-param playoutDoublingAdvantage";
    let told = |settings: &str, more: &[&str]| {
        let args = ["gtp", "-model", &file, "--visits", "1", "--threads", "1"];
        let [replies, said] = run(&[&args[..], more].concat(), &format!("{settings}{asks}"));
        assert!(!replies.contains('?'), "{replies}");
        assert!(!said.contains("equal sides"), "{said}");
        replies.replacen("= \n\n", "", settings.lines().count())
    };
    let raw = |replies: &str| replies.split("\n\n").next().unwrap_or_default().to_owned();
    let shown = |replies: &str| {
        replies
            .split("info move")
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    let equal = told("", &[]);
    let black = told(&format!("{advantage} 2\n"), &[]);
    assert_ne!(raw(&equal), raw(&black));
    assert_ne!(shown(&equal), shown(&black));
    let white = told(&format!("{advantage} -2\n{advantage}Pla white\n"), &[]);
    assert_eq!(black, white);
    let started = "playoutDoublingAdvantage=2,playoutDoublingAdvantagePla=BLACK";
    assert_eq!(told("", &["-override-config", started]), black);
    assert_eq!(told(&format!("{advantage} 2\n{advantage} 0\n"), &[]), equal);
    // The built-in network is shown nothing.
    let args = ["gtp", "--game", "go", "--size", "9", "--visits", "4"];
    let [_, said] = run(&args, &format!("{advantage} 2\ngenmove b\ngenmove w\n"));
    assert_eq!(said.matches("equal sides").count(), 1, "{said}");
}

#[test]
fn the_raw_output_of_all_symmetries_is_that_of_each() {
    let folder = Scratch::new("katago-all");
    let file = folder.write("net.txt", network().as_bytes());
    let each: String = (0..8).fold(String::new(), |all, one| {
        format!("{all}kata-raw-nn {one}\n")
    });
    let args = ["gtp", "--game", "go", "--model", &file];
    let [replies, _] = run(&args, &format!("play b C3\n{each}kata-raw-nn w all\n"));
    let mut replies: Vec<_> = replies.trim().split("\n\n").skip(1).collect();
    let all = replies.pop().expect("the last reply");
    let each: Vec<_> = replies
        .iter()
        .map(|reply| reply.trim_start_matches("= "))
        .collect();
    assert_eq!(all.trim_start_matches("= "), each.join("\n"));
}

#[test]
fn doctor_and_analysis_accept_the_network() {
    let folder = Scratch::new("katago-others");
    let file = folder.write("net.bin", network().as_bytes());
    let [found, _] = run(
        &["doctor", "--game", "go", "--size", "13", "--model", &file],
        "",
    );
    for part in [
        "ok      network    made-for-a-test",
        "go 19x19, 2x2 and boards between, encoding katago-7",
        "ok      native",
        "ok      tract",
    ] {
        assert!(found.contains(part), "no {part:?} in {found}");
    }
    // As KaTrain starts it.
    let query = r#"{"id":"1","moves":[["B","C3"]],"rules":"japanese","komi":6.5,"boardXSize":9,"boardYSize":9,"maxVisits":8,"includePolicy":true}"#;
    let args = ["analysis", "-model", &file, "-config", "katago.cfg"];
    let [answers, said] = run(&args, &format!("{query}\n"));
    assert!(
        answers.contains("\"visits\":8") && answers.contains("\"policy\""),
        "{answers}"
    );
    assert!(
        said.contains("made-for-a-test") && !said.contains("Not used here: KataGo's -model"),
        "{said}"
    );
}

/// KaTrain asks for the moves of people of a rank so.
#[test]
fn a_second_network_imitates_people() {
    let folder = Scratch::new("katago-human");
    let file = folder.write("human.txt", human_network().as_bytes());
    let query = |id: &str, settings: &str| {
        format!(
            r#"{{"id":"{id}","moves":[["B","C3"]],"boardXSize":9,"boardYSize":9,"maxVisits":8,"includePolicy":true,"overrideSettings":{{{settings}}}}}"#
        ) + "\n"
    };
    let input = [
        r#"{"id":"models","action":"query_models"}"#.to_owned() + "\n",
        query("plain", ""),
        query(
            "weak",
            r#""humanSLProfile":"rank_18k","ignorePreRootHistory":false"#,
        ),
        query("strong", r#""humanSLProfile":"proyear_1995""#),
        query("wrong", r#""humanSLProfile":"rank_30k""#),
    ]
    .concat();
    let ask = |args: &[&str]| {
        let [answers, said] = run(args, &input);
        let read = |line| serde_json::from_str(line).expect("JSON");
        let all: Vec<serde_json::Value> = answers.lines().map(read).collect();
        let find = |id: &str| {
            let found = all.iter().rfind(|answer| answer["id"] == id);
            found.expect("each is answered").clone()
        };
        (
            ["models", "plain", "weak", "strong", "wrong"].map(find),
            said,
        )
    };
    let args = ["analysis", "-human-model", &file, "--threads", "1"];
    let ([models, plain, weak, strong, wrong], _) = ask(&args);
    assert_eq!(models["models"][1]["name"], "made-of-people", "{models}");
    assert_eq!(models["models"][1]["usesHumanSLProfile"], true, "{models}");
    assert_eq!(plain.get("humanPolicy"), None, "{plain}");
    for answer in [&weak, &strong] {
        let policy = answer["humanPolicy"].as_array().expect("a policy");
        let sum: f64 = policy
            .iter()
            .filter_map(|prior| prior.as_f64())
            .filter(|&prior| prior > 0.0)
            .sum();
        assert!(policy.len() == 82 && (sum - 1.0).abs() < 1e-3, "{answer}");
        assert!(answer["moveInfos"][0]["humanPrior"].is_number(), "{answer}");
        assert!(answer["rootInfo"]["humanWinrate"].is_number(), "{answer}");
        assert!(answer.get("warning").is_none(), "{answer}");
    }
    assert_ne!(weak["humanPolicy"], strong["humanPolicy"]);
    assert_eq!(
        weak["policy"], plain["policy"],
        "its own network is not told"
    );
    assert!(
        wrong["error"].to_string().contains("rank_20k to rank_9d"),
        "{wrong}"
    );
    // Without one, a client hears why.
    let ([.., weak, _, _], said) =
        ask(&["analysis", "-human-model", "none.bin.gz", "--threads", "1"]);
    assert!(said.contains("-human-model none.bin.gz: error: "), "{said}");
    assert!(
        weak["error"].to_string().contains("none is loaded"),
        "{weak}"
    );
    // It plays, too, if it is said whom it imitates.
    let play = ["gtp", "--game", "go", "--model", &file, "--visits", "2"];
    refuses(&play, &["--human-profile"]);
    let input = "boardsize 9\nclear_board\ngenmove b\ntengen-network\n";
    let [replies, _] = run(
        &[&play[..], &["--human-profile", "rank_3d"]].concat(),
        input,
    );
    assert!(replies.contains("made-of-people"), "{replies}");
}

#[test]
fn a_network_that_does_not_imitate_people_has_no_profile() {
    let folder = Scratch::new("katago-no-profile");
    let plain = folder.write("plain.txt", network().as_bytes());
    let query = r#"{"id":"1","moves":[],"boardXSize":9,"boardYSize":9,"overrideSettings":{"humanSLProfile":"rank_5k"}}"#;
    let arguments = ["analysis", "-human-model", &plain, "--threads", "1"];
    let [answers, said] = run(&arguments, &format!("{query}\n"));
    assert!(said.contains("does not imitate people"), "{said}");
    assert!(answers.contains("none is loaded"), "{answers}");
    let profile = ["gtp", "--game", "go", "--human-profile", "rank_3d"];
    refuses(&profile, &["--human-profile needs a network"]);
    refuses(
        &[&profile[..], &["--model", &plain]].concat(),
        &["does not imitate people"],
    );
}

/// Forks of Lizzie start KataGo's GTP engine so.
#[test]
fn gtp_and_analysis_are_started_in_katagos_place() {
    let settings = "reportAnalysisWinratesAs=WHITE, maxVisits=8,homeDataDir=/x";
    let katago = [
        "-model",
        "none.bin.gz",
        "-config",
        "a.cfg",
        "-override-config",
        settings,
    ];
    let told = [
        "-model none.bin.gz: error: ",
        "; the built-in network plays",
        "-config a.cfg: KataGo's settings are for KataGo",
        "-override-config homeDataDir=/x",
    ];
    let start = |subcommand, input: &str| {
        let arguments = [&[subcommand][..], &katago, &["--threads", "1"]].concat();
        let [answers, said] = run(&arguments, input);
        for part in told {
            assert!(said.contains(part), "no {part:?} in {said}");
        }
        answers
    };
    // Black has no chance with this komi.
    let query = r#"{"id":"1","moves":[],"komi":300.5,"boardXSize":9,"boardYSize":9}"#;
    let answers = start("analysis", &format!("{query}\n"));
    assert!(answers.contains("\"visits\":8"), "{answers}");
    let white = |answers: &str, key: &str| -> f64 {
        let (_, value) = answers.split_once(key).expect("a winrate");
        let end = value.find([',', ' ', '}']).expect("more follows");
        value[..end].parse().expect("a number")
    };
    assert!(white(&answers, "\"winrate\":") > 0.9, "{answers}");
    assert!(
        answers.contains("shown a komi that is nearer to 0 by 260.5 points"),
        "{answers}"
    );
    let input = "name\nboardsize 9\nkomi 300.5\nkata-genmove_analyze b 1\nshowboard\nquit\n";
    let answers = start("gtp", input);
    assert!(answers.starts_with("= KataGo\n"), "{answers}");
    assert!(answers.contains("go 9x9"), "{answers}");
    assert!(white(&answers, " winrate ") > 0.9, "{answers}");
}

#[test]
fn faults_of_a_file_are_reported_at_the_start() {
    let folder = Scratch::new("katago-damaged");
    let whole = network();
    let cut = folder.write("cut.txt", &whole.as_bytes()[..whole.len() / 2]);
    refuses(
        &["gtp", "--game", "go", "--model", &cut],
        &["conv: the file ends where"],
    );
    let newer = folder.write("newer.txt", whole.replace("\n8\n", "\n18\n").as_bytes());
    refuses(
        &["gtp", "--game", "go", "--model", &newer],
        &["known are 8 to 17"],
    );
    // KataGo's clients name their own networks, and go on.
    for file in [&cut, &newer] {
        let [_, said] = run(&["analysis", "-model", file], "");
        let told = format!("-model {file}: error: cannot load network {file}: ");
        assert!(said.contains(&told), "{said}");
        assert!(said.contains("; the built-in network plays"), "{said}");
        assert!(said.contains("ready to begin handling"), "{said}");
    }
    // NoGo is the usual game, and has no board of the network's size.
    let whole = folder.write("net.txt", whole.as_bytes());
    refuses(
        &["gtp", "--model", &whole],
        &["plays go, not nogo (--game go)"],
    );
}
