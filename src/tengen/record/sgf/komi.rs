//! SGF's `KM`: points by the standard, and the variants that programs write.

use super::lexer::Property;
use crate::game::HalfPoints;

/// Fox writes hundredths from here on; half a point is its minimum.
const MIN_HUNDREDTHS: f64 = 50.0;
/// Larger values are hundredths, with any program: no game has such a komi.
const MAX_POINTS: f64 = 200.0;
/// Komi is never this many stones, of two points each.
const TOO_MANY_STONES: f64 = 4.0;

/// Properties of a file that determine the meaning of `KM`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habits {
    /// Written by this program: always points.
    ours: bool,
    /// From the Fox server or gokifu, perhaps re-saved by another program.
    fox: bool,
    /// Written by an unknown program other than KataGo, which gives no name either.
    unnamed: bool,
    /// Area is counted in stones, not points.
    chinese: bool,
}

impl Habits {
    /// The properties of a file with this root node. Fox has two properties `AP`, of which the
    /// first is wrong, and its own `TC` and `TT`, which other programs keep.
    pub(super) fn of(root: &[Property<'_>]) -> Habits {
        let has = |name| root.iter().any(|property| property.name == name);
        let mut values = root.iter().flat_map(|property| &property.values);
        let named = values.any(|value| ["foxwq", "gokifu"].iter().any(|site| value.contains(site)));
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
            fox: named || has("TC") && has("TT"),
            unnamed: program.trim().is_empty() && !rules.contains("score"),
            chinese: ["chinese", "cn", "中国", "中國"]
                .iter()
                .any(|name| rules.contains(name)),
        }
    }
}

/// The komi of a property's value, with a message if it was not in points.
///
/// # Errors
/// The reason why it is not a komi.
pub(super) fn read(
    name: &str,
    value: &str,
    habits: Habits,
) -> Result<(HalfPoints, Option<String>), String> {
    let (number, unit) = number(value).ok_or("it is not a number of points or stones")?;
    let points = |points| HalfPoints::komi(points).map_err(|error| error.to_string());
    if habits.ours {
        return Ok((points(number)?, None));
    }
    let size = number.abs();
    let from = if habits.fox || habits.unnamed {
        MIN_HUNDREDTHS
    } else {
        MAX_POINTS
    };
    let hundredths = size >= from && size % 25.0 == 0.0;
    let number = if hundredths { number / 100.0 } else { number };
    let quarter = number.abs() < TOO_MANY_STONES && is_quarter(number);
    // Hundredths of Chinese games are of stones, too, except for the half point of a handicap.
    let counted = hundredths && habits.chinese && (1.0..=TOO_MANY_STONES).contains(&number.abs());
    let stones = names_stones(unit) || quarter || counted;
    let komi = points(if stones { 2.0 * number } else { number })?;
    let how = match (hundredths, stones) {
        (false, false) => return Ok((komi, None)),
        (true, false) => "hundredths of a point",
        (false, true) => "stones, each worth two points",
        (true, true) => "hundredths of a stone, each stone worth two points",
    };
    let value = value.trim();
    let how = format!("{name}[{value}] is read as a komi of {komi}: {how}");
    Ok((komi, Some(how)))
}

/// Whether it is a number of quarters, which can only be quarters of a stone.
pub(super) fn is_quarter(number: f64) -> bool {
    (2.0 * number).fract() != 0.0 && (4.0 * number).fract() == 0.0
}

/// Whether a unit is that of stones.
pub(super) fn names_stones(unit: &str) -> bool {
    ["stone", "zi", "子"].iter().any(|word| unit.contains(word))
}

/// Possible text before the number: Black gives komi.
const BEFORE: [&str; 8] = ["komi", "Komi", "黑", "贴", "貼", "目", "コミ", "："];

/// The number in a text, and its unit: `6.5`, `6,5`, `7.5 points`, `3 3/4 子`, `3/4子`, `6目半`, `半目`,
/// `黑贴3.75子`.
pub(super) fn number(value: &str) -> Option<(f64, &str)> {
    let mut value = value.trim();
    while let Some(rest) = BEFORE.iter().find_map(|word| value.strip_prefix(word)) {
        value = rest.trim_start_matches([' ', ':']);
    }
    // Some programs use the decimal separator of their country.
    if let Ok(number) = value.replace(',', ".").parse::<f64>() {
        return number.is_finite().then_some((number, ""));
    }
    let sign = usize::from(value.starts_with(['-', '+']));
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let end = sign + value[sign..].find(|c| !digits(c))?;
    let (text, rest) = match value.split_at(end) {
        // A fraction alone.
        (_, rest) if rest.starts_with('/') => ("", value),
        parts => parts,
    };
    let (part, unit) = fraction(rest.trim_start_matches([' ', '又']))?;
    // The number before the unit may be in words: `六目半`.
    let is_alone = unit.starts_with('半') || !unit.contains('半');
    let number: f64 = match text {
        "" if part > 0.0 && is_alone => 0.0,
        text => text.replace(',', ".").parse().ok()?,
    };
    // Another number may mean anything, as in `0x10`.
    let plain = !unit.contains(|c: char| c.is_ascii_digit());
    let part = if text.starts_with('-') { -part } else { part };
    let number = number + part;
    (plain && number.is_finite()).then_some((number, unit))
}

/// The fraction at the start of a text, 0 for none, and the rest; `半` may follow the unit.
fn fraction(text: &str) -> Option<(f64, &str)> {
    for (sign, part) in [("½", 0.5), ("¼", 0.25), ("¾", 0.75)] {
        if let Some(rest) = text.strip_prefix(sign) {
            return Some((part, rest));
        }
    }
    let end = text.find(|c: char| c != '/' && !c.is_ascii_digit());
    let (begin, rest) = text.split_at(end.unwrap_or(text.len()));
    match begin.split_once('/') {
        Some((over, under)) => {
            let (over, under): (f64, f64) = (over.parse().ok()?, under.parse().ok()?);
            Some((over / under, rest))
        }
        None if text.contains('半') => Some((0.5, text)),
        None => Some((0.0, text)),
    }
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
            ("黑贴3.75子", 7.5),
            ("贴 6目半", 6.5),
            ("komi: 5.5", 5.5),
            ("1e1", 10.0),
            ("2 stones", 4.0),
            ("半目", 0.5),
            ("3/4子", 1.5),
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

    /// What Fox and gokifu write, and programs that keep their records.
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
            ("AP[Sabaki:0.52.2]KM[50]HA[2]TM[300]TC[3]TT[30]", 0.5),
            ("AP[MultiGo:4.4.4]SO[http://gokifu.com]KM[50]", 0.5),
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
        // Other programs' own values are taken literally.
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
            ("inf", "not a number of points"),
            ("nan", "not a number"),
            ("none", "not a number"),
            ("六目半", "not a number"),
            ("1/0", "not a number"),
            ("6 1/0", "not a number"),
            ("-", "not a number"),
            ("0x10", "not a number"),
            ("6.5.5", "not a number"),
            ("6 to 7", "not a number"),
            ("reverse 5.5", "not a number"),
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
