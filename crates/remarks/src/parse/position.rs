//! Parses `file:line:column` as all compilers print it, from untrusted text.

use crate::remark::SourcePosition;

/// Splits `file:line:column` (column optional). The file may itself hold colons.
pub(super) fn parse(text: &str) -> Option<SourcePosition> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    if let Some((file, line)) = rest.rsplit_once(':')
        && line.bytes().all(|byte| byte.is_ascii_digit())
    {
        let line: u32 = line.parse().ok()?;
        return (!file.is_empty()).then(|| SourcePosition { file: file.to_string(), line, column: last });
    }
    (!rest.is_empty()).then(|| SourcePosition { file: rest.to_string(), line: last, column: 0 })
}

/// Splits a line `PLACE: rest`, where the place ends at the first `: ` that leaves a valid place before it.
pub(super) fn leading(line: &str) -> Option<(SourcePosition, &str)> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(": ") {
        let end = from + at;
        let head = line.get(..end)?;
        if let Some(place) = parse(head)
            && place.line > 0
        {
            return Some((place, line.get(end + 2..)?));
        }
        from = end + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_split_from_its_message() {
        let (place, rest) = leading("a dir/x: y.c:12:5: missed: a: b").unwrap();
        assert_eq!(place, SourcePosition { file: "a dir/x: y.c".to_string(), line: 12, column: 5 });
        assert_eq!(rest, "missed: a: b");
        assert_eq!(
            leading("x.c:7: note: z").unwrap().0,
            SourcePosition { file: "x.c".to_string(), line: 7, column: 0 }
        );
        assert!(leading("no place here").is_none());
        assert!(leading("x.c:99999999999:1: z").is_none());
    }
}
