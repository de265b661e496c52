//! `loopwright job`: runs a job once for each thing that is to be known of it, each time with another collector in front of its
//! program, and shows the whole.
//!
//! A rank can join its job only once: the launcher has to run as often as there are collections. What is worth a run after the survey
//! is decided here, once for all ranks.

use crate::args::{Cli, ColourChoice, HERE, JobArgs, JobRun};
use crate::failure::Failure;
use crate::gathering::LATEST;
use crate::input::Input;
use crate::interrupt::{self, INTERRUPTED};
use crate::state;
use crate::terminal::{Console, print, style};
use loopwright_analysis::job::steps;
use loopwright_analysis::model::{JobCollection, JobStep};
use loopwright_launch::Interruptions;
use loopwright_report::json;
use loopwright_report::names::printable;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Programs that start the ranks of a job. What they run must be known: a collector in front of them would see them alone.
const LAUNCHERS: [&str; 14] = [
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "mpiexec.mpich",
    "mpiexec.openmpi",
    "mpirun.mpich",
    "mpirun.openmpi",
    "mpirun_rsh",
    "orterun",
    "prterun",
    "srun",
    "jsrun",
    "aprun",
    "prun",
];

/// Between two looks at a run that goes on.
const PAUSE: Duration = Duration::from_millis(20);

pub fn run(cli: &Cli, args: &JobArgs, console: &Console) -> Result<u8, Failure> {
    // A shell that a batch system started as its only task (`srun --pty bash`) may start a job.
    if crate::ranks::own().is_some_and(|rank| rank.size > 1) {
        return Err(Failure::misuse(
            "`loopwright job` starts the launcher itself: put it in front of the launcher, and {} in front of the program, as in \
             `loopwright job -- mpirun -n 4 {} ./solver`",
        ));
    }
    let template = Template::of(&args.command)?;
    let collector = Collector::new(cli, args)?;
    interrupt::install()?;
    let mut input = Input::own();
    let asked = |run: JobRun| args.runs.is_empty() || args.runs.contains(&run);
    let mut waiting: Vec<JobRun> = match args.runs.as_slice() {
        [] => vec![JobRun::Survey],
        runs => runs.to_vec(),
    };
    waiting.reverse();
    let (mut made, mut planned) = (0, !args.runs.is_empty());
    while let Some(run) = waiting.pop() {
        if made > 0 && !input.again() {
            console.note("standard input cannot be read again, so nothing more is collected; give it from a file (`< file`)");
            break;
        }
        console.note(&format!("collecting: {}", verb(run)));
        let (status, interrupted) = follow(template.start(&collector.command(run))?)?;
        made += 1;
        if interrupted {
            console.note("interrupted; what was collected until then is kept");
            break;
        }
        if !status.success() {
            let how = format!("`{}` did not end well ({status})", template.shown());
            if run == JobRun::Survey || made == 1 {
                return Err(anyhow::anyhow!("{how}; nothing more is collected").into());
            }
            console.note(&format!("{how}: {} is missing", verb(run)));
        }
        if !planned {
            planned = true;
            let steps = steps(&state::load(cli, LATEST)?.analysis);
            console.note(&plan(&steps));
            let worth = steps.iter().filter(|step| step.worth).map(|step| job_run(step.collection));
            waiting = worth.filter(|run| *run != JobRun::Survey && asked(*run)).collect();
            waiting.reverse();
        }
    }
    let loaded = state::load(cli, LATEST)?.with_network();
    let text = match args.json {
        true => json::document("job", &loaded.analysis.job)?,
        false => {
            let (analysis, all) = (&loaded.analysis, args.all || cli.verbose);
            // Where neither was worth a run, the computation is all that there is to say.
            let shown =
                if analysis.job.is_some() { loopwright_report::job } else { loopwright_report::advice };
            shown(analysis, loaded.recommendations(), all, &style(cli))
        }
    };
    print(&text)?;
    Ok(0)
}

/// The command, with the places of the collector.
struct Template<'a>(Vec<&'a [OsString]>);

impl<'a> Template<'a> {
    fn of(command: &'a [OsString]) -> Result<Self, Failure> {
        let parts: Vec<&[OsString]> = command.split(|word| word == HERE).collect();
        if parts.len() > 1 {
            return match parts[1..].iter().any(|program| program.is_empty()) {
                true => Err(Failure::misuse(format!("no program follows {HERE}"))),
                false => Ok(Self(parts)),
            };
        }
        let launcher = command.first().map(Path::new).and_then(Path::file_name).and_then(OsStr::to_str);
        match launcher.filter(|name| LAUNCHERS.contains(name)) {
            Some(launcher) => Err(Failure::misuse(format!(
                "which argument of {launcher} is the program? Put {HERE} in front of it, as in `loopwright job -- {launcher} -n 4 \
                 {HERE} ./solver`"
            ))),
            None => Ok(Self(vec![&[], command])),
        }
    }

    fn with(&self, collector: &[OsString]) -> Command {
        let words = self.0.join(collector);
        let (first, others) =
            words.split_first().map_or((OsStr::new(""), &[][..]), |(f, o)| (f.as_os_str(), o));
        let mut command = Command::new(first);
        command.args(others);
        command
    }

