//! The nodes of a job and their names: as the user says, else as the Slurm job has them in which this runs (sbatch(1), "Output
//! environment variables").

use crate::args::Cores;
use loopwright_placement::hosts::{self, ListError};
use loopwright_placement::{Nodes, NodesError, Placement};

/// Ranks that a node can hold, where Slurm says it: what was asked for each node, what each node has.
const CORES: [&str; 4] =
    ["SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE", "SLURM_CPUS_ON_NODE"];
/// The number of nodes; the second name is the older one.
const NODES: [&str; 2] = ["SLURM_JOB_NUM_NODES", "SLURM_NNODES"];
/// The names of the nodes.
const HOSTS: &str = "SLURM_JOB_NODELIST";

/// The nodes that a job has.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    pub nodes: Nodes,
    /// Their names.
    pub hosts: Vec<String>,
    /// Where the names are from.
    pub source: Source,
}

/// Where names of nodes are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of the user.
    Given,
    /// The Slurm job.
    Slurm,
    /// Numbers.
    Numbered,
}

/// Why the nodes of a job are not known.
#[derive(Debug, PartialEq, Eq)]
pub enum Unknown {
    Nodes,
    Cores { nodes: usize },
    Differ { nodes: usize, hosts: usize },
    Fewer { nodes: usize, numbers: usize },
    Sizes(NodesError),
    Slurm { name: &'static str, cause: ListError },
    Crowded { host: String, ranks: u32, cores: u32 },
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes => write!(
                f,
                "the number of nodes is not known outside a Slurm job; give it with --nodes and --cores"
            ),
            Self::Cores { nodes } => {
                write!(
                    f,
                    "how many ranks each of the {nodes} nodes can hold is not known; give it with --cores"
                )
            }
            Self::Differ { nodes, hosts } => {
                write!(f, "there are {nodes} nodes and {hosts} names of hosts; give as many of both")
            }
            Self::Fewer { nodes, numbers } => {
                write!(
                    f,
                    "--cores has {numbers} numbers for {nodes} nodes; give one number, or one for each node"
                )
            }
            Self::Sizes(cause) => write!(f, "{cause}"),
            Self::Slurm { name, cause } => write!(f, "{name}: {cause}; give --nodes, --cores and --hosts"),
            Self::Crowded { host, ranks, cores } => {
                write!(
                    f,
                    "{host} has {ranks} ranks now, more than its {cores} cores; check --current and --cores"
                )
            }
        }
    }
}

