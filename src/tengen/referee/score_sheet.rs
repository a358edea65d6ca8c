//! A finished game as a record with times and visits in its comments, for SGF.

use super::count::{Count, PlayingOn};
use super::game::{GameEnd, PlayedMove, Reason};
use super::match_run::{FinishedGame, MatchPlan};
use crate::game::Color;
use crate::record::{GameRecord, Play, RecordedPlay, Vertex};

/// The record of a game of this match.
#[must_use]
pub fn score_sheet(finished: &FinishedGame, plan: &MatchPlan<'_>) -> GameRecord {
    let FinishedGame { fixture, end, .. } = finished;
    let size = plan.rules.size();
    let name = |color: Color| plan.engines[fixture.engines[color.index()]].name.clone();
    let mut record = plan.rules.record();
    record.black = name(Color::Black);
    record.white = name(Color::White);
    record.result = sgf_result(end);
    record.comment = format!(
        "Game {}, pair {}, time {}; ended by {}{}",
        fixture.number,
        fixture.pair,
        plan.terms.time,
        end.reason,
        end.detail
            .as_ref()
            .map(|detail| format!(": {detail}"))
            .unwrap_or_default(),
    );
    if let Some(count) = &end.count {
        record.comment.push_str(&counting(count));
    }
    let colors = Color::BOTH.into_iter().cycle();
    for (&mv, color) in plan.openings[fixture.opening].iter().zip(colors) {
        record.push(Play {
            color,
            vertex: Vertex::of(mv, size),
        });
    }
    record
        .plays
        .extend(end.moves.iter().map(|played| RecordedPlay {
            play: Play {
                color: played.color,
                vertex: Vertex::of(played.mv, size),
            },
            comment: comment(played),
        }));
    record
}

/// The removed stones and the moves on a copy, one line each.
fn counting(count: &Count) -> String {
    let mut text = String::new();
    if !count.dead.is_empty() {
        text += &format!("\ndead: {}", count.dead.join(" "));
    }
    if let Some(PlayingOn {
        about,
        moves,
        ended_by,
    }) = &count.playing_on
    {
        text += &format!("\nplayed on, on a copy, about {}", about.join(" "));
        text += &format!(": {}", moves.join(", "));
        text += &ended_by
            .as_ref()
            .map_or(String::new(), |what| format!("; {what}"));
    }
    text
}

/// `0.512 s, left 12.3 s, visits 800 value 0.1`.
fn comment(played: &PlayedMove) -> String {
    let mut words = vec![format!("{:.3} s", played.took.as_secs_f64())];
    words.extend(
        played
            .left
            .map(|left| format!("left {:.1} s", left.as_secs_f64())),
    );
    words.extend(played.report.clone());
    words.join(", ")
}

/// The result in the notation of SGF's `RE`: `R` for a resignation or a position without a move,
/// `T` for time, `F` for every other failure.
#[must_use]
pub fn sgf_result(end: &GameEnd) -> String {
    if let Some(count) = &end.count {
        return count.result.clone();
    }
    let winner = match end.outcome.winner {
        None => return "0".to_owned(),
        Some(Color::Black) => "B",
        Some(Color::White) => "W",
    };
    let way = match end.reason {
        Reason::Rules | Reason::Resignation => "R",
        Reason::Time => "T",
        _ => "F",
    };
    format!("{winner}+{way}")
}
