//! What starts the programs of a case on several ranks, as `[launch]` states it: an MPI's launcher, or a simulator of a cluster.
//!
//! An MPI is built for with its own compiler, which has one compiler behind it: such a case has one ladder.

use crate::compilers::{Compiler, FAMILIES, Family, ask};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// How the programs of a case are started.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Ranks of each program.
    pub ranks: u32,
    /// The description of a cluster, in the case's folder: SimGrid SMPI runs the ranks on it, and times are simulated ones.
    pub platform: Option<PathBuf>,
}

/// What is in front of a program's command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launcher {
    /// The launcher's command with its options.
    pub words: Vec<String>,
    /// Times that the program prints are simulated; how long the simulation takes says nothing about the program.
    pub simulated: bool,
}

/// An MPI that is installed here.
pub(crate) struct Mpi {
    /// The compiler for C, and what is behind it.
    pub(crate) family: Family,
    /// The launcher's own words about its version.
    pub(crate) version: String,
}

/// Variables without which Open MPI starts no ranks as root, or more of them than there are cores; other launchers ignore them.
pub(crate) const ENVIRONMENT: [(&str, &str); 3] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
];

/// Ranks from which on a case is a mistake: each is a process, or a thread of the simulator.
const MOST_RANKS: u32 = 4096;

impl Launch {
    /// Whether a simulator runs the ranks.
    pub fn is_simulated(&self) -> bool {
        self.platform.is_some()
    }

    /// What is wrong with it.
    pub(crate) fn fault(&self) -> Option<String> {
        let wrong = !(1..=MOST_RANKS).contains(&self.ranks);
        wrong.then(|| format!("[launch] has {} `ranks`: 1 to {MOST_RANKS}", self.ranks))
    }

    /// What is installed for it.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub(crate) fn installed(&self) -> Result<Mpi, String> {
        self.found(ask)
    }

    /// The same of what `ask` knows: a command and its version.
    fn found(&self, ask: impl Fn(&str) -> Option<Compiler>) -> Result<Mpi, String> {
        let [compiler, launcher, library, packages] = if self.is_simulated() {
            ["smpicc", "smpirun", "SimGrid SMPI", "libsimgrid-dev"]
        } else {
            ["mpicc", "mpirun", "an MPI", "openmpi-bin and libopenmpi-dev"]
        };
        let found = |command| {
            let missing =
                || format!("left out: {command} of {library} was not found; install it (Debian: {packages})");
            ask(command).ok_or_else(missing)
        };
        let (compiler, launcher) = (found(compiler)?, found(launcher)?);
        let [gcc, clang] = FAMILIES;
        let name = if compiler.version.contains(clang) { clang } else { gcc };
        let family = Family { name: name.into(), c: Some(compiler), cpp: None, fortran: None };
        Ok(Mpi { family, version: launcher.version })
    }

    /// What is in front of a program's command line; `folder` is that of the case, `hosts` the file in it that names the host of each
    /// rank.
    pub(crate) fn launcher(&self, hosts: Option<&Path>, folder: &Path) -> Launcher {
        let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let ranks = self.ranks.to_string();
        let Some(platform) = &self.platform else {
            return Launcher { words: text(&["mpirun", "-n", &ranks]), simulated: false };
        };
        let path = |path: &Path| folder.join(path).to_string_lossy().into_owned();
        let mut words = text(&["smpirun", "-np", &ranks, "-platform", &path(platform)]);
        if let Some(hosts) = hosts {
            words.extend(text(&["-hostfile", &path(hosts)]));
        }
        // The processor's own time would be that of this machine under its present load, shared by all ranks.
        words.extend(text(&["--cfg=smpi/simulate-computation:no", "--log=root.thres:critical"]));
        Launcher { words, simulated: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(platform: Option<&str>) -> Launch {
        Launch { ranks: 4, platform: platform.map(PathBuf::from) }
    }

    fn known(command: &str, version: &str) -> Option<Compiler> {
        Some(Compiler { command: command.into(), version: version.into() })
    }

    #[test]
    fn the_compiler_behind_the_mpi_names_the_family() {
        for (version, family) in [("gcc (Debian) 12.2.0", "gcc"), ("Debian clang version 14.0.6", "clang")] {
            let mpi = launch(None).found(|command| known(command, version)).unwrap();
            assert_eq!(mpi.family.name, family);
            assert_eq!(mpi.family.c.map(|compiler| compiler.command), Some("mpicc".into()));
        }
    }

    #[test]
    fn what_is_missing_is_said_in_one_line_with_what_to_install() {
        let without = |launch: Launch, missing: &str| {
            let found = launch.found(|command| known(command, "1.0").filter(|_| command != missing));
            found.err().unwrap()
        };
        for (platform, missing, package) in [
            (None, "mpicc", "libopenmpi-dev"),
            (None, "mpirun", "openmpi-bin"),
            (Some("cluster.xml"), "smpicc", "libsimgrid-dev"),
            (Some("cluster.xml"), "smpirun", "libsimgrid-dev"),
        ] {
            let text = without(launch(platform), missing);
            assert!(
                text.starts_with(&format!("left out: {missing} of ")) && text.contains(package),
                "{text}"
            );
            assert_eq!(text.lines().count(), 1);
        }
    }

    #[test]
    fn ranks_are_started_by_the_launcher_or_the_simulator() {
        let folder = Path::new("book/case");
        let real = launch(None).launcher(None, folder);
        assert_eq!((real.words.join(" ").as_str(), real.simulated), ("mpirun -n 4", false));
        let simulated = launch(Some("cluster.xml")).launcher(Some(Path::new("block.hosts")), folder);
        let words = simulated.words.join(" ");
        assert!(simulated.simulated);
        assert!(
            words.starts_with(
                "smpirun -np 4 -platform book/case/cluster.xml -hostfile book/case/block.hosts "
            ),
            "{words}"
        );
    }
}
