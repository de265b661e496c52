//! Answers of other tools, converted to the image's terms.

use crate::image::build::run;
use loopwright_binary::image::Image;
use std::path::Path;

/// One frame of an address, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub function: String,
    pub file: String,
    pub line: u64,
    pub column: u64,
}

/// Frames of addresses by `llvm-symbolizer`: by the newest, or by an older one where the newest
/// cannot read the file (old ones cannot read zstd, new ones not zlib in the old format).
pub fn symbolize(binary: &Path, addresses: &[u64]) -> Option<Vec<Vec<Frame>>> {
    let exists = |name: &&str| std::process::Command::new(name).arg("--version").output().is_ok();
    let newest = ["llvm-symbolizer-19", "llvm-symbolizer"].into_iter().find(exists);
    let frames = symbolize_with(newest.unwrap_or("llvm-symbolizer"), binary, addresses)?;
    if frames.iter().flatten().any(|frame| frame.line > 0) {
        return Some(frames);
    }
    symbolize_with("llvm-symbolizer", binary, addresses)
}

fn symbolize_with(tool: &str, binary: &Path, addresses: &[u64]) -> Option<Vec<Vec<Frame>>> {
    let folder = binary.parent()?;
    let list = folder.join("addresses");
    let text: Vec<String> = addresses.iter().map(|a| format!("{a:#x}")).collect();
    std::fs::write(&list, text.join("\n")).ok()?;
    let object = format!("--obj={}", binary.display());
    let at_list = format!("@{}", list.display());
    let output = run(tool, &[&object, "--output-style=JSON", &at_list], folder)?;
    let answers: Vec<serde_json::Value> = output
        .lines()
        .flat_map(|line| match serde_json::from_str(line).expect("JSON") {
            serde_json::Value::Array(list) => list,
            one => vec![one],
        })
        .collect();
    assert_eq!(answers.len(), addresses.len());
    let frames = answers.iter().map(|answer| {
        let symbols = answer["Symbol"].as_array().cloned().unwrap_or_default();
        let frame = |symbol: &serde_json::Value| Frame {
            function: symbol["FunctionName"].as_str().unwrap_or("").to_owned(),
            file: symbol["FileName"].as_str().unwrap_or("").to_owned(),
            line: symbol["Line"].as_u64().unwrap_or(0),
            column: symbol["Column"].as_u64().unwrap_or(0),
        };
        symbols.iter().map(frame).collect()
    });
    Some(frames.collect())
}

/// The image's answer in the same form. The name of the outermost function is the function's own.
pub fn frames(image: &Image, address: u64) -> Vec<Frame> {
    let found = image.locate(address);
    let Some(location) = found.location else { return Vec::new() };
    let outermost = image.function_at(address).and_then(|f| image.function(f));
    let outermost = outermost.map(|f| f.name.clone()).unwrap_or_default();
    let frame = |function: &str, place: Option<&loopwright_binary::facts::SourceLocation>| Frame {
        function: function.to_owned(),
        file: place.map(|p| p.file.clone()).unwrap_or_default(),
        line: place.map_or(0, |p| u64::from(p.line)),
        column: place.map_or(0, |p| u64::from(p.column)),
    };
    let mut place = Some(&location);
    let mut frames = Vec::new();
    for inlined in &found.inlined {
        frames.push(frame(&inlined.function, place));
        place = inlined.call_site.as_ref();
    }
    frames.push(frame(&outermost, place));
    if let Some(innermost) = found.function {
        frames[0].function = innermost;
    }
    frames
}

/// Addresses of all instructions of a function, parts included.
pub fn instructions(image: &Image, function: usize) -> Vec<u64> {
    let info = image.function(function).expect("a function");
    let mut spans = vec![(info.address, info.end)];
    spans.extend(&info.parts);
    let mut addresses = Vec::new();
    for (start, end) in spans {
        let code = image.code(start, end).expect("code");
        let decoder = iced_x86::Decoder::with_ip(64, code, start, iced_x86::DecoderOptions::NONE);
        addresses.extend(decoder.into_iter().map(|instruction| instruction.ip()));
    }
    addresses
}

/// Defined text symbols with their addresses and sizes, by `nm`.
pub fn symbols(binary: &Path) -> Option<Vec<(u64, u64, String)>> {
    let text = run("nm", &["-S", "--defined-only", &binary.display().to_string()], binary.parent()?)?;
    let symbol = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [address, size, kind, name] = fields[..] else { return None };
        let address = u64::from_str_radix(address, 16).ok()?;
        let size = u64::from_str_radix(size, 16).ok()?;
        ["T", "t", "W", "i"].contains(&kind).then(|| (address, size, name.to_owned()))
    };
    Some(text.lines().filter_map(symbol).collect())
}
