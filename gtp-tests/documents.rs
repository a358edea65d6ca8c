//! References in comments and documents resolve: links lead to files and headings of this repository.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// A tracked text: its path from the root, and its content.
struct Text {
    path: PathBuf,
    content: String,
}

fn root() -> &'static Path {
    Path::new(crate::REPOSITORY)
}

/// Sources, scripts and documents.
fn texts() -> Vec<Text> {
    let mut files = Vec::new();
    collect(root(), &["rs", "md", "toml", "sh"], &mut files);
    let texts: Vec<Text> = files
        .into_iter()
        .map(|path| Text {
            content: fs::read_to_string(&path).expect("text"),
            path: path.strip_prefix(root()).expect("it lies below").to_owned(),
        })
        .collect();
    assert!(texts.len() > 200, "{} files", texts.len());
    texts
}

/// Folders of the root, or of a test, that are not ours: what was built, fetched or made by a user.
const FOREIGN: [&str; 5] = [".git", "data", "node_modules", "runs", "target"];

fn collect(folder: &Path, endings: &[&str], into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of this repository") {
        let path = entry.expect("a readable entry").path();
        let end = path.extension().and_then(|end| end.to_str());
        if path.is_dir() && !FOREIGN.iter().any(|name| path.ends_with(name)) {
            collect(&path, endings, into);
        } else if end.is_some_and(|end| endings.contains(&end)) {
            into.push(path);
        }
    }
}

fn is_document(text: &Text) -> bool {
    text.path.extension().is_some_and(|end| end == "md")
}

/// The headings of a Markdown text in the form used by links.
fn anchors(markdown: &str) -> Vec<String> {
    let mut in_code = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        in_code ^= line.starts_with("```");
        if let Some(heading) = line.strip_prefix('#').filter(|_| !in_code) {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.replace(' ', "-");
            found.push(kept.replace(|c: char| !(c.is_alphanumeric() || "-_".contains(c)), ""));
        }
    }
    found
}

/// The error of a link to `target`, a path from the root with or without `#heading`.
fn broken(target: &Path) -> Option<String> {
    let target = target.display().to_string();
    let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
    let path = root().join(file);
    if !path.exists() {
        return Some(format!("there is no {file}"));
    }
    if anchor.is_empty() {
        return None;
    }
    let content = fs::read_to_string(&path).unwrap_or_default();
    let known = anchors(&content).iter().any(|known| known == anchor);
    (!known).then(|| format!("{file} has no heading #{anchor}"))
}

fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn links_of_documents_have_targets() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a pattern");
    let mut complaints = Vec::new();
    for text in texts().iter().filter(|text| is_document(text)) {
        for found in link.captures_iter(&text.content) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            let path = if target.starts_with('#') {
                PathBuf::from(format!("{}{target}", text.path.display()))
            } else {
                text.path.parent().expect("a folder").join(target)
            };
            let complaint = broken(&path);
            complaints
                .extend(complaint.map(|what| format!("{}: {target}: {what}", text.path.display())));
        }
    }
    none(&complaints);
}

#[test]
fn citations_in_comments_exist() {
    let page = Regex::new(r"docs/[a-z-]+\.md(#[a-z0-9-]+)?").expect("a pattern");
    let mut complaints = Vec::new();
    let mut count = 0;
    for text in texts() {
        for found in page.find_iter(&text.content) {
            count += 1;
            let complaint = broken(Path::new(found.as_str()));
            complaints.extend(complaint.map(|what| format!("{}: {what}", text.path.display())));
        }
    }
    assert!(count > 50, "{count} citations");
    none(&complaints);
}

#[test]
fn files_named_in_documents_exist() {
    let name = Regex::new(r"`([a-z_-]+/[a-z_/-]+(?:\.[a-z]+)?)`").expect("a pattern");
    let mut complaints = Vec::new();
    let mut count = 0;
    for document in ["src/ARCHITECTURE.md", "docs/methods.md"] {
        let content = fs::read_to_string(root().join(document)).expect("text");
        for found in name.captures_iter(&content) {
            count += 1;
            let places = ["src/tengen", "src", "."].map(|place| root().join(place).join(&found[1]));
            if !places.iter().any(|place| place.exists()) {
                complaints.push(format!("{document}: there is no {}", &found[1]));
            }
        }
    }
    assert!(count > 50, "{count} files");
    none(&complaints);
}

/// In a row or a paragraph of the architecture a bare name is in the folder before it.
#[test]
fn bare_names_are_in_the_folder_before_them() {
    let name = Regex::new(r"`([a-z0-9_/-]+(?:\.[a-z]+|/))`").expect("a pattern");
    let content = fs::read_to_string(root().join("src/ARCHITECTURE.md")).expect("text");
    let sections = content.split("\n## ");
    let sections = sections.filter(|section| section.starts_with("Where"));
    let mut complaints = Vec::new();
    let mut count = 0;
    for row in sections.flat_map(|section| section.split("\n\n").flat_map(|part| part.split("\n|")))
    {
        let mut folder = None;
        for found in name.captures_iter(row) {
            count += 1;
            let bare = !found[1].trim_end_matches('/').contains('/');
            let before = folder.filter(|_| bare);
            let whole = ["src/tengen", "src", "."].map(|place| root().join(place));
            let whole = whole
                .into_iter()
                .filter(|_| !bare || found[1].ends_with('/'));
            let mut places = before
                .into_iter()
                .chain(whole)
                .map(|place: PathBuf| place.join(&found[1]));
            let place = places.find(|place| place.exists());
            if place.is_none() {
                complaints.push(format!("where is {}?", &found[1]));
            }
            folder = place.and_then(|place| match place.is_dir() {
                true => Some(place),
                false => place.parent().map(Path::to_owned),
            });
        }
    }
    assert!(count > 100, "{count} files");
    none(&complaints);
}
