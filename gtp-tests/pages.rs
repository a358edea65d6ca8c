//! `tengen-lab pages`: the pages of results are those of the records.

use std::fs;
use std::path::Path;

use super::lab;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn pages_of_results_match_the_records() {
    let pages = lab(&["pages", "--check", REPOSITORY]).output().unwrap();
    let said = String::from_utf8_lossy(&pages.stderr);
    assert!(pages.status.success(), "{said}");
}

#[test]
fn a_stale_page_is_named() {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stale-pages");
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(copy.join("docs/results")).expect("a folder of these tests");
    for entry in fs::read_dir(Path::new(REPOSITORY).join("docs/results")).expect("records") {
        let path = entry.expect("a readable entry").path();
        fs::copy(
            &path,
            copy.join("docs/results")
                .join(path.file_name().expect("a name")),
        )
        .expect("a copy");
    }
    for page in [
        "README.md",
        "README.zh-CN.md",
        "docs/results.md",
        "docs/what-did-not-help.md",
    ] {
        fs::copy(Path::new(REPOSITORY).join(page), copy.join(page)).expect("a copy");
    }
    let check = || {
        let pages = lab(&["pages", "--check"]).arg(&copy).output().unwrap();
        (
            pages.status.success(),
            String::from_utf8_lossy(&pages.stderr).into_owned(),
        )
    };
    assert_eq!(check(), (true, String::new()));
    let records = copy.join("docs/results/go.toml");
    let text = fs::read_to_string(&records).expect("records");
    let shown = text
        .find("front-page = true")
        .expect("a match of the front page");
    let (before, of_match) = text.split_at(text[..shown].rfind("\nlimit = ").expect("its limit"));
    let changed = of_match.replacen("limit = \"", "limit = \"another ", 1);
    fs::write(&records, format!("{before}{changed}")).expect("a change");
    let (sound, said) = check();
    assert!(!sound, "{said}");
    for page in ["README.md", "README.zh-CN.md", "results.md"] {
        assert!(said.contains(page), "{said}");
    }
}
