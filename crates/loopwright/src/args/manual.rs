//! Manual pages: the definition of the command line, and sections that it does not contain.

use super::Cli;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::io;
use std::path::Path;

/// The end of every page, in the language of manual pages.
const COMMON: &str = r#".SH "EXIT STATUS"
.TP
0
The verb succeeded. With \-\-propagate\-exit: the program ended with 0.
.TP
1
The verb failed, or \fBcheck\fR found a regression. Results collected before the failure are kept.
.TP
2
The command line is invalid: it names an unknown option, loop, state or reason.
.TP
other
With \-\-propagate\-exit the status of the program; 128 and the number of the signal that ended it.
.SH FILES
.TP
loopwright.lw
The experiment of the current folder: surveys, counts, traces, trials, remarks and snapshots. \-\-experiment names another one.
.TP
$XDG_CACHE_HOME/loopwright, or ~/.cache/loopwright
The machine's measured ceilings, and the commands of builds for \fBtry\fR.
.SH ENVIRONMENT
.TP
LOOPWRIGHT_EXPERIMENT
The experiment, where \-\-experiment is not given.
.TP
NO_COLOR
No colours, where \-\-color is not given.
.TP
COLUMNS
Width of tables, where standard output is not a terminal.
.TP
XDG_CACHE_HOME
Folder of the measured ceilings and of the commands of builds.
.TP
LOOPWRIGHT_COMPLETE
Set by the completion script of a shell.
"#;

/// Writes the pages of the command and of all its verbs into a folder.
pub fn write(folder: &Path) -> io::Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    pages(&command, folder)
}

fn pages(command: &Command, folder: &Path) -> io::Result<()> {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        pages(verb, folder)?;
    }
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    page.extend_from_slice(COMMON.as_bytes());
    std::fs::write(folder.join(man.get_filename()), page)
}
