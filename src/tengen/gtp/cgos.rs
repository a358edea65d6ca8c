//! JSON analysis for CGOS: the client passes it to its server, and the server to spectators, as a
//! line before the move (<https://github.com/zakki/cgos/wiki/GTP-tournament-game-expansion>).

use serde_json::{Value, json};

use super::numbers::{Numbers, set};

/// Characters for the owner of a point: 63 steps from the opponent's to one's own.
const OWNERS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";

/// A search from the view of the side that moves; `moves` by [`move_info`], owners top row first.
pub(super) fn line(root: Numbers, moves: Vec<Value>, owners: &[f32]) -> String {
    let mut line = shared(root);
    set(&mut line, "moves", moves);
    let owners: String = owners.iter().map(|&owner| letter(owner)).collect();
    set(&mut line, "ownership", owners);
    line.to_string()
}

/// A move with its principal variation.
pub(super) fn move_info(numbers: Numbers, prior: f32, line: &[String]) -> Value {
    let (mv, rest) = line.split_first().unzip();
    let mut info = shared(numbers);
    set(&mut info, "move", json!(mv));
    set(&mut info, "prior", number(prior));
    set(&mut info, "pv", rest.unwrap_or_default().join(" "));
    info
}

/// Fields shared by moves and root; without a score if none is known.
fn shared(numbers: Numbers) -> Value {
    let mut told = json!({ "winrate": number(numbers.winrate()), "visits": numbers.visits });
    if let Some((ahead, _)) = numbers.score {
        set(&mut told, "score", number(ahead));
    }
    told
}

fn number(value: f32) -> Value {
    json!((f64::from(value) * 1e4).round() / 1e4)
}

fn letter(owner: f32) -> char {
    let steps = (OWNERS.len() - 1) as f32;
    let step = ((owner + 1.0) / 2.0).clamp(0.0, 1.0) * steps;
    let letter = OWNERS.get(step.round() as usize);
    letter.copied().map_or('f', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_as_the_wiki_has_it() {
        let numbers = |score| Numbers {
            visits: 7,
            utility: 0.5,
            utility_lcb: 0.0,
            score,
        };
        let pv = ["D4", "E5", "pass"].map(str::to_owned);
        let told = move_info(numbers(Some((2.5, 1.0))), 0.25, &pv);
        let line = line(numbers(None), vec![told], &[-1.0, 0.0, 1.0, 7.0]);
        let read: Value = serde_json::from_str(&line).unwrap();
        let expected = json!({
            "winrate": 0.75, "visits": 7, "ownership": "Af++",
            "moves": [{"move": "D4", "winrate": 0.75, "visits": 7, "score": 2.5, "prior": 0.25, "pv": "E5 pass"}],
        });
        assert_eq!(read, expected);
        assert!(!line.contains('\n'));
    }
}
