//! Within a crate, files use each other in one direction.
//!
//! A file uses another where it names an item that the other defines; re-exports are followed to the definition, so that a
//! module which only collects its children ties nothing together. A child may use what the modules around it define: they are
//! one room. Beside that, two files may use each other, a type and its parts. More than two show that an item is
//! too high. Unit tests and the text of macros are left out.

use loopwright_tidy::{crates, read, root, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Item, UseTree};

/// Path of a module from the crate's root.
type Module = Vec<String>;

/// A source file, or a module within one.
#[derive(Default)]
struct Scope {
    file: PathBuf,
    /// Names of the items that it defines.
    defined: BTreeSet<String>,
    /// Names that it imports, with the paths they come from.
    imported: BTreeMap<String, Vec<String>>,
    /// Modules all of whose names it imports.
    globs: Vec<Vec<String>>,
    /// Every path that its code names.
    named: BTreeSet<Vec<String>>,
}

/// The modules of a crate.
type Scopes = BTreeMap<Module, Scope>;

fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg")
            && list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|w| w == "test")
    })
}

/// The file of `mod name;` in `module`, whose file is `parent`.
fn file_of(parent: &Path, module: &Module, name: &str) -> PathBuf {
    let folder = parent.parent().expect("a file is in a folder");
    let stem = parent.file_stem().and_then(|stem| stem.to_str());
    let own = match stem {
        Some("lib" | "main" | "mod") | None => folder.to_owned(),
        Some(_) => folder.join(module.last().expect("the root is lib.rs or main.rs")),
    };
    let flat = own.join(format!("{name}.rs"));
    if flat.exists() { flat } else { own.join(name).join("mod.rs") }
}

fn leaves(tree: &UseTree, before: &[String], scope: &mut Scope) {
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), scope),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, scope)),
        UseTree::Glob(_) => scope.globs.push(before.to_vec()),
        UseTree::Name(name) if name.ident == "self" => {
            scope.imported.insert(before.last().cloned().unwrap_or_default(), before.to_vec());
        }
        UseTree::Name(name) => {
            scope.imported.insert(name.ident.to_string(), with(&name.ident));
        }
        UseTree::Rename(renamed) => {
            scope.imported.insert(renamed.rename.to_string(), with(&renamed.ident));
        }
    }
}

/// Collects the paths of one module's own items.
struct Paths<'a>(&'a mut Scope);

impl Visit<'_> for Paths<'_> {
    fn visit_item(&mut self, item: &Item) {
        // Imports within functions count as those of the file.
        match item {
            Item::Use(imports) => leaves(&imports.tree, &[], self.0),
            Item::Mod(_) => {}
            other => visit::visit_item(self, other),
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        self.0.named.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

fn attributes_of(item: &Item) -> &[syn::Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        _ => &[],
    }
}

fn walk(items: &[Item], module: &Module, file: &Path, scopes: &mut Scopes) {
    let mut scope = Scope { file: file.to_owned(), ..Scope::default() };
    for item in items.iter().filter(|item| !for_tests(attributes_of(item))) {
        let name = match item {
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Const(item) => Some(&item.ident),
            Item::Static(item) => Some(&item.ident),
            Item::Macro(item) => item.ident.as_ref(),
            _ => None,
        };
        scope.defined.extend(name.map(ToString::to_string));
        if let Item::Mod(inner) = item {
            let child = [module.as_slice(), &[inner.ident.to_string()]].concat();
            match &inner.content {
                Some((_, items)) => walk(items, &child, file, scopes),
                None => parse(&file_of(file, module, &inner.ident.to_string()), &child, scopes),
            }
        }
        Paths(&mut scope).visit_item(item);
    }
    scopes.insert(module.clone(), scope);
}

fn parse(file: &Path, module: &Module, scopes: &mut Scopes) {
    let parsed = syn::parse_file(&read(file)).unwrap_or_else(|e| panic!("{}: {e}", shown(file)));
    walk(&parsed.items, module, file, scopes);
}

/// The file that defines what `path` means in `module`; `None` for what is of another crate, and for modules.
fn definition<'a>(scopes: &'a Scopes, module: &Module, path: &[String], depth: u32) -> Option<&'a Path> {
    let (first, rest) = path.split_first()?;
    let depth = depth.checked_sub(1)?;
    match first.as_str() {
        "crate" => return within(scopes, &Vec::new(), rest, depth),
        "self" => return within(scopes, module, rest, depth),
        "super" => return definition_above(scopes, module, rest, depth),
        _ => {}
    }
    within(scopes, module, path, depth)
}

