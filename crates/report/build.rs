//! Takes the packed page into the crate: `page/index.html.gz`, which `make ui` puts there and which the crate's package
//! holds, so that whoever installs the package needs no Node. A checkout in which it was not made builds as well, and
//! then makes every report but the page.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What every gzip file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    println!("cargo::rerun-if-changed=build.rs");
    let template = match page(&manifest) {
        Ok(Some(page)) => format!("Some(include_bytes!({:?}))", page.display().to_string()),
        Ok(None) => "None".to_owned(),
        Err(problem) => {
            println!("cargo::error={problem}");
            return;
        }
    };
    fs::write(out.join("template.rs"), template).expect("OUT_DIR can be written");
}

/// The packed page; none in a checkout where it was not made yet.
///
/// # Errors
/// In words, what is wrong and what to run.
fn page(manifest: &Path) -> Result<Option<PathBuf>, String> {
    let folder = manifest.join("page");
    let page = folder.join("index.html.gz");
    // A file that is absent would count as changed each time; the folder in which it will appear changes with it.
    watch(if page.exists() { &page } else { &folder });
    match fs::read(&page) {
        Ok(bytes) if bytes.starts_with(&GZIP) => Ok(Some(page)),
        Ok(_) => Err(format!("{} is no packed page: run `make ui` in the checkout", page.display())),
        Err(_) if manifest.join("../../ui").is_dir() => Ok(None),
        Err(_) => {
            Err("this package of loopwright-report lacks page/index.html.gz, the page of its reports: \
                       run `make ui` in the checkout before `cargo package`"
                .to_owned())
        }
    }
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
