//! `tengen-lab pages`: generates the pages of results from the records in `docs/results/`.

mod plots;
mod records;
mod strength;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use tengen_train::command::print;

use records::{Records, Words};

/// Marks around the strength table on the front page.
const TABLE_BEGIN: &str = "<!-- strength: made by `tengen-lab pages` -->\n";
const TABLE_END: &str = "<!-- end of strength -->\n";

/// Generate the pages and plots of results from the records in docs/results.
///
/// A record is a [[match]] (every match leaves one in record.toml), a [[measure]], a [[tried]] for
/// what did not help, a [[speed]] or a [[chart]]. See docs/results/README.md.
#[derive(Debug, Args)]
pub(crate) struct PagesArgs {
    /// Root of the repository
    #[arg(default_value = ".", value_name = "FOLDER")]
    root: PathBuf,
    /// Write nothing; fail if a page is stale
    #[arg(long)]
    check: bool,
}

/// A generated file.
struct Page {
    path: PathBuf,
    content: String,
}

/// Runs the subcommand.
pub(crate) fn run(args: &PagesArgs) -> Result<()> {
    let records = Records::read(&args.root.join("docs/results"))?;
    let pages = pages(&args.root, &records)?;
    let mut stale = Vec::new();
    for page in &pages {
        let found = fs::read_to_string(&page.path).unwrap_or_default();
        if found == page.content {
            continue;
        }
        if args.check {
            stale.push(page.path.display().to_string());
        } else {
            fs::write(&page.path, &page.content)
                .with_context(|| page.path.display().to_string())?;
            print(&page.path.display().to_string())?;
        }
    }
    if !stale.is_empty() {
        bail!("stale pages: {}; run `tengen-lab pages`", stale.join(", "));
    }
    Ok(())
}

fn pages(root: &Path, records: &Records) -> Result<Vec<Page>> {
    let docs = root.join("docs");
    let mut pages = vec![
        Page {
            path: docs.join("results.md"),
            content: strength::page(records),
        },
        Page {
            path: docs.join("what-did-not-help.md"),
            content: strength::tried(records),
        },
        front_page(&root.join("README.md"), records, &Words::new())?,
        front_page(&root.join("README.zh-CN.md"), records, &records.chinese)?,
    ];
    pages.extend(
        plots::files(records)?
            .into_iter()
            .map(|(name, content)| Page {
                path: docs.join("results").join(name),
                content,
            }),
    );
    Ok(pages)
}

/// A front page with its strength table between the marks.
fn front_page(path: &Path, records: &Records, words: &Words) -> Result<Page> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let marked = text.split_once(TABLE_BEGIN);
    let Some((before, (_, after))) =
        marked.and_then(|(before, rest)| Some((before, rest.split_once(TABLE_END)?)))
    else {
        bail!(
            "{}: the marks around the strength table are missing",
            path.display()
        );
    };
    let table = strength::front(records, words);
    Ok(Page {
        path: path.to_owned(),
        content: format!("{before}{TABLE_BEGIN}\n{table}\n{TABLE_END}{after}"),
    })
}
