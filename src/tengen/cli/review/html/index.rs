//! The index page of a folder of reviews: a row per game, and each player's statistics.

use std::fmt::Write as _;

use super::super::facts::{Review, Side, Tally};
use super::super::summary::Summary;
use super::{MARK, STYLE, escape};

/// Size of a row's curve, in pixels.
const CURVE: (f32, f32) = (120.0, 28.0);

/// A row of the table.
pub(in super::super) struct Entry {
    html: String,
}

impl Entry {
    /// The row of a game whose page has this name.
    pub(in super::super) fn new(page: &str, review: &Review) -> Entry {
        let game = &review.game;
        let [black, white] = Side::BOTH.map(|side| escape(game.player(side)));
        let both = |value: fn(&Tally) -> String| {
            let [black, white] = &review.players;
            format!("{}<td>{}", value(black), value(white))
        };
        let cut = if review.is_whole() {
            ""
        } else {
            " (interrupted)"
        };
        let mut html = format!(
            "<tr><td><a href=\"{}\">{}</a>{cut}<td><i class=\"stone black\"></i>{black}<td>\
             <i class=\"stone white\"></i>{white}<td>{}<td>{}<td class=\"spark\">",
            escape(&link(page)),
            escape(page.trim_end_matches(".html")),
            escape(&game.result),
            game.moves.len(),
        );
        curve(&mut html, review);
        // Writing into a string cannot fail.
        let _ = write!(
            html,
            "<td>{}<td>{}</tr>",
            both(|tally| format!("{:.1}%", 100.0 * tally.average_loss)),
            both(|tally| match tally.blunders + tally.thrown_away {
                0 => "-".to_owned(),
                blunders => blunders.to_string(),
            }),
        );
        Entry { html }
    }
}

/// The page.
pub(in super::super) fn page(entries: &[Entry], summary: &Summary) -> String {
    let mut page = format!(
        "{MARK}<title>Reviewed games</title><style>{STYLE}</style><div class=\"index\">\
         <h1>{} reviewed games</h1><div class=\"scroll\"><table class=\"games\"><tr><th>Game<th>Black<th>White\
         <th>Result<th>Moves<th>Black's winrate<th>Loss, Black<th>White<th>Blunders, Black<th>White</tr>",
        entries.len()
    );
    for entry in entries {
        page.push_str(&entry.html);
    }
    page.push_str(
        "</table></div><h2>Players</h2><div class=\"scroll\"><table><tr><th>Player<th>Games",
    );
    for (name, _) in Tally::default().columns() {
        let _ = write!(page, "<th>{}{}", name[..1].to_uppercase(), &name[1..]);
    }
    page.push_str("</tr>");
    for (name, games, tally) in summary.players() {
        let _ = write!(page, "<tr><td>{}<td>{games}", escape(name));
        for (_, figure) in tally.columns() {
            let _ = write!(page, "<td>{figure}");
        }
        page.push_str("</tr>");
    }
    page.push_str("</table></div></div></html>\n");
    page
}

/// A file name in a link: besides ASCII letters and digits only safe characters.
fn link(name: &str) -> String {
    let mut link = String::from("./");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            link.push(char::from(byte));
        } else {
            let _ = write!(link, "%{byte:02X}");
        }
    }
    link
}

fn curve(html: &mut String, review: &Review) {
    let (width, height) = CURVE;
    let moves = review.game.moves.len().max(1) as f32;
    let points = review.positions.iter().filter_map(|position| {
        let x = width * position.moves as f32 / moves;
        Some(format!("{x:.1},{:.1}", height * (1.0 - position.winrate?)))
    });
    let points: Vec<String> = points.collect();
    let middle = height / 2.0;
    let _ = write!(
        html,
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 -1 {width} {}\"><path class=\"half\" \
         d=\"M0 {middle}H{width}\"/><polyline class=\"line\" points=\"{}\"/></svg>",
        height + 2.0,
        points.join(" ")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_links() {
        assert_eq!(link("a b#1.html"), "./a%20b%231.html");
        assert_eq!(link("天.html"), "./%E5%A4%A9.html");
    }
}
