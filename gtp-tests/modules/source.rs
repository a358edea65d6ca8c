//! Declarations, imports and paths of the files below `src/`, module by module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A module: a file, or a `mod name { .. }` in one.
#[derive(Default)]
pub(super) struct Module {
    /// Its file, from the root of the repository, with `/` on every system.
    pub(super) file: String,
    pub(super) parent: Option<usize>,
    /// Its names below the root of its crate; empty for the root.
    pub(super) names: Vec<String>,
    /// Whether it is compiled for tests only.
    pub(super) test: bool,
    pub(super) children: BTreeMap<String, usize>,
    /// The items that it defines.
    pub(super) items: BTreeSet<String>,
    /// Imports by `use`: the local name, and the path.
    pub(super) imports: Vec<(String, Vec<String>)>,
    /// The paths of `use path::*`.
    pub(super) globs: Vec<Vec<String>>,
    pub(super) mentions: Vec<Mention>,
}

/// A whole path in the text of a module: `super::limits::Limits`. A single name is a path, too.
pub(super) struct Mention {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    /// Whether it is compiled for tests only.
    pub(super) test: bool,
    /// Whether it is a re-export: `pub use`.
    pub(super) handed_on: bool,
}

/// All modules of the library and the programs, by number.
#[derive(Default)]
pub(super) struct Source {
    pub(super) modules: Vec<Module>,
    root: PathBuf,
}

/// Attributes and visibility before an item.
#[derive(Default, Clone)]
struct Before {
    test: bool,
    public: bool,
    exported: bool,
    path: Option<String>,
}

impl Source {
    /// Reads the crates with these roots, such as `src/lib.rs`, and the modules that they declare.
    pub(super) fn read(root: &Path, crates: &[&str]) -> Source {
        let mut source = Source {
            root: root.to_owned(),
            ..Source::default()
        };
        for file in crates {
            source.add_file((*file).to_owned(), Module::default());
        }
        source
    }

    fn add_file(&mut self, file: String, mut module: Module) -> usize {
        let text = fs::read_to_string(self.root.join(&file))
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        let tokens: TokenStream = text
            .parse()
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        module.file = file;
        self.add(module, tokens)
    }

    fn add(&mut self, module: Module, tokens: TokenStream) -> usize {
        let number = self.modules.len();
        let test = module.test;
        self.modules.push(module);
        self.read_tokens(number, tokens, test, true);
        number
    }

    /// Reads the body of a module, or of an item in it (not `outermost`).
    fn read_tokens(&mut self, module: usize, tokens: TokenStream, test: bool, outermost: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut before = Before::default();
        let mut at = 0;
        while at < tokens.len() {
            let is_test = test || before.test;
            let rest = &tokens[at..];
            at += match rest {
                [TokenTree::Punct(hash), TokenTree::Group(attribute), ..]
                    if hash.as_char() == '#' =>
                {
                    before.note(attribute.stream());
                    self.read_tokens(module, attribute.stream(), is_test, false);
                    2
                }
                [TokenTree::Ident(word), after, ..] if word == "pub" => {
                    before.public = true;
                    if is_group(after, Delimiter::Parenthesis) {
                        2
                    } else {
                        1
                    }
                }
                [TokenTree::Ident(word), after, ..] if word == "use" && !is_punct(after, '<') => {
                    let end = rest.iter().position(|token| is_punct(token, ';'));
                    let end = end.expect("`use` ends with a semicolon");
                    self.read_use(module, &rest[1..end], &before, is_test);
                    before = Before::default();
                    end + 1
                }
                [TokenTree::Ident(word), TokenTree::Ident(name), body, ..] if word == "mod" => {
                    self.read_module(module, &name.to_string(), body, &before, is_test);
                    before = Before::default();
                    3
                }
                [TokenTree::Ident(word), bang, TokenTree::Ident(name), ..]
                    if word == "macro_rules" && is_punct(bang, '!') =>
                {
                    let mut home = module;
                    if before.exported {
                        // `crate::name!` in any module.
                        self.modules[home].items.insert(name.to_string());
                        let path = self.modules[home].names.clone();
                        while let Some(parent) = self.modules[home].parent {
                            home = parent;
                        }
                        let path = [vec!["crate".to_owned()], path, vec![name.to_string()]];
                        self.modules[home]
                            .imports
                            .push((name.to_string(), path.concat()));
                    } else {
                        self.modules[home].items.insert(name.to_string());
                    }
                    3
                }
                [TokenTree::Ident(word), TokenTree::Ident(name), ..]
                    if outermost && defines(word) =>
                {
                    self.modules[module].items.insert(name.to_string());
                    1
                }
                [TokenTree::Group(group), ..] => {
                    self.read_tokens(module, group.stream(), is_test, false);
                    if group.delimiter() == Delimiter::Brace {
                        before = Before::default();
                    }
                    1
                }
                [TokenTree::Ident(_), ..] => self.read_path(module, &tokens, at, is_test),
                [token, ..] => {
                    if is_punct(token, ';') {
                        before = Before::default();
                    }
                    1
                }
                [] => unreachable!("at is below the length"),
            };
        }
    }

