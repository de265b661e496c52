//! The page: the built user interface with the document inside, one file that needs nothing else.
//!
//! The document is JSON, compressed and in base64, which holds no character that HTML could take for markup: whatever
//! names a program brings along, none of them ends the script element or begins another one. Numbers that are not whole
//! are rounded to as many digits as anyone measures, which halves them, and long lists are tables ([`super::table`]).

use super::details::{trim, trim_energies};
use super::table::tabulate;
use crate::names::{elide_end, printable};
use crate::style::TerminalStyle;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use loopwright_analysis::place::base_name;
use serde_json::{Number, Value};
use std::fmt;
use std::io::{Read, Write};
use std::sync::LazyLock;

/// The page that this build carries; absent when it was built without one.
pub static TEMPLATE: LazyLock<Option<String>> = LazyLock::new(|| PACKED.and_then(unpacked));

/// The page as `make ui` packed it.
const PACKED: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/template.rs"));

fn unpacked(packed: &[u8]) -> Option<String> {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Where the document goes.
const PLACEHOLDER: &str = "<!--loopwright:document-->";
/// Columns of the title's name.
const LONGEST_TITLE: usize = 80;

/// What the packed document may take, in bytes: with base64 and the page around it the file stays below five megabytes.
const ROOM: usize = 3_290_000;
/// Loops that keep all their facts when it takes more.
const DETAILED: [usize; 3] = [3000, 500, 100];

/// Why there is no page.
#[derive(Debug)]
pub enum PageError {
    /// This build carries none.
    NoTemplate,
    /// The template lacks what is to be replaced in it.
    Template(&'static str),
    /// The document cannot be written.
    Document(serde_json::Error),
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTemplate => f.write_str(
                "this loopwright was built without the report page: run `make ui`, then build again; --json works without it",
            ),
            Self::Template(what) => write!(f, "the page has not exactly one {what}: run `make ui`, then build again"),
            Self::Document(error) => write!(f, "the document cannot be written: {error}"),
        }
    }
}

impl std::error::Error for PageError {}

/// Puts the document into the page.
///
/// # Errors
/// When there is no template, or the template is none.
pub fn html(mut document: Value, template: Option<&str>) -> Result<String, PageError> {
    let template = template.ok_or(PageError::NoTemplate)?;
    let title = title(&document);
    round(&mut document);
    let mut packed = pack(&document)?;
    for hottest in DETAILED {
        if packed.len() <= ROOM {
            break;
        }
        if trim_energies(&mut document) | trim(&mut document, hottest) {
            packed = pack(&document)?;
        }
    }
    drop(document);
    let (head, tail) = parts(template, PLACEHOLDER, "place for the document")?;
    let (before, rest) = parts(head, "<title>", "title")?;
    let (_, after) = rest.split_once("</title>").ok_or(PageError::Template("title"))?;
    let mut page = String::with_capacity(template.len() + packed.len() * 4 / 3 + 256);
    for part in [before, "<title>", &title, "</title>", after] {
        page.push_str(part);
    }
    page.push_str("<script type=\"application/gzip\" id=\"document\">");
    STANDARD.encode_string(&packed, &mut page);
    page.push_str("</script>");
    page.push_str(tail);
    Ok(page)
}

/// The document as the page unpacks it.
fn pack(document: &Value) -> Result<Vec<u8>, PageError> {
    let text = serde_json::to_vec(&tabulate(document)).map_err(PageError::Document)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&text)
        .and_then(|()| encoder.finish())
        .map_err(|error| PageError::Document(serde_json::Error::io(error)))
}

/// What is before and after the only `mark`.
fn parts<'a>(text: &'a str, mark: &str, what: &'static str) -> Result<(&'a str, &'a str), PageError> {
    text.split_once(mark).filter(|(_, after)| !after.contains(mark)).ok_or(PageError::Template(what))
}

/// The title, as text: the program's name, or that of the case where it is a casebook's.
fn title(document: &Value) -> String {
    let name = match document["casebook"]["cases"].as_array().map(Vec::as_slice) {
        Some([case]) => case["title"].as_str().unwrap_or("Casebook"),
        Some(_) => "Casebook",
        None => base_name(document["analysis"]["program"]["command"][0].as_str().unwrap_or("no program")),
    };
    let style = TerminalStyle::terminal(LONGEST_TITLE);
    let name = elide_end(&printable(name), LONGEST_TITLE, &style);
    let name = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("loopwright: {name}")
}

/// Rounds what is not whole to seven digits, and writes what is whole without a point.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(shorter) = number.as_f64().and_then(shorter) {
                *number = shorter;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(map) => map.values_mut().for_each(round),
        _ => {}
    }
}

