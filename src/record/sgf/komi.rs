//! SGF's `KM`: points by the standard, and what programs write instead.

use super::lexer::Property;
use crate::game::HalfPoints;

/// Fox writes hundredths from here on; half a point is the least it has.
const LEAST_HUNDREDTHS: f64 = 50.0;
/// What lies beyond this is in hundredths, whichever program has written it: no game has such a komi.
const MOST_POINTS: f64 = 200.0;
/// Komi is never so many stones, of two points each.
const TOO_MANY_STONES: f64 = 4.0;

/// What a file says beside `KM` that tells how it is meant.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habits {
    /// Written by this program: points, whatever the number.
    ours: bool,
    /// Written by the Fox server.
    fox: bool,
    /// Written by no program that gives its name, nor in the words of KataGo, which gives none.
    unnamed: bool,
    /// Stones are counted, not points.
    chinese: bool,
}

impl Habits {
    /// Those of a file with this root. Fox has two properties `AP`, of which the first is not true.
    pub(super) fn of(root: &[Property<'_>]) -> Habits {
        let text = |name| {
            let named = root.iter().filter(move |property| property.name == name);
            let values: Vec<&str> = named
                .flat_map(|property| &property.values)
                .copied()
                .collect();
            values.join(" ").to_lowercase()
        };
        let (program, rules) = (text("AP"), text("RU"));
        Habits {
            ours: program.starts_with("tengen"),
            fox: program.contains("foxwq"),
            unnamed: program.trim().is_empty() && !rules.contains("score"),
            chinese: ["chinese", "cn", "中国", "中國"]
                .iter()
                .any(|name| rules.contains(name)),
        }
    }
}

/// The komi that a value means, and how it was understood where it is not in points.
///
/// # Errors
/// Says why it is none.
pub(super) fn read(value: &str, habits: Habits) -> Result<(HalfPoints, Option<String>), String> {
    let (number, unit) = number(value).ok_or("it does not begin with a number")?;
    let points = |points| HalfPoints::komi(points).map_err(|error| error.to_string());
    if habits.ours {
        return Ok((points(number)?, None));
    }
    let size = number.abs();
    let from = if habits.fox || habits.unnamed {
        LEAST_HUNDREDTHS
    } else {
        MOST_POINTS
    };
    let hundredths = size >= from && size % 25.0 == 0.0;
    let number = if hundredths { number / 100.0 } else { number };
    // A quarter can only be one of a stone; so are all hundredths of Chinese games, but for the half
    // point of a handicap.
    let quarter = number.abs() < TOO_MANY_STONES && (2.0 * number).fract() != 0.0;
    let counted = hundredths && habits.chinese && (1.0..=TOO_MANY_STONES).contains(&number.abs());
    let exact = (4.0 * number).fract() == 0.0;
    let stones = unit.is_stones() || exact && quarter || counted;
    let komi = points(if stones { 2.0 * number } else { number })?;
    let how = match (hundredths, stones) {
        (false, false) => return Ok((komi, None)),
        (true, false) => "hundredths of a point",
        (false, true) => "stones, each worth two points",
        (true, true) => "hundredths of a stone, each stone worth two points",
    };
    let how = format!("KM[{}] is read as a komi of {komi}: {how}", value.trim());
    Ok((komi, Some(how)))
}

/// What stands behind a number.
struct Unit<'a>(&'a str);

impl Unit<'_> {
    fn is_stones(&self) -> bool {
        let words = ["stone", "zi", "子"];
        words.iter().any(|word| self.0.contains(word))
    }
}

