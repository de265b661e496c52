//! The rank of a process in a parallel job, from its launcher's environment variables.
//!
//! Sources: Open MPI FAQ "running" (OMPI_*), MPICH Hydra and Intel MPI (PMI_*), MVAPICH2 user guide (MV2_*),
//! `srun(1)` "OUTPUT ENVIRONMENT VARIABLES" (SLURM_*), PMIx standard (PMIX_*), IBM jsrun (JSM_*), Cray PALS
//! (PALS_*). The input is only a map of variables, so that every launcher can be tested here.

use crate::recording::Rank;

/// One launcher: its name, the variables of rank and size, and those whose values together name the job.
struct Launcher {
    name: &'static str,
    rank: &'static str,
    size: &'static str,
    job: &'static [&'static str],
}

/// In order of preference: an MPI library's own variables before the batch system's, because a single
/// `srun` task may start a whole `mpirun` whose ranks all inherit SLURM_PROCID.
const LAUNCHERS: &[Launcher] = &[
    Launcher {
        name: "openmpi",
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid"],
    },
    Launcher {
        name: "mvapich2",
        rank: "MV2_COMM_WORLD_RANK",
        size: "MV2_COMM_WORLD_SIZE",
        job: &["PMI_JOBID", "PMI_ID_JOB", "MPIRUN_ID"],
    },
    Launcher {
        name: "jsm",
        rank: "JSM_NAMESPACE_RANK",
        size: "JSM_NAMESPACE_SIZE",
        job: &["JSM_NAMESPACE", "LSB_JOBID"],
    },
    Launcher { name: "pals", rank: "PALS_RANKID", size: "PALS_SIZE", job: &["PALS_APID"] },
    Launcher {
        name: "mpich",
        rank: "PMI_RANK",
        size: "PMI_SIZE",
        job: &["PMI_JOBID", "HYDI_CONTROL_FD", "PMI_PORT", "PMI_FD"],
    },
    Launcher {
        name: "slurm",
        rank: "SLURM_PROCID",
        size: "SLURM_NTASKS",
        job: &["SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID", "SLURM_STEPID"],
    },
    Launcher { name: "pmix", rank: "PMIX_RANK", size: "PMIX_SIZE", job: &["PMIX_NAMESPACE"] },
];

/// The rank from these environment variables, if a launcher set them.
///
/// A launcher with a wrong size (a rank not below it) is ignored. `SLURM_PROCID` alone is set in every batch
/// script as well (rank 0 of `SLURM_NTASKS`), so that it counts only inside a step (`SLURM_STEP_ID` or
/// `SLURM_STEPID`).
pub fn from_environment<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Option<Rank> {
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
        let parts: Vec<&str> = if launcher.name == "slurm" {
            [
                variable("SLURM_JOB_ID").or_else(|| variable("SLURM_JOBID")),
                variable("SLURM_STEP_ID").or_else(|| variable("SLURM_STEPID")),
            ]
            .into_iter()
            .flatten()
            .collect()
        } else {
            launcher.job.iter().find_map(|name| variable(name)).into_iter().collect()
        };
        Some(Rank { rank, size, launcher: launcher.name.to_owned(), job: parts.join(".") })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(variables: &[(&str, &'static str)]) -> Option<Rank> {
        from_environment(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| *value))
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
