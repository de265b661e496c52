//! Takes the built page into the crate, where it has been built (`make ui`): a checkout without Node builds as well and
//! then makes every report but the page.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where the document goes; `src/page/html.rs` looks for the same line.
const PLACEHOLDER: &str = "<!--loopwright:document-->";

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    let ui = manifest.join("../../ui");
    let page = ui.join("dist/index.html");
    println!("cargo::rerun-if-changed=build.rs");
    let template = match fs::read_to_string(&page) {
        Ok(text) => {
            watch(&page);
            assert!(
                text.matches(PLACEHOLDER).count() == 1 && text.contains("<title>"),
                "{} is no page of the report: it must hold {PLACEHOLDER} once and a title; run `make ui`",
                page.display()
            );
            fs::write(out.join("page.html"), text).expect("OUT_DIR can be written");
            "Some(include_str!(concat!(env!(\"OUT_DIR\"), \"/page.html\")))"
        }
        Err(_) => {
            // A file that is absent would count as changed each time, and the crate would be built again each time. The
            // folder in which it will appear tells as well.
            if ui.is_dir() {
                watch(&ui);
            }
            "None"
        }
    };
    fs::write(out.join("template.rs"), template).expect("OUT_DIR can be written");
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