    fn read_module(
        &mut self,
        parent: usize,
        name: &str,
        body: &TokenTree,
        before: &Before,
        test: bool,
    ) {
        let above = &self.modules[parent];
        let module = Module {
            file: above.file.clone(),
            parent: Some(parent),
            names: [above.names.clone(), vec![name.to_owned()]].concat(),
            test,
            ..Module::default()
        };
        let child = match body {
            TokenTree::Group(group) => self.add(module, group.stream()),
            _ => {
                let file = self.file_of(parent, name, before);
                self.add_file(file, module)
            }
        };
        self.modules[parent].children.insert(name.to_owned(), child);
    }

    fn file_of(&self, parent: usize, name: &str, before: &Before) -> String {
        let (folder, file) = self.modules[parent].file.rsplit_once('/').expect("src/..");
        if let Some(path) = &before.path {
            return format!("{folder}/{path}");
        }
        let stem = file.strip_suffix(".rs").expect("it is a source");
        let folder = match stem {
            "mod" | "lib" | "main" => folder.to_owned(),
            stem => format!("{folder}/{stem}"),
        };
        let alone = format!("{folder}/{name}.rs");
        if self.root.join(&alone).exists() {
            alone
        } else {
            format!("{folder}/{name}/mod.rs")
        }
    }

    fn read_use(&mut self, module: usize, tree: &[TokenTree], before: &Before, test: bool) {
        let mut leaves = Vec::new();
        read_tree(tree, &[], &mut leaves);
        for leaf in leaves {
            let module = &mut self.modules[module];
            match leaf.name {
                Some(name) => module.imports.push((name, leaf.path.clone())),
                None => module.globs.push(leaf.path.clone()),
            }
            module.mentions.push(Mention {
                path: leaf.path,
                line: leaf.line,
                test,
                handed_on: before.public,
            });
        }
    }

    /// Reads the path that begins here, and returns its number of tokens.
    fn read_path(&mut self, module: usize, tokens: &[TokenTree], at: usize, test: bool) -> usize {
        let mut path = vec![tokens[at].to_string()];
        let mut end = at + 1;
        while let [a, b, TokenTree::Ident(name), ..] = &tokens[end..]
            && is_punct(a, ':')
            && is_punct(b, ':')
        {
            path.push(name.to_string());
            end += 3;
        }
        let behind =
            |token: Option<&TokenTree>, what| token.is_some_and(|token| is_punct(token, what));
        let earlier = at.checked_sub(1).and_then(|at| tokens.get(at));
        // A method, a field, or the end of `<T as Trait>::name`.
        let of_a_value = behind(earlier, '.')
            || behind(earlier, ':') && at >= 2 && is_punct(&tokens[at - 2], ':');
        let name = path[0].strip_prefix("r#").unwrap_or(&path[0]);
        let is_called = tokens.get(end).is_some_and(|token| {
            is_punct(token, '!') || is_turbofish(token) || is_group(token, Delimiter::Parenthesis)
        });
        let may_be_a_variable =
            path.len() == 1 && !name.starts_with(char::is_uppercase) && !is_called;
        let is_word = path.len() == 1 && matches!(name, "crate" | "self" | "super");
        if !of_a_value && !may_be_a_variable && !is_word {
            self.modules[module].mentions.push(Mention {
                path,
                line: tokens[at].span().start().line,
                test,
                handed_on: false,
            });
        }
        end - at
    }
}

impl Before {
    fn note(&mut self, attribute: TokenStream) {
        let text: String = attribute.to_string().split_whitespace().collect();
        self.test |=
            text.starts_with("cfg(test") || text.starts_with("cfg(all(test") || text == "test";
        self.exported |= text == "macro_export";
        if let Some(path) = text.strip_prefix("path=") {
            self.path = Some(path.trim_matches('"').to_owned());
        }
    }
}

struct Leaf {
    /// The local name; `None` for `*`.
    name: Option<String>,
    path: Vec<String>,
    line: usize,
}

/// Reads `a::{b, c::d as e}` after `before` into its leaves.
fn read_tree(tree: &[TokenTree], before: &[String], leaves: &mut Vec<Leaf>) {
    for branch in tree.split(|token| is_punct(token, ',')) {
        let mut path = before.to_vec();
        let mut alias = None;
        for (at, token) in branch.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    alias = Some(branch[at + 1].to_string());
                    break;
                }
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    read_tree(&inner, &path, leaves);
                }
                _ => {}
            }
        }
        let Some(last) = branch.last() else { continue };
        if matches!(last, TokenTree::Group(_)) {
            continue;
        }
        let line = last.span().start().line;
        let name = match last {
            TokenTree::Punct(_) => None,
            _ => alias.or_else(|| path.last().cloned()),
        };
        leaves.push(Leaf { name, path, line });
    }
}

fn defines(word: &proc_macro2::Ident) -> bool {
    let words = ["fn", "struct", "enum", "trait", "type", "const", "static"];
    words.iter().any(|known| word == known)
}

fn is_punct(token: &TokenTree, what: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == what)
}

/// The first half of `::`; a single colon follows a field.
fn is_turbofish(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}
