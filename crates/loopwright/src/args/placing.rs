//! The arguments of `loopwright place`.

use clap::{Args, ValueEnum};
use loopwright_placement::hosts;
use loopwright_placement::launchers::Launcher;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Who sends how much to whom: lines `from,to,messages,bytes` (that line first), ranks counted from 0; by default the messages
    /// that `loopwright comm` counted.
    #[arg(long, value_name = "FILE")]
    pub matrix: Option<PathBuf>,
    /// Ranks of the job, where the last ones send and receive nothing.
    #[arg(long, value_name = "N")]
    pub ranks: Option<u32>,
    /// Nodes of the job; by default those of the Slurm job that this runs in.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub nodes: Option<u32>,
    /// Ranks that a node can hold: one number, or one for each node (16,16,8 or 16(x2),8); by default as the Slurm job has it.
    #[arg(long, value_name = "CORES", value_parser = cores)]
    pub cores: Option<Cores>,
    /// The nodes' names, one on each line; by default those of the Slurm job, else node1, node2, ...
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,
    /// Where ranks are now: `block` (node after node), `round-robin`, or a file with the host of rank i on line i, or of Open MPI's
    /// lines `rank i=host slot=k`.
    #[arg(long, value_name = "ORDER", default_value = "block")]
    pub current: Current,
    /// Write the proposed placement for these launchers.
    #[arg(long = "for", value_name = "LAUNCHER", value_enum, value_delimiter = ',')]
    pub launchers: Vec<LauncherChoice>,
    /// Folder for the files of `--for`.
    #[arg(long, value_name = "DIR", default_value = ".", requires = "launchers")]
    pub output: PathBuf,
    /// Bandwidth of a node's link in one direction, in GB/s: shows times beside the gains.
    #[arg(long, value_name = "GB/S", value_parser = bandwidth)]
    pub bandwidth: Option<f64>,
    /// Print JSON instead of the table.
    #[arg(long)]
    pub json: bool,
}

/// Cores of the nodes: one number for all, or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores(pub Vec<u32>);

/// Where ranks are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Current {
    Block,
    RoundRobin,
    File(PathBuf),
}

impl FromStr for Current {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "block" => Self::Block,
            "round-robin" => Self::RoundRobin,
            path => Self::File(path.into()),
        })
    }
}

/// Launchers by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LauncherChoice {
    /// Slurm: a host file for srun --distribution=arbitrary.
    Slurm,
    /// Open MPI: a rank file.
    Openmpi,
    /// Cray MPICH: MPICH_RANK_ORDER.
    Cray,
    /// SimGrid SMPI: a host file for smpirun.
    Smpi,
}

impl From<LauncherChoice> for Launcher {
    fn from(choice: LauncherChoice) -> Self {
        match choice {
            LauncherChoice::Slurm => Self::Slurm,
            LauncherChoice::Openmpi => Self::OpenMpi,
            LauncherChoice::Cray => Self::Cray,
            LauncherChoice::Smpi => Self::Smpi,
        }
    }
}

fn cores(text: &str) -> Result<Cores, String> {
    hosts::repeated(text).map(Cores).map_err(|error| error.to_string())
}

/// GB/s as bytes a second.
fn bandwidth(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1e6 => Ok(value * 1e9),
        _ => Err("a number of GB/s above 0 is wanted, such as 12.5".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_within_limits() {
        assert_eq!(bandwidth("12.5"), Ok(12.5e9));
        for wrong in ["", "0", "-1", "inf", "NaN", "1e9", "12,5"] {
            assert!(bandwidth(wrong).is_err(), "{wrong}");
        }
        assert_eq!(cores("16(x2),8"), Ok(Cores(vec![16, 16, 8])));
        assert!(cores("many").is_err());
        assert_eq!("round-robin".parse(), Ok(Current::RoundRobin));
        assert_eq!("./block".parse(), Ok(Current::File("./block".into())));
    }
}
