//! The rank of a process in a parallel job, from its launcher's environment variables.
//!
//! Sources: Open MPI FAQ "running" (OMPI_*), MPICH Hydra and Intel MPI (PMI_*), MVAPICH2 user guide (MV2_*),
//! `srun(1)` "OUTPUT ENVIRONMENT VARIABLES" (SLURM_*), PMIx standard (PMIX_*), IBM jsrun (JSM_*), Cray PALS
//! (PALS_*). The input is only a map of variables and the command lines of parents, so that every launcher can be tested here.

use crate::recording::Rank;
use std::ffi::OsString;
use std::path::Path;

/// One launcher: its name, the variables of rank, size and rank on the node, and those whose values name the job.
struct Launcher {
    name: &'static str,
    rank: &'static str,
    size: &'static str,
    local: &'static [&'static str],
    job: &'static [&'static str],
}

/// In order of preference: an MPI library's own variables before the batch system's, because a single
/// `srun` task may start a whole `mpirun` whose ranks all inherit SLURM_PROCID.
const LAUNCHERS: &[Launcher] = &[
    Launcher {
        name: "openmpi",
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid"],
    },
    Launcher {
        name: "mvapich2",
        rank: "MV2_COMM_WORLD_RANK",
        size: "MV2_COMM_WORLD_SIZE",
        local: &["MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"],
        job: &["PMI_JOBID", "PMI_ID_JOB", "MPIRUN_ID"],
    },
    Launcher {
        name: "jsm",
        rank: "JSM_NAMESPACE_RANK",
        size: "JSM_NAMESPACE_SIZE",
        local: &["JSM_NAMESPACE_LOCAL_RANK"],
        job: &["JSM_NAMESPACE", "LSB_JOBID"],
    },
    Launcher {
        name: "pals",
        rank: "PALS_RANKID",
        size: "PALS_SIZE",
        local: &["PALS_LOCAL_RANKID"],
        job: &["PALS_APID"],
    },
    Launcher {
        name: MPICH,
        rank: "PMI_RANK",
        size: "PMI_SIZE",
        local: &["MPI_LOCALRANKID", "PALS_LOCAL_RANKID", "SLURM_LOCALID"],
        job: &["PMI_JOBID"],
    },
    Launcher {
        name: "slurm",
        rank: "SLURM_PROCID",
        size: "SLURM_NTASKS",
        local: &["SLURM_LOCALID"],
        job: &[],
    },
    Launcher {
        name: "pmix",
        rank: "PMIX_RANK",
        size: "PMIX_SIZE",
        local: &["PMIX_LOCAL_RANK", "SLURM_LOCALID"],
        job: &["PMIX_NAMESPACE"],
    },
];

/// Hydra's ranks know their job only through a descriptor, whose number (HYDI_CONTROL_FD, PMI_FD) is the same in every job.
const MPICH: &str = "mpich";

/// This process's rank, if a launcher started it.
pub fn own() -> Option<Rank> {
    of(&[])
}

/// The same with these variables added to those of this process.
pub fn of(added: &[(OsString, OsString)]) -> Option<Rank> {
    let variables = environment(added);
    let value =
        |name: &str| variables.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    from_environment(value, || control_port(&ancestors()))
}

/// The rank among those of this process's node, where the launcher says it.
pub fn own_on_node() -> Option<u32> {
    let variables = environment(&[]);
    on_node(|name| variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()))
}

fn environment(added: &[(OsString, OsString)]) -> Vec<(String, String)> {
    let all = std::env::vars_os().chain(added.iter().cloned());
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

/// Parents that are asked: a rank may be started by a script, or by another tool, of its launcher.
const GENERATIONS: usize = 8;

/// The command lines of this process's parents, the nearest first.
fn ancestors() -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut pid = parent(std::process::id());
    while let Some(next) = pid.filter(|&pid| pid > 1 && lines.len() < GENERATIONS) {
        let words =
            std::fs::read(Path::new("/proc").join(next.to_string()).join("cmdline")).unwrap_or_default();
        lines.push(
            words.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect(),
        );
        pid = parent(next);
    }
    lines
}

