//! A review as a self-contained HTML file: it includes its data as JSON, and `read` extracts them
//! again. And the index page of a folder of them.

use std::fmt::Write as _;
use std::path::Path;

use tengen::chart::escape;
use tengen::game::Color;
use tengen::program::counted;
use tengen::web;

use super::facts::{Review, Tally};
use super::text::Summary;

/// Start of every review page.
const MARK: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"generator\" content=\"tengen review\">\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
/// No external resources are loaded, enforced by the browser.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">";
/// Style of the index page of a folder.
const STYLE: &str = include_str!("index.css");
/// Text before and after the JSON.
const DATA: [&str; 2] = [
    "<script type=\"application/json\" id=\"review\">",
    "</script>",
];

/// The page of a game; `in_folder`: there is an index page beside it.
pub(super) fn page(review: &Review, in_folder: bool) -> anyhow::Result<String> {
    let [begin, end] = DATA;
    // No text in it can end the element.
    let json = serde_json::to_string(review)?.replace('<', "\\u003c");
    let [black, white] = Color::BOTH.map(|side| escape(review.game.player(side)));
    let back = match in_folder {
        true => "<p class=\"up\"><a href=\"index.html\">All games</a></p>",
        false => "",
    };
    Ok(format!(
        "{MARK}{POLICY}<title>{black} - {white}</title><style>{}</style>{back}{}\
         {begin}{json}{end}<script type=\"module\">{}</script></html>\n",
        web::STYLE,
        web::body(),
        web::file_script()
    ))
}

/// Whether a file is a review page.
pub(super) fn is_ours(path: &Path) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    text.starts_with(MARK.as_bytes())
}

/// The review in a page, if it is a game's page of this version.
pub(super) fn read(path: &Path) -> Option<Review> {
    let text = std::fs::read_to_string(path).ok()?;
    let [begin, end] = DATA;
    let (_, rest) = text.split_once(begin)?;
    let (json, _) = rest.split_once(end)?;
    text.starts_with(MARK)
        .then(|| serde_json::from_str(json).ok())?
}

/// Size of the curve in a row of the index, in pixels.
const CURVE: (f32, f32) = (120.0, 28.0);

/// The row of the index for a game whose page has this name.
pub(super) fn index_row(page: &str, review: &Review) -> String {
    let game = &review.game;
    let [black, white] = Color::BOTH.map(|side| escape(game.player(side)));
    let both = |value: fn(&Tally) -> String| {
        let [black, white] = &review.players;
        format!("{}<td>{}", value(black), value(white))
    };
    let cut = match review.is_whole() {
        true => "",
        false => " (interrupted)",
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
        both(Tally::loss),
        both(|tally| match tally.blunders + tally.thrown_away {
            0 => "-".to_owned(),
            blunders => blunders.to_string(),
        }),
    );
    html
}

/// The index page of a folder of reviews: a row per game, and each player's statistics.
pub(super) fn index(rows: &[String], summary: &Summary) -> String {
    let mut page = format!(
        "{MARK}<title>Reviewed games</title><style>{STYLE}</style><div class=\"index\">\
         <h1>{} reviewed</h1><div class=\"scroll\"><table class=\"games\"><tr><th>Game<th>Black<th>White\
         <th>Result<th>Moves<th>Black's winrate<th>Loss, Black<th>White<th>Blunders, Black<th>White</tr>",
        counted(rows.len(), "game")
    );
    page.extend(rows.iter().map(String::as_str));
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