fn definition_above<'a>(
    scopes: &'a Scopes,
    module: &Module,
    rest: &[String],
    depth: u32,
) -> Option<&'a Path> {
    let above: Module = module.split_last()?.1.to_vec();
    match rest.first().map(String::as_str) {
        Some("super") => definition_above(scopes, &above, &rest[1..], depth),
        _ => within(scopes, &above, rest, depth),
    }
}

/// As [`definition`], of a path that begins at a module's own names.
fn within<'a>(scopes: &'a Scopes, module: &Module, path: &[String], depth: u32) -> Option<&'a Path> {
    let (first, rest) = path.split_first()?;
    let scope = scopes.get(module)?;
    if scope.defined.contains(first) {
        return Some(&scope.file);
    }
    let child = [module.as_slice(), std::slice::from_ref(first)].concat();
    if scopes.contains_key(&child) {
        return within(scopes, &child, rest, depth);
    }
    if let Some(imported) = scope.imported.get(first) {
        // `use rayon::X` in a module: a path of another crate, or of a child.
        let whole = [imported.as_slice(), rest].concat();
        return if whole == path { None } else { definition(scopes, module, &whole, depth) };
    }
    scope.globs.iter().find_map(|glob| definition(scopes, module, &[glob.as_slice(), path].concat(), depth))
}

/// Which file uses which, and the name that shows it.
fn uses(scopes: &Scopes) -> BTreeMap<&Path, BTreeMap<&Path, String>> {
    /// Re-exports of re-exports are followed this far: a cycle of globs has no end.
    const DEPTH: u32 = 12;
    let mut uses: BTreeMap<&Path, BTreeMap<&Path, String>> = BTreeMap::new();
    for (module, scope) in scopes {
        let own = uses.entry(&scope.file).or_default();
        let around: Vec<&Path> = (0..=module.len())
            .filter_map(|depth| Some(scopes.get(&module[..depth])?.file.as_path()))
            .collect();
        for path in &scope.named {
            let Some(found) = definition(scopes, module, path, DEPTH) else { continue };
            if !around.contains(&found) {
                own.entry(found).or_insert_with(|| path.join("::"));
            }
        }
    }
    uses
}

/// Every file that `from` reaches.
fn reached<'a>(uses: &BTreeMap<&'a Path, BTreeMap<&'a Path, String>>, from: &'a Path) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(file) = pending.pop() {
        for next in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(*next) {
                pending.push(next);
            }
        }
    }
    reached
}

#[test]
fn no_more_than_two_files_use_each_other() {
    let mut arrows = 0;
    let mut circles = Vec::new();
    for name in crates().keys() {
        let source = root().join("crates").join(name).join("src");
        for start in ["lib.rs", "main.rs"].map(|file| source.join(file)).iter().filter(|file| file.exists()) {
            let mut scopes = Scopes::new();
            parse(start, &Module::new(), &mut scopes);
            let uses = uses(&scopes);
            arrows += uses.values().map(BTreeMap::len).sum::<usize>();
            let reached: BTreeMap<&Path, _> = uses.keys().map(|&file| (file, reached(&uses, file))).collect();
            let mut listed: BTreeSet<&Path> = BTreeSet::new();
            for (&file, others) in &reached {
                let circle: BTreeSet<&Path> =
                    others.iter().copied().filter(|other| reached[other].contains(file)).collect();
                if circle.len() <= 2 || circle.iter().any(|file| listed.contains(file)) {
                    continue;
                }
                listed.extend(&circle);
                for from in &circle {
                    for (to, path) in uses[from].iter().filter(|(to, _)| circle.contains(*to)) {
                        circles.push(format!("{} uses {}: {path}", shown(from), shown(to)));
                    }
                }
                circles.push(String::new());
            }
        }
    }
    assert!(arrows > 1000, "only {arrows} uses found");
    assert!(circles.is_empty(), "move what these share below them:\n{}", circles.join("\n"));
}
