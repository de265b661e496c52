//! Gives the shared library its SONAME: programs load the version that they were built for, not any.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = |part: &str| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    // Before 1.0 every minor version may change the interface.
    let interface = match version("MAJOR").as_str() {
        "0" => format!("0.{}", version("MINOR")),
        major => major.to_owned(),
    };
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libloopwright_kernels.so.{interface}");
    }
}
