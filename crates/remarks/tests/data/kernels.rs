#![crate_type = "lib"]
#[no_mangle]
pub fn sum(a: &[f64]) -> f64 {
    let mut s = 0.0;
    for x in a {
        s += x;
    }
    s
}
#[no_mangle]
pub fn add(a: &mut [f32], b: &[f32]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += *y;
    }
}