fn shorter(value: f64) -> Option<Number> {
    /// Whole numbers up to here are exact in both representations.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let rounded = if value.fract() == 0.0 { value } else { format!("{value:.6e}").parse().ok()? };
    if rounded.fract() == 0.0 && rounded.abs() <= EXACT {
        Some(Number::from(rounded as i64))
    } else {
        Number::from_f64(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SMALL: &str = "<!doctype html>\n<html><head><title>loopwright</title></head>\n<body>\n<!--loopwright:document-->\n</body></html>\n";

    fn unpack(page: &str) -> Value {
        let start = "<script type=\"application/gzip\" id=\"document\">";
        let (_, rest) = page.split_once(start).expect("the script element");
        let (packed, rest) = rest.split_once("</script>").expect("its end");
        assert!(!rest.contains("<script"), "{rest}");
        let mut text = String::new();
        GzDecoder::new(&STANDARD.decode(packed).unwrap()[..]).read_to_string(&mut text).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_document_comes_back_and_its_names_stay_text() {
        let hostile = "</script><script>alert(1)</script><!--\u{202e}\n\"'&";
        let document =
            json!({"analysis": {"program": {"command": [format!("/tmp/{hostile}"), "1"]}}, "n": hostile});
        let page = html(document.clone(), Some(SMALL)).unwrap();
        assert_eq!(unpack(&page), document);
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("</title>").count(), 1);
        assert!(!page.contains("alert(1)</script>") && !page.contains('\u{202e}'), "{page}");
        assert!(page.ends_with("</body></html>\n"));
        assert_eq!(page, html(document, Some(SMALL)).unwrap(), "the same document makes the same page");
    }

    #[test]
    fn titles_name_the_program_and_stay_short() {
        let of = |command: Value| title(&json!({"analysis": {"program": {"command": command}}}));
        assert_eq!(of(json!(["/home/ada/lbm", "a"])), "loopwright: lbm");
        assert_eq!(of(json!(["a<b>&c"])), "loopwright: a&lt;b&gt;&amp;c");
        assert_eq!(of(json!([])), "loopwright: no program");
        assert!(of(json!(["x".repeat(10_000)])).chars().count() < 100);
    }

    #[test]
    fn titles_of_a_casebook_name_its_only_case() {
        let of = |cases: Value| title(&json!({"casebook": {"cases": cases}}));
        assert_eq!(of(json!([{"title": "Loops in/or <ifs>"}])), "loopwright: Loops in/or &lt;ifs&gt;");
        assert_eq!(of(json!([{"title": "A"}, {"title": "B"}])), "loopwright: Casebook");
        assert_eq!(of(json!([])), "loopwright: Casebook");
    }

    #[test]
    fn seven_digits_are_kept_and_whole_numbers_stay_whole() {
        let mut value = json!([
            0.123_456_789,
            1_234.567_891,
            2.0,
            -0.0,
            1e-12,
            123_456_789.123,
            u64::MAX,
            i64::MIN,
            1e300,
            0.1,
            9.999_999_99,
            -1.5
        ]);
        round(&mut value);
        assert_eq!(
            value.to_string(),
            "[0.1234568,1234.568,2,0,1e-12,123456800,18446744073709551615,-9223372036854775808,1e+300,0.1,10,-1.5]"
        );
    }

    #[test]
    fn a_template_that_is_none_is_refused() {
        for wrong in [
            "",
            "<title>x</title>",
            "<!--loopwright:document-->",
            "<title>x</title><!--loopwright:document--><!--loopwright:document-->",
            "<title>x<!--loopwright:document-->",
        ] {
            assert!(matches!(html(json!({}), Some(wrong)), Err(PageError::Template(_))), "{wrong}");
        }
        let missing = html(json!({}), None).unwrap_err().to_string();
        assert!(missing.contains("make ui"), "{missing}");
    }

    #[test]
    fn the_built_page_takes_a_document() {
        let Some(template) = TEMPLATE.as_deref() else {
            let required = std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_some_and(|value| value == "1");
            assert!(!required, "built without the report page: run `make ui` first");
            println!("skipped: built without the report page (`make ui` makes it)");
            return;
        };
        let page = html(json!({"schema": 1}), Some(template)).unwrap();
        assert!(page.contains("id=\"document\">") && !page.contains(PLACEHOLDER));
        assert!(ROOM / 3 * 4 + template.len() < 5_000_000, "the page itself takes {} bytes", template.len());
        // One file that needs nothing else, and a package that stays small.
        assert!(
            !template.contains("src=\"http")
                && !template.contains("url(http")
                && !template.contains("@import")
        );
        assert!(template.contains("default-src 'none'"));
        assert!(PACKED.is_some_and(|packed| packed.len() < 250_000), "{:?}", PACKED.map(<[u8]>::len));
    }
}
