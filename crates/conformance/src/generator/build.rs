//! Executables of many scenarios.

use super::layout::{self, Addresses};
use super::model::{Level, Scenario};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const DRIVER: &str = include_str!("../../programs/generated/driver.c");
const ENTER: &str = include_str!("../../programs/generated/enter.S");

/// The kind of an executable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// At a fixed address, with shared libraries.
    #[default]
    Fixed,
    /// At a fixed address, without shared libraries.
    Static,
    /// Can be loaded anywhere.
    Pie,
    /// Likewise, without shared libraries.
    StaticPie,
}

impl Kind {
    /// Whether its code can be loaded anywhere.
    pub fn is_relative(self) -> bool {
        matches!(self, Self::Pie | Self::StaticPie)
    }

    fn flag(self) -> &'static str {
        match self {
            Self::Fixed => "-no-pie",
            Self::Static => "-static",
            Self::Pie => "-pie",
            Self::StaticPie => "-static-pie",
        }
    }
}

/// The parts that are the same in all executables, compiled once.
pub struct Workshop {
    folder: PathBuf,
    level: Level,
    kind: Kind,
}

impl Workshop {
    /// Compiles the driver into a folder.
    ///
    /// # Errors
    /// When gcc is absent or fails.
    pub fn open(folder: &Path, level: Level, kind: Kind) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let number = match level {
            Level::Sse2 => 0,
            Level::Avx2 => 1,
            Level::Avx512 => 2,
        };
        write(&folder.join("driver.c"), DRIVER)?;
        write(&folder.join("enter.S"), ENTER)?;
        gcc(
            folder,
            &[
                "-O1",
                if kind.is_relative() { "-fPIE" } else { "-fno-pie" },
                "-c",
                "driver.c",
                "-o",
                "driver.o",
            ],
        )?;
        gcc(folder, &["-c", &format!("-Wa,--defsym,LEVEL={number}"), "enter.S", "-o", "enter.o"])?;
        Ok(Self { folder: folder.to_owned(), level, kind })
    }

    /// Builds an executable of these scenarios; each number makes names and lines of the output its own.
    ///
    /// # Errors
    /// When the assembler or the linker fails, which is a defect of the generator.
    pub fn build(
        &self,
        name: &str,
        scenarios: &[(&Scenario, usize)],
        addresses: Addresses,
    ) -> Result<PathBuf> {
        debug_assert!(scenarios.iter().all(|(s, _)| s.level <= self.level));
        let mut text = String::new();
        for (scenario, number) in scenarios {
            text.push_str(&layout::scenario(scenario, *number, addresses));
        }
        text.push_str(&layout::table(scenarios, addresses));
        let source = format!("{name}.s");
        write(&self.folder.join(&source), &text)?;
        let object = format!("{name}.o");
        gcc(&self.folder, &["-c", &source, "-o", &object])?;
        gcc(
            &self.folder,
            &[
                self.kind.flag(),
                "-pthread",
                "-Wl,-z,noexecstack",
                "-Wl,--no-warn-rwx-segments",
                "driver.o",
                "enter.o",
                &object,
                "-o",
                name,
            ],
        )?;
        std::fs::remove_file(self.folder.join(&object)).ok();
        Ok(self.folder.join(name))
    }
}

/// The highest level that this machine has.
pub fn level_here() -> Level {
    if is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("adx")
    {
        Level::Avx512
    } else if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("adx")
    {
        Level::Avx2
    } else {
        Level::Sse2
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn gcc(folder: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new("gcc").current_dir(folder).args(arguments).output();
    let output = output.context("cannot run gcc; install it")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first: Vec<&str> = said.lines().take(12).collect();
        bail!("gcc {} failed in {}:\n{}", arguments.join(" "), folder.display(), first.join("\n"));
    }
    Ok(())
}