impl Job {
    /// The nodes of a job of `ranks` ranks: what the user gave, then what `environment` says.
    pub fn find(
        ranks: u32,
        nodes: Option<u32>,
        cores: Option<&Cores>,
        named: Option<Vec<String>>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Unknown> {
        let list = cores.map(|cores| cores.0.as_slice()).filter(|cores| cores.len() > 1);
        let by_user =
            nodes.map(|nodes| nodes as usize).or(named.as_ref().map(Vec::len)).or(list.map(<[u32]>::len));
        let by_slurm = || NODES.iter().find_map(|name| environment(name)?.trim().parse::<usize>().ok());
        let count = by_user.or_else(by_slurm).ok_or(Unknown::Nodes)?;
        let each = match cores {
            Some(cores) => {
                spread(&cores.0, count).ok_or(Unknown::Fewer { nodes: count, numbers: cores.0.len() })?
            }
            None => slurm_cores(ranks, count, environment)?,
        };
        let nodes = Nodes::new(each).map_err(Unknown::Sizes)?;
        let (hosts, source) = match (named, environment(HOSTS)) {
            (Some(named), _) => (named, Source::Given),
            // Names of other nodes than those that the user counts are of no use.
            (None, Some(list)) => {
                let all = hosts::expand(&list).map_err(|cause| Unknown::Slurm { name: HOSTS, cause })?;
                if all.len() == count { (all, Source::Slurm) } else { numbered(count) }
            }
            (None, None) => numbered(count),
        };
        if hosts.len() != count {
            return Err(Unknown::Differ { nodes: count, hosts: hosts.len() });
        }
        Ok(Self { nodes, hosts, source })
    }

    /// The nodes of a placement that the user gave, with their names.
    pub fn of_placement(
        placement: &Placement,
        mut hosts: Vec<String>,
        nodes: Option<u32>,
        cores: Option<&Cores>,
    ) -> Result<Self, Unknown> {
        if let Some(count) = nodes.map(|nodes| nodes as usize).filter(|count| *count != hosts.len()) {
            return Err(Unknown::Differ { nodes: count, hosts: hosts.len() });
        }
        let held = placement.occupied(hosts.len());
        if let Some(cores) = cores {
            let each = spread(&cores.0, hosts.len())
                .ok_or(Unknown::Fewer { nodes: hosts.len(), numbers: cores.0.len() })?;
            let crowded = (0..held.len()).find(|node| held[*node] > each[*node]);
            if let Some(node) = crowded {
                let host = std::mem::take(&mut hosts[node]);
                return Err(Unknown::Crowded { host, ranks: held[node], cores: each[node] });
            }
        }
        Ok(Self { nodes: Nodes::new(held).map_err(Unknown::Sizes)?, hosts, source: Source::Given })
    }
}

/// One number for each of `nodes` nodes.
fn spread(numbers: &[u32], nodes: usize) -> Option<Vec<u32>> {
    match numbers {
        [one] => Some(vec![*one; nodes]),
        all => (all.len() == nodes).then(|| all.to_vec()),
    }
}

/// What the first of Slurm's variables says by which the ranks fit.
fn slurm_cores(
    ranks: u32,
    nodes: usize,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<u32>, Unknown> {
    let mut found = None;
    for name in CORES {
        let Some(text) = environment(name) else { continue };
        let numbers = hosts::repeated(&text).map_err(|cause| Unknown::Slurm { name, cause })?;
        let Some(each) = spread(&numbers, nodes) else { continue };
        let slots: u64 = each.iter().map(|cores| u64::from(*cores)).sum();
        if slots >= u64::from(ranks) {
            return Ok(each);
        }
        found = Some(each);
    }
    // The largest that there is: that the ranks do not fit is said later.
    found.ok_or(Unknown::Cores { nodes })
}

fn numbered(nodes: usize) -> (Vec<String>, Source) {
    ((1..=nodes).map(|number| format!("node{number}")).collect(), Source::Numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(
        ranks: u32,
        nodes: Option<u32>,
        cores: Option<&[u32]>,
        slurm: &[(&str, &str)],
    ) -> Result<Job, Unknown> {
        let environment =
            |name: &str| slurm.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
        Job::find(ranks, nodes, cores.map(|all| Cores(all.to_vec())).as_ref(), None, &environment)
    }

    #[test]
    fn a_slurm_job_says_what_it_has() {
        let slurm =
            [("SLURM_NNODES", "3"), ("SLURM_TASKS_PER_NODE", "4(x2),2"), ("SLURM_JOB_NODELIST", "n[1-2],m")];
        let job = find(10, None, None, &slurm).unwrap();
        assert_eq!((job.nodes.cores(), job.source), ([4, 4, 2].as_slice(), Source::Slurm));
        assert_eq!(job.hosts, ["n1", "n2", "m"]);
        // One task was asked for, and the processors are there.
        let slurm =
            [("SLURM_JOB_NUM_NODES", "2"), ("SLURM_TASKS_PER_NODE", "1(x2)"), ("SLURM_CPUS_ON_NODE", "8")];
        assert_eq!(find(16, None, None, &slurm).unwrap().nodes.cores(), [8, 8]);
        // What the user gives is first; the names are those of other nodes then.
        let job = find(10, Some(2), Some(&[5]), &slurm).unwrap();
        assert_eq!((job.nodes.cores(), job.hosts.join(" ")), ([5, 5].as_slice(), "node1 node2".to_owned()));
    }

    #[test]
    fn what_is_not_known_is_asked_for() {
        assert_eq!(find(4, None, None, &[]), Err(Unknown::Nodes));
        assert_eq!(find(4, Some(2), None, &[]), Err(Unknown::Cores { nodes: 2 }));
        assert_eq!(find(4, Some(3), Some(&[2, 2]), &[]), Err(Unknown::Fewer { nodes: 3, numbers: 2 }));
        assert_eq!(find(4, None, Some(&[2, 2]), &[]).unwrap().nodes.len(), 2);
        let wrong = find(4, Some(1), Some(&[4]), &[("SLURM_JOB_NODELIST", "n[")]).unwrap_err();
        assert!(wrong.to_string().starts_with("SLURM_JOB_NODELIST: `n[` is no list"), "{wrong}");
    }
}