/// proc(5): the fourth field of `stat`; the second one, in parentheses, may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Where the proxies of one `mpiexec.hydra` report to: `hydra_pmi_proxy --control-port HOST:PORT`, the same on every node.
fn control_port(parents: &[Vec<String>]) -> Option<String> {
    const OPTION: &str = "--control-port";
    parents.iter().find_map(|words| {
        let proxy = words.first()?.rsplit('/').next()?;
        let at = words.iter().position(|word| word == OPTION).filter(|_| proxy.contains("proxy"))?;
        words.get(at + 1).filter(|port| !port.is_empty()).cloned()
    })
}

/// Job and step of Slurm, as far as they are known.
fn slurm_step<'a>(variable: &impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let job = variable("SLURM_JOB_ID").or_else(|| variable("SLURM_JOBID"));
    let step = variable("SLURM_STEP_ID").or_else(|| variable("SLURM_STEPID"));
    let parts: Vec<&str> = job.into_iter().chain(step).collect();
    (!parts.is_empty()).then(|| parts.join("."))
}

/// The rank on its node from these environment variables: that of the launcher which says the rank.
pub fn on_node<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Option<u32> {
    let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
    let launcher = LAUNCHERS.iter().find(|launcher| number(launcher.rank).is_some())?;
    launcher.local.iter().find_map(|name| number(name))
}