    fn start(&self, collector: &[OsString]) -> Result<Child, Failure> {
        let mut command = self.with(collector);
        Ok(command.spawn().map_err(|e| anyhow::anyhow!("{}: {e}", self.shown()))?)
    }

    /// What a user recognises it by.
    fn shown(&self) -> String {
        let first = self.0.iter().copied().flatten().next();
        printable(&first.map(|word| word.to_string_lossy()).unwrap_or_default()).into_owned()
    }
}

/// What all runs of the collector have in common.
struct Collector<'a> {
    tool: PathBuf,
    /// Ranks may begin in another folder.
    experiment: PathBuf,
    cli: &'a Cli,
    args: &'a JobArgs,
}

impl<'a> Collector<'a> {
    fn new(cli: &'a Cli, args: &'a JobArgs) -> Result<Self, Failure> {
        let absolute =
            |path: &Path| std::path::absolute(path).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()));
        let tool = std::env::current_exe().map_err(|e| anyhow::anyhow!("the tool's own file: {e}"))?;
        Ok(Self { tool, experiment: absolute(&cli.experiment)?, cli, args })
    }

    fn command(&self, run: JobRun) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.tool.clone().into(), "--experiment".into()];
        words.push(self.experiment.clone().into());
        if self.cli.quiet {
            words.push("--quiet".into());
        }
        let colour = match self.cli.color {
            ColourChoice::Auto => "auto",
            ColourChoice::Always => "always",
            ColourChoice::Never => "never",
        };
        words.extend(["--color".into(), colour.into()]);
        for root in &self.cli.source_root {
            words.extend(["--source-root".into(), root.clone().into()]);
        }
        words.extend([verb(run).into(), "--collect-only".into()]);
        if let Some(ranks) = &self.args.ranks {
            words.extend(["--ranks".into(), ranks.to_string().into()]);
        }
        if self.args.barriers && run == JobRun::Comm {
            words.push("--barriers".into());
        }
        for folder in &self.args.debug_dir {
            words.extend(["--debug-dir".into(), folder.clone().into()]);
        }
        words.push("--".into());
        words
    }
}

/// Waits until a run has ended, and says whether it was interrupted.
fn follow(mut child: Child) -> Result<(ExitStatus, bool), Failure> {
    let mut interruptions = Interruptions::new(Some(&INTERRUPTED), i32::try_from(child.id())?);
    loop {
        if let Some(status) = child.try_wait()? {
            // A terminal's Ctrl-C may have ended it before it was seen here.
            return Ok((status, interruptions.any() || INTERRUPTED.load(Ordering::SeqCst)));
        }
        interruptions.heed(Vec::new);
        std::thread::sleep(PAUSE);
    }
}

/// The verb that makes a run.
fn verb(run: JobRun) -> &'static str {
    match run {
        JobRun::Survey => "survey",
        JobRun::Tripcounts => "tripcounts",
        JobRun::Comm => "comm",
        JobRun::Io => "io",
        JobRun::Heap => "heap",
    }
}

fn job_run(collection: JobCollection) -> JobRun {
    match collection {
        JobCollection::Survey => JobRun::Survey,
        JobCollection::Tripcounts => JobRun::Tripcounts,
        JobCollection::Comm => JobRun::Comm,
        JobCollection::Io => JobRun::Io,
        JobCollection::Heap => JobRun::Heap,
    }
}

/// What comes after the survey, and what does not, in words.
fn plan(steps: &[JobStep]) -> String {
    let of = |worth: bool| {
        let chosen =
            steps.iter().filter(|step| step.worth == worth && step.collection != JobCollection::Survey);
        let words = chosen.map(|step| {
            let seen = step.seen.map_or_else(String::new, |share| format!(" ({:.1} % seen)", 100.0 * share));
            format!("{}{seen}", verb(job_run(step.collection)))
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let (next, left) = (of(true), of(false));
    match left.is_empty() {
        true => format!("the job runs again for: {next}"),
        false => format!("the job runs again for: {next}; not worth a run: {left} (`--runs` chooses)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn with(command: &str) -> Result<String, String> {
        let command = words(command);
        let template = Template::of(&command).map_err(|failure| failure.to_string())?;
        let made = template.with(&words("loopwright survey --"));
        let all = std::iter::once(made.get_program()).chain(made.get_args());
        Ok(all.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn the_collector_is_put_where_the_program_begins() {
        let found = with("mpirun -n 4 {} ./a {x}");
        assert_eq!(found.as_deref(), Ok("mpirun -n 4 loopwright survey -- ./a {x}"));
        assert_eq!(with("./a in").as_deref(), Ok("loopwright survey -- ./a in"));
        assert!(
            with("/usr/bin/mpiexec.hydra -n 4 ./a").unwrap_err().contains("mpiexec.hydra -n 4 {} ./solver")
        );
        let found = with("mpirun -n 1 {} ./a : -n 3 {} ./b");
        assert_eq!(
            found.as_deref(),
            Ok("mpirun -n 1 loopwright survey -- ./a : -n 3 loopwright survey -- ./b")
        );
        assert!(with("mpirun -n 4 {}").is_err() && with("mpirun {} ./a : {}").is_err());
    }
}
