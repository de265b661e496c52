//! PROGRAM: does not compile.
fn main() {
    let x: u32 = "text";
}
