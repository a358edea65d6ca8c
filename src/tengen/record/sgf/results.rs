//! SGF's `RE`: by the standard, and in the words of other programs and servers.

use super::komi::{is_quarter, names_stones, number};
use crate::game::{Color, HalfPoints};

/// No board has more points.
const MAX_POINTS: f64 = 400.0;

/// What a record says about the end of its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Neither side has won.
    Drawn,
    /// This side has won, in a way that is not said.
    Won(Color),
    /// It has won because the other one resigned.
    Resigned(Color),
    /// It has won on time, or because the other one did not play by the rules.
    Forfeited(Color),
    /// It has won by points.
    Counted(Color, HalfPoints),
}

/// What a result says: `B+3.5`, `w+resign`, `Jigo`, `B+R (last moves unknown)`, `黑中盘胜`, `白胜1又3/4子`. `None` if it
/// names no winner.
pub fn told(result: &str) -> Option<Told> {
    // What follows is a remark.
    let said = result.split(['(', '{', '（']).next()?;
    let said = said.trim().to_lowercase();
    if ["0", "draw", "jigo", "和棋", "平局"].contains(&&*said) {
        return Some(Told::Drawn);
    }
    let (winner, how) = match said.split_once('+') {
        Some((winner, how)) => (winner, how.to_owned()),
        None => in_chinese(&said)?,
    };
    let winner = match winner.trim() {
        "b" | "black" | "黑" => Color::Black,
        "w" | "white" | "白" => Color::White,
        _ => return None,
    };
    match how.trim().trim_end_matches('.') {
        "" => Some(Told::Won(winner)),
        "r" | "res" | "resign" | "resignation" | "中盘" | "中盤" => {
            Some(Told::Resigned(winner))
        }
        "t" | "time" | "f" | "forfeit" | "offline" | "illegal" | "超时" | "超時" => {
            Some(Told::Forfeited(winner))
        }
        how => Some(Told::Counted(winner, points(how)?)),
    }
}

/// The winner of `黑中盘胜` or `白方胜43.5目`, and the rest.
fn in_chinese(said: &str) -> Option<(&str, String)> {
    let (before, after) = said.split_once(['胜', '勝'])?;
    let winner = before.chars().next()?;
    let (winner, before) = before.split_at(winner.len_utf8());
    let before = before.trim_start_matches(['方', '棋']);
    Some((winner, format!("{before}{after}")))
}

/// The points of `3.5`, `43.5目` or `1又3/4子`, which are twice as many as stones.
fn points(how: &str) -> Option<HalfPoints> {
    let (number, unit) = number(how)?;
    let unit = unit.trim();
    let known = ["p", "moku", "目", "半", "点", "點", "stone", "zi", "子"];
    let is_known = unit.is_empty() || known.iter().any(|word| unit.starts_with(word));
    let in_stones = names_stones(unit) || is_quarter(number);
    let points = if in_stones { 2.0 * number } else { number };
    let is_possible = is_known && points > 0.0 && points <= MAX_POINTS;
    is_possible.then(|| HalfPoints((2.0 * points).round() as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    #[test]
    fn results_as_the_world_writes_them() {
        let counted = |side, halves| Told::Counted(side, HalfPoints(halves));
        for (result, expected) in [
            ("0", Told::Drawn),
            ("Draw", Told::Drawn),
            ("Jigo", Told::Drawn),
            ("B+", Told::Won(Black)),
            ("黑胜", Told::Won(Black)),
            ("W+R", Told::Resigned(White)),
            ("b+resign", Told::Resigned(Black)),
            ("B+Res.", Told::Resigned(Black)),
            ("B+R (last moves unknown)", Told::Resigned(Black)),
            ("黑中盘胜", Told::Resigned(Black)),
            ("白方中盘胜", Told::Resigned(White)),
            ("W+T", Told::Forfeited(White)),
            ("B+Forfeit", Told::Forfeited(Black)),
            ("白超时胜", Told::Forfeited(White)),
            ("B+3.5", counted(Black, 7)),
            ("W + 12.50", counted(White, 25)),
            ("Black+3,5", counted(Black, 7)),
            ("B+10.0 points", counted(Black, 20)),
            ("白胜43.5目", counted(White, 87)),
            ("白胜半目", counted(White, 1)),
            // Quarters are of stones, each worth two points.
            ("B+4.75", counted(Black, 19)),
            ("W+1/4", counted(White, 1)),
            ("黑胜3/4子", counted(Black, 3)),
            ("黑胜2子", counted(Black, 8)),
            ("黑胜1又3/4子", counted(Black, 7)),
        ] {
            assert_eq!(told(result), Some(expected), "{result}");
        }
        for result in [
            "",
            "?",
            "Void",
            "B",
            "B+0",
            "B+x",
            "B+1000",
            "B+3 of 4",
            "+R",
            "X+R",
            "WR",
            "胜",
            "黑白",
            "无胜负",
            "B+1/0",
            "白胜六目半",
        ] {
            assert_eq!(told(result), None, "{result}");
        }
    }
}
