//! Which file uses which: where the paths of a file end.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use super::source::{Mention, Source};

/// A path in one file that leads to another.
pub(super) struct Use<'a> {
    pub(super) user: &'a str,
    pub(super) used: &'a str,
    pub(super) mention: &'a Mention,
    /// Whether it only hands on a name of a child.
    pub(super) of_a_facade: bool,
}

impl Display for Use<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (path, line) = (self.mention.path.join("::"), self.mention.line);
        write!(f, "{}:{line}: `{path}` leads to {}", self.user, self.used)
    }
}

/// One search for what a path means.
struct Search<'a> {
    source: &'a Source,
    /// The names being looked up, each in a module: `use a::a` asks for its own name.
    asked: Vec<(usize, String)>,
    found: BTreeSet<usize>,
}

impl Source {
    /// Every use of one file by another, in the order of their lines.
    pub(super) fn uses(&self) -> Vec<Use<'_>> {
        let mut uses = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            for mention in &module.mentions {
                let ends = self.ends_of(number, &mention.path);
                let others = ends
                    .into_iter()
                    .filter(|end| self.modules[*end].file != module.file);
                uses.extend(others.map(|end| Use {
                    user: &module.file,
                    used: &self.modules[end].file,
                    mention,
                    of_a_facade: mention.handed_on && self.is_below(end, number),
                }));
            }
        }
        uses
    }

    /// The modules that define what a path means in a module, however often it was handed on; none for
    /// what is not of this repository.
    fn ends_of(&self, module: usize, path: &[String]) -> BTreeSet<usize> {
        let mut search = Search {
            source: self,
            asked: Vec::new(),
            found: BTreeSet::new(),
        };
        search.follow(module, path, true);
        search.found
    }

    fn is_below(&self, mut module: usize, ancestor: usize) -> bool {
        while let Some(parent) = self.modules[module].parent {
            module = parent;
            if module == ancestor {
                return true;
            }
        }
        false
    }

    fn root_of(&self, mut module: usize) -> usize {
        while let Some(parent) = self.modules[module].parent {
            module = parent;
        }
        module
    }
}

impl Search<'_> {
    /// Follows a path as it stands in a module, and says whether that led anywhere. What a macro made
    /// is taken to be in the module that the path leads to, where the path `must_exist`.
    fn follow(&mut self, module: usize, path: &[String], must_exist: bool) -> bool {
        let (mut module, mut rest) = (module, path);
        let mut is_absolute = false;
        while let Some((head, more)) = rest.split_first() {
            module = match head.as_str() {
                "crate" => self.source.root_of(module),
                // The library, as the programs call it; it was read first.
                "tengen" if !is_absolute => 0,
                "self" => module,
                "super" => self.source.modules[module].parent.expect("a parent"),
                _ => break,
            };
            (is_absolute, rest) = (true, more);
        }
        let any = match rest.split_first() {
            Some((name, rest)) => self.look_up(module, name, rest, must_exist),
            None => is_absolute && self.reach(module),
        };
        any || is_absolute && must_exist && self.reach(module)
    }

    fn look_up(&mut self, number: usize, name: &str, rest: &[String], must_exist: bool) -> bool {
        let module = &self.source.modules[number];
        let mut any = false;
        if let Some(child) = module.children.get(name) {
            any |= match rest.split_first() {
                Some((name, rest)) => self.look_up(*child, name, rest, must_exist),
                None => self.reach(*child),
            };
            any |= !any && must_exist && self.reach(*child);
        }
        // Modules and functions may have the same name; only a module leads further.
        if any && !rest.is_empty() {
            return true;
        }
        if module.items.contains(name) {
            any |= self.reach(number);
        }
        let question = (number, name.to_owned());
        if self.asked.contains(&question) {
            return any;
        }
        self.asked.push(question);
        for (_, path) in module.imports.iter().filter(|(known, _)| known == name) {
            any |= self.follow(number, &[path, rest].concat(), must_exist);
        }
        if !any {
            for path in &module.globs {
                let path = [path.as_slice(), &[name.to_owned()], rest].concat();
                any |= self.follow(number, &path, false);
            }
        }
        self.asked.pop();
        any
    }

    fn reach(&mut self, module: usize) -> bool {
        self.found.insert(module);
        true
    }
}
