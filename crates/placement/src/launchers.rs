//! The files in which launchers read where ranks are to run.

use crate::nodes::Placement;

/// What starts the ranks.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Launcher {
    /// Slurm's `srun` with `--distribution=arbitrary`.
    Slurm,
    /// Open MPI's `mpirun`.
    OpenMpi,
    /// Cray MPICH.
    Cray,
    /// SimGrid's `smpirun`: the simulator.
    Smpi,
}

impl Launcher {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Slurm, Self::OpenMpi, Self::Cray, Self::Smpi];

    /// The name of its file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Slurm => "slurm.hosts",
            Self::OpenMpi => "openmpi.ranks",
            // Cray MPICH reads this name in the folder in which the program starts (intro_mpi(3)).
            Self::Cray => "MPICH_RANK_ORDER",
            Self::Smpi => "smpi.hosts",
        }
    }

    /// The text of its file. `hosts` has a name for each node.
    pub fn text(self, placement: &Placement, hosts: &[String]) -> String {
        match self {
            // srun(1), --distribution=arbitrary, and smpirun's -hostfile: line i is the host of rank i.
            Self::Slurm | Self::Smpi => {
                let host = |node: &u32| hosts.get(*node as usize).map_or("", String::as_str);
                placement.node_of().iter().map(|node| format!("{}\n", host(node))).collect()
            }
            Self::OpenMpi => rank_file(placement, hosts),
            Self::Cray => rank_order(placement, hosts.len()),
        }
    }

    /// The command that starts `program` so, with the file at `path`, which is quoted for a shell.
    pub fn command(self, path: &str, ranks: u32, nodes: usize, program: &str) -> String {
        match self {
            Self::Slurm => {
                format!(
                    "SLURM_HOSTFILE={path} srun --nodes={nodes} --ntasks={ranks} --distribution=arbitrary {program}"
                )
            }
            Self::OpenMpi => format!("mpirun -n {ranks} --rankfile {path} {program}"),
            Self::Cray => {
                format!("cp {path} . && MPICH_RANK_REORDER_METHOD=3 srun --ntasks={ranks} {program}")
            }
            Self::Smpi => format!("smpirun -np {ranks} -hostfile {path} -platform PLATFORM.xml {program}"),
        }
    }
}

/// mpirun(1), "Rankfiles": a slot is a core of the host; each rank gets one of its own.
fn rank_file(placement: &Placement, hosts: &[String]) -> String {
    let mut used = vec![0_u32; hosts.len()];
    let mut out = String::new();
    for (rank, node) in placement.node_of().iter().enumerate() {
        let (Some(host), Some(slot)) = (hosts.get(*node as usize), used.get_mut(*node as usize)) else {
            continue;
        };
        out.push_str(&format!("rank {rank}={host} slot={slot}\n"));
        *slot += 1;
    }
    out
}

/// intro_mpi(3) of Cray MPICH: the ranks in the order in which slots are filled, node after node. A line for each node.
fn rank_order(placement: &Placement, nodes: usize) -> String {
    let ranks = placement.ranks_of(nodes);
    let lines = ranks.iter().filter(|ranks| !ranks.is_empty()).map(|ranks| {
        let ranks: Vec<String> = ranks.iter().map(ToString::to_string).collect();
        ranks.join(",")
    });
    lines.collect::<Vec<_>>().join(",\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_launcher_has_its_form() {
        let placement = Placement::new(vec![0, 1, 1, 0]);
        let hosts = ["n1".to_owned(), "n2".to_owned()];
        let text = |launcher: Launcher| launcher.text(&placement, &hosts);
        assert_eq!(text(Launcher::Slurm), "n1\nn2\nn2\nn1\n");
        assert_eq!(text(Launcher::Smpi), text(Launcher::Slurm));
        assert_eq!(
            text(Launcher::OpenMpi),
            "rank 0=n1 slot=0\nrank 1=n2 slot=0\nrank 2=n2 slot=1\nrank 3=n1 slot=1\n"
        );
        assert_eq!(text(Launcher::Cray), "0,3,\n1,2\n");
    }

    #[test]
    fn commands_name_the_file() {
        let command = |launcher: Launcher| launcher.command("f", 4, 2, "./a");
        assert_eq!(
            command(Launcher::Slurm),
            "SLURM_HOSTFILE=f srun --nodes=2 --ntasks=4 --distribution=arbitrary ./a"
        );
        assert_eq!(command(Launcher::OpenMpi), "mpirun -n 4 --rankfile f ./a");
        assert_eq!(command(Launcher::Cray), "cp f . && MPICH_RANK_REORDER_METHOD=3 srun --ntasks=4 ./a");
        assert_eq!(command(Launcher::Smpi), "smpirun -np 4 -hostfile f -platform PLATFORM.xml ./a");
    }
}
