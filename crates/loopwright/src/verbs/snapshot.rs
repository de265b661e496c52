//! `loopwright snapshot`: a name for the latest state.

use crate::args::{Cli, SnapshotArgs};
use crate::failure::Failure;
use crate::state;
use crate::terminal::Console;
use loopwright_instrument::facts::Counts;
use loopwright_sample::recording::Recording;

pub fn run(cli: &Cli, args: &SnapshotArgs, console: &Console) -> Result<u8, Failure> {
    let reserved = args.name == "latest" || args.name.starts_with("run:") || args.name.trim().is_empty();
    if reserved {
        return Err(Failure::misuse(format!("`{}` cannot name a snapshot; choose another name", args.name)));
    }
    let taken = state::open(&cli.experiment)?.take_snapshot(&args.name)?;
    let state = &taken.state;
    console.note(&format!(
        "snapshot `{}` holds {} survey run(s) and {} counting run(s)",
        taken.name,
        state.of::<Recording>().len(),
        state.of::<Counts>().len()
    ));
    Ok(0)
}
