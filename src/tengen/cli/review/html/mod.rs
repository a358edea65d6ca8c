//! A review as a self-contained HTML file: it includes its data as JSON, and `read` extracts them
//! again.

pub(super) mod index;

use std::path::Path;

use tengen::web;

use super::facts::{Review, Side};

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
    let [black, white] = Side::BOTH.map(|side| escape(review.game.player(side)));
    let back = if in_folder {
        "<p class=\"up\"><a href=\"index.html\">All games</a></p>"
    } else {
        ""
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

/// Text escaped for HTML.
fn escape(text: &str) -> String {
    tengen::chart::escape(text)
}