/// The rank from these environment variables, if a launcher set them; `control_port` is asked for the port that names a job of
/// MPICH.
///
/// A launcher with a wrong size (a rank not below it) is ignored. `SLURM_PROCID` alone is set in every batch
/// script as well (rank 0 of `SLURM_NTASKS`), so that it counts only inside a step (`SLURM_STEP_ID` or
/// `SLURM_STEPID`).
pub fn from_environment<'a>(
    variable: impl Fn(&str) -> Option<&'a str>,
    control_port: impl Fn() -> Option<String>,
) -> Option<Rank> {
    LAUNCHERS.iter().find_map(|launcher| {
        let number = |name| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
        let rank = number(launcher.rank)?;
        let size = number(launcher.size).or_else(|| {
            // PMIx reports the size through its client library only; SLURM repeats it for its steps.
            number("SLURM_STEP_NUM_TASKS")
        })?;
        if rank >= size {
            return None;
        }
        if launcher.name == "slurm"
            && variable("SLURM_STEP_ID").or_else(|| variable("SLURM_STEPID")).is_none()
        {
            return None;
        }
        let named = launcher.job.iter().find_map(|name| variable(name)).map(str::to_owned);
        let job = match launcher.name {
            "slurm" => slurm_step(&variable),
            MPICH => named
                .or_else(&control_port)
                .or_else(|| slurm_step(&variable))
                .or_else(|| variable("PMI_PORT").map(str::to_owned)),
            _ => named,
        };
        Some(Rank { rank, size, launcher: launcher.name.to_owned(), job: job.unwrap_or_default() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(variables: &[(&str, &'static str)]) -> Option<Rank> {
        rank_under(variables, &[])
    }

    /// Under parents with these command lines.
    fn rank_under(variables: &[(&str, &'static str)], parents: &[&str]) -> Option<Rank> {
        let words = |line: &&str| line.split(' ').map(str::to_owned).collect();
        let parents: Vec<Vec<String>> = parents.iter().map(words).collect();
        let value = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        from_environment(value, || control_port(&parents))
    }

    fn expect(launcher: &str, rank: u32, size: u32, job: &str) -> Option<Rank> {
        Some(Rank { rank, size, launcher: launcher.to_owned(), job: job.to_owned() })
    }

    #[test]
    fn nothing_is_no_rank() {
        assert_eq!(rank(&[]), None);
        assert_eq!(rank(&[("PATH", "/bin"), ("OMPI_COMM_WORLD_RANK", "1")]), None);
    }

    #[test]
    fn open_mpi_4_and_5() {
        assert_eq!(
            rank(&[
                ("OMPI_COMM_WORLD_RANK", "3"),
                ("OMPI_COMM_WORLD_SIZE", "8"),
                ("OMPI_MCA_ess_base_jobid", "123456"),
            ]),
            expect("openmpi", 3, 8, "123456")
        );
        assert_eq!(
            rank(&[
                ("OMPI_COMM_WORLD_RANK", "0"),
                ("OMPI_COMM_WORLD_SIZE", "2"),
                ("PMIX_NAMESPACE", "prterun-host-77@1"),
                ("PMIX_RANK", "0"),
            ]),
            expect("openmpi", 0, 2, "prterun-host-77@1")
        );
    }

    #[test]
    fn hydra_and_mvapich() {
        assert_eq!(
            rank(&[("PMI_RANK", "1"), ("PMI_SIZE", "4"), ("PMI_JOBID", "kvs_9")]),
            expect("mpich", 1, 4, "kvs_9")
        );
        assert_eq!(
            rank(&[
                ("MV2_COMM_WORLD_RANK", "1"),
                ("MV2_COMM_WORLD_SIZE", "4"),
                ("PMI_RANK", "1"),
                ("PMI_SIZE", "4")
            ]),
            expect("mvapich2", 1, 4, "")
        );
    }

    /// The environment of every job of MPICH 4.0.2 is the same.
    #[test]
    fn jobs_of_hydra_are_told_apart_by_the_port_of_their_proxies() {
        let same = [("PMI_RANK", "1"), ("PMI_SIZE", "4"), ("HYDI_CONTROL_FD", "7"), ("PMI_FD", "8")];
        let proxy = "/usr/bin/hydra_pmi_proxy --control-port vm:32933 --rmk user --proxy-id 0";
        assert_eq!(rank_under(&same, &[proxy]), expect("mpich", 1, 4, "vm:32933"));
        // Behind a script; another option of another program is none.
        let script = ["sh -c x", "server --control-port 1", proxy];
        assert_eq!(rank_under(&same, &script), expect("mpich", 1, 4, "vm:32933"));
        for cut in ["/usr/bin/hydra_pmi_proxy --control-port", "hydra_pmi_proxy --control-port ", ""] {
            assert_eq!(rank_under(&same, &[cut]), expect("mpich", 1, 4, ""));
        }
        let step = [same[0], same[1], ("SLURM_JOB_ID", "9"), ("SLURM_STEP_ID", "0")];
        assert_eq!(rank_under(&step, &[]), expect("mpich", 1, 4, "9.0"));
        assert_eq!(rank_under(&step, &[proxy]), expect("mpich", 1, 4, "vm:32933"));
    }

    #[test]
    fn the_rank_on_the_node_is_that_of_the_same_launcher() {
        let local = |variables: &[(&str, &'static str)]| {
            on_node(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value))
        };
        let slurm = [("SLURM_PROCID", "5"), ("SLURM_LOCALID", "1")];
        assert_eq!(local(&slurm), Some(1));
        let mpi =
            [("OMPI_COMM_WORLD_RANK", "9"), ("OMPI_COMM_WORLD_LOCAL_RANK", "3"), ("SLURM_LOCALID", "0")];
        assert_eq!(local(&mpi), Some(3));
        assert_eq!(local(&[("PMI_RANK", "1"), ("MPI_LOCALRANKID", "1")]), Some(1));
        assert_eq!(local(&[("PMI_RANK", "1")]), None);
        assert_eq!(local(&[("SLURM_LOCALID", "0")]), None);
    }

    #[test]
    fn the_parents_of_a_process_are_found() {
        assert!(ancestors().iter().any(|words| words.first().is_some_and(|first| !first.is_empty())));
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()));
    }

    #[test]
    fn slurm_counts_inside_a_step_only() {
        let batch = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "16"), ("SLURM_JOB_ID", "4711")];
        assert_eq!(rank(&batch), None);
        assert_eq!(
            rank(&[
                ("SLURM_PROCID", "5"),
                ("SLURM_NTASKS", "16"),
                ("SLURM_JOB_ID", "4711"),
                ("SLURM_STEP_ID", "2")
            ]),
            expect("slurm", 5, 16, "4711.2")
        );
    }

    #[test]
    fn the_mpi_library_goes_before_the_batch_system() {
        assert_eq!(
            rank(&[
                ("SLURM_PROCID", "0"),
                ("SLURM_NTASKS", "1"),
                ("SLURM_STEP_ID", "0"),
                ("OMPI_COMM_WORLD_RANK", "7"),
                ("OMPI_COMM_WORLD_SIZE", "8"),
            ])
            .map(|found| found.rank),
            Some(7)
        );
    }

    #[test]
    fn nonsense_is_ignored() {
        assert_eq!(rank(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), None);
        assert_eq!(rank(&[("PMI_RANK", "-1"), ("PMI_SIZE", "4")]), None);
        assert_eq!(rank(&[("PMI_RANK", "one"), ("PMI_SIZE", "4")]), None);
    }
}
