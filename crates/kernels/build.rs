//! Warns of a build without optimisation: vector instructions are calls then, and a kernel takes some hundred times as long (150 times
//! for SHA-256 of eight messages, 1000 for Fletcher-4 on Zen 3). A library cannot set the profile of its users' builds.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo sets both to the profile's.
    let [profile, level] = ["PROFILE", "OPT_LEVEL"].map(|name| std::env::var(name).unwrap_or_default());
    // What is measured of one build does not hold for another.
    println!("cargo::rustc-env=LOOPWRIGHT_KERNELS_BUILD={profile} {level}");
    if level == "0" {
        for line in [
            "loopwright-kernels is compiled without optimisation and will be some hundred times as slow;",
            "add to the Cargo.toml of your workspace:",
            "    [profile.dev.package.loopwright-kernels]",
            "    opt-level = 2",
            "    debug = false",
        ] {
            println!("cargo::warning={line}");
        }
    }
}
