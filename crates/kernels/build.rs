//! Warns of a build without optimisation: vector instructions are calls then, and a kernel takes up to a hundred times as long. A
//! library cannot set the profile of its users' builds.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo sets it to the profile's level.
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!(
            "cargo::warning=loopwright-kernels is compiled without optimisation and will be very slow; add to the \
             Cargo.toml of your workspace: [profile.dev.package.loopwright-kernels] opt-level = 3"
        );
    }
}