/// The number that a text begins with, and what follows: `6.5`, `6,5`, `7.5 points`, `3 3/4 子`,
/// `6目半`.
fn number(value: &str) -> Option<(f64, Unit<'_>)> {
    let value = value.trim();
    let sign = usize::from(value.starts_with(['-', '+']));
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let end = value[sign..].find(|c| !digits(c));
    let (text, rest) = value.split_at(end.map_or(value.len(), |end| sign + end));
    // Some programs write a number as their country does.
    let mut number: f64 = text.replace(',', ".").parse().ok()?;
    let mut rest = rest.trim_start_matches([' ', '又']);
    let more = match rest.split_once(|c: char| c != '/' && !c.is_ascii_digit()) {
        Some((fraction, _)) => fraction,
        None => rest,
    };
    if let Some((over, under)) = more.split_once('/') {
        let (over, under): (f64, f64) = (over.parse().ok()?, under.parse().ok()?);
        number += (over / under).copysign(number);
        rest = rest.get(more.len()..).unwrap_or_default();
    }
    for (half, part) in [("半", 0.5), ("½", 0.5), ("¼", 0.25), ("¾", 0.75)] {
        if rest.contains(half) {
            number += part * if text.starts_with('-') { -1.0 } else { 1.0 };
        }
    }
    number.is_finite().then_some((number, Unit(rest)))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::game::HalfPoints;

    #[track_caller]
    fn check(properties: &str, komi: f64) {
        let record = read(&format!("(;{properties})")).expect(properties);
        let halves = HalfPoints::komi(komi).expect("half points");
        assert_eq!(record.komi, Some(halves), "{properties}");
    }

    #[test]
    fn points_as_people_write_them() {
        for (value, komi) in [
            ("6.5", 6.5),
            ("0", 0.0),
            ("-5.5", -5.5),
            ("+7", 7.0),
            ("6,5", 6.5),
            (" 7.5 ", 7.5),
            ("7.5 points", 7.5),
            ("6.50目", 6.5),
            ("6目半", 6.5),
            ("6½", 6.5),
            ("6 1/2", 6.5),
            ("-6目半", -6.5),
            ("3 3/4子", 7.5),
            ("3又3/4子", 7.5),
            ("3.75 zi", 7.5),
            ("2 stones", 4.0),
            // Quarters are of stones.
            ("3.75", 7.5),
            ("3.25", 6.5),
            ("2.75", 5.5),
            ("-3.75", -7.5),
            ("3.5", 3.5),
            ("20", 20.0),
            ("40", 40.0),
        ] {
            check(&format!("KM[{value}]"), komi);
        }
    }

    /// What Fox and gokifu write, and those who keep their records.
    #[test]
    fn hundredths_of_points_and_of_stones() {
        for (properties, komi) in [
            ("AP[foxwq]RU[Japanese]KM[50]HA[2]", 0.5),
            ("AP[GNU Go:3.8]KM[50]HA[2]RU[Japanese]AP[foxwq]", 0.5),
            ("AP[foxwq]RU[Chinese]KM[50]HA[2]", 0.5),
            ("AP[foxwq]RU[Chinese]KM[375]", 7.5),
            ("AP[foxwq]RU[Chinese]KM[-375]", -7.5),
            ("AP[foxwq]RU[Japanese]KM[650]", 6.5),
            ("AP[foxwq]RU[Chinese]KM[0]", 0.0),
            ("AP[foxwq]RU[Japanese]KM[350]", 3.5),
            ("AP[foxwq]RU[Chinese]KM[350]", 7.0),
            ("AP[foxwq]RU[Japanese]KM[100]", 1.0),
            ("AP[LizzieYzy]RU[chinese]KM[375]", 7.5),
            ("AP[CGoban:3]KM[650]", 6.5),
            ("KM[50]", 0.5),
            ("KM[350]", 3.5),
            ("KM[700]", 7.0),
            ("KM[275]", 5.5),
            ("KM[325]", 6.5),
            ("KM[375]", 7.5),
            ("KM[450]", 4.5),
            ("KM[550]", 5.5),
            ("KM[750]", 7.5),
            ("KM[800]", 8.0),
        ] {
            check(properties, komi);
            let record = read(&format!("(;{properties})")).expect(properties);
            assert_eq!(record.notes.is_empty(), komi == 0.0, "{:?}", record.notes);
        }
        // Other programs' own experiments are what they say.
        for (properties, komi) in [
            ("AP[Tengen:0.1.0]KM[375]", 375.0),
            ("AP[GoGui:1.6.0]KM[50]", 50.0),
            ("RU[koPOSITIONALscoreAREAtaxNONEsui1]KM[150]", 150.0),
        ] {
            check(properties, komi);
        }
    }

    #[test]
    fn what_is_no_komi_is_left_out_and_told() {
        for (value, why) in [
            ("4.75", "a multiple of one half from -400 to 400, not 4.75"),
            ("5.1", "not 5.1"),
            ("3.1", "not 3.1"),
            ("1234", "not 1234"),
            ("inf", "begin with a number"),
            ("nan", "begin with a number"),
            ("none", "begin with a number"),
            ("1/0", "begin"),
            ("6 1/0", "begin"),
            ("-", "begin"),
        ] {
            let record = read(&format!("(;SZ[9]KM[{value}];B[aa])")).expect(value);
            assert_eq!((record.komi, record.plays.len()), (None, 1), "{value}");
            let [note] = &record.notes[..] else {
                panic!("{:?}", record.notes);
            };
            assert!(note.contains("KM[") && note.contains(why), "{note}");
        }
        let empty = read("(;KM[ ])").expect("readable");
        assert_eq!((empty.komi, empty.notes.len()), (None, 0));
    }
}
