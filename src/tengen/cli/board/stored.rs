//! Analyses in files: a property of SGF with the best moves of a search as JSON, which only this program reads, and
//! Black's win rate as Sabaki has it (`SBKV`).

use crate::game::{BoardSize, Color};
use crate::gtp::parse_vertex;
use crate::record::sgf;
use crate::watch::Eval;
use serde::{Deserialize, Serialize};

use super::game::MAX_VISITS;
use super::report::{Analysis, Candidate, Task};

/// The property's name.
const NAME: &str = "TNGA";
/// Candidates and moves of a line that are written.
const CANDIDATES: usize = 8;
const LINE: usize = 10;

/// An analysis: winrates and leads are Black's.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    eval: Eval,
    candidates: Vec<Candidate>,
}

/// Appends a position's analysis, as it is kept for the page, to the properties of its node.
pub(super) fn append(others: &mut String, kept: &str) {
    if let Ok(mut stored) = serde_json::from_str::<Stored>(kept) {
        sgf::add_winrate(others, stored.eval.winrate);
        stored.candidates.truncate(CANDIDATES);
        let lines = stored.candidates.iter_mut();
        lines.for_each(|candidate| candidate.pv.truncate(LINE));
        let text = serde_json::to_string(&stored).unwrap_or_default();
        sgf::add_property(others, NAME, &text);
    }
}

/// Takes the analysis out of the properties of a node: its evaluation, and its text for the page.
pub(super) fn take(
    others: &mut String,
    node: usize,
    mover: Color,
    size: BoardSize,
) -> Option<(Eval, String)> {
    let text = sgf::take_property(others, NAME)?;
    let _ = sgf::take_property(others, sgf::WINRATE);
    let Stored {
        mut eval,
        mut candidates,
    } = serde_json::from_str(&text).ok()?;
    let is_point = |at: &String| parse_vertex(at, size).is_ok();
    let share = |rate: f32| (0.0..=1.0).contains(&rate);
    // An analysis with more visits than any search has here would never give way.
    let sound = share(eval.winrate)
        && eval.visits <= MAX_VISITS
        && candidates.iter().all(|candidate| {
            is_point(&candidate.at) && share(candidate.winrate) && candidate.pv.iter().all(is_point)
        });
    if !sound || candidates.is_empty() {
        return None;
    }
    let proven = candidates.iter_mut().map(|found| &mut found.proven);
    for proven in proven.chain([&mut eval.proven]) {
        proven.take_if(|winner| !["B", "W", "0"].contains(&&**winner));
    }
    let page = Analysis {
        node,
        task: Task::Analyse.name(),
        to_move: mover.letter(),
        eval: eval.clone(),
        speed: 0.0,
        candidates,
        policy: Vec::new(),
        owners: None,
        done: true,
    };
    Some((eval, serde_json::to_string(&page).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_analysis_survives_a_file_and_nonsense_is_left_out() {
        let size = BoardSize::square(9);
        let json = r#"{"node":3,"task":"analyse","to_move":"W","winrate":0.25,"lead":-1.5,"visits":400,"proven":null,"speed":10.0,"candidates":[{"at":"C3","visits":300,"winrate":0.25,"lead":-1.5,"prior":0.5,"proven":"W","pv":["C3","pass"]}],"policy":[1,2],"owners":null,"done":true}"#;
        let eval = Eval {
            winrate: 0.25,
            lead: Some(-1.5),
            visits: 400,
            proven: None,
        };
        let mut others = "TR[aa]".to_owned();
        append(&mut others, json);
        assert!(others.starts_with("TR[aa]SBKV[25.00]TNGA[{"), "{others}");
        let before = others.clone();
        append(&mut others, json);
        assert_eq!(others, before, "once");
        let (found, text) = take(&mut others, 7, Color::White, size).expect("an analysis");
        assert_eq!((found, &*others), (eval, "TR[aa]"));
        let page: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            (&page["node"], &page["candidates"][0]["pv"][1]),
            (&7.into(), &"pass".into())
        );
        let endless = json.replace("400", "9000000000000000000");
        let wrong = ["x", "{}", r#"{"winrate":2,"visits":1,"candidates":[]}"#];
        for wrong in wrong.into_iter().chain([&*endless]) {
            let mut others = sgf::property(NAME, wrong);
            assert!(take(&mut others, 0, Color::Black, size).is_none() && others.is_empty());
        }
        let mut sabaki = "SBKV[50]".to_owned();
        assert!(take(&mut sabaki, 0, Color::Black, size).is_none() && !sabaki.is_empty());
    }
}
