//! `loopwright tune --jobs slurm`: by a stand-in for the scheduler's commands, and by a real Slurm of two nodes where it is installed.

use crate::tool::Scratch;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SLOW: &str = "#include <stdio.h>
int main(void) {
    static double x[1000];
    double sum = 0;
    for (int k = 0; k < 20000; k++)
        for (int i = 0; i < 1000; i++) x[i] = x[i] * 0.5 + i + k;
    for (int i = 0; i < 1000; i++) sum += x[i];
    printf(\"%.17g\\n\", sum);
    return 0;
}
";

/// Runs the tasks of an array one after the other, as sbatch(1) would: the script is its standard input.
const STAND_IN: &str = r#"#!/bin/sh
for word in "$@"; do
    case "$word" in
    --array=0-*) last=${word#--array=0-} ;;
    --output=*) log=${word#--output=} ;;
    --partition=none) echo "sbatch: error: Invalid partition name specified" >&2; exit 1 ;;
    esac
done
script=$(mktemp)
cat > "$script"
echo 7
for task in $(seq 0 "$last"); do
    [ "$task" = "$LOST" ] && continue
    SLURM_ARRAY_TASK_ID=$task sh "$script" < /dev/null > "$(echo "$log" | sed "s/%a/$task/")" 2>&1
done
rm "$script"
"#;

fn project() -> Scratch {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("a.c"), SLOW).unwrap();
    scratch.ok(["build", "--", "gcc", "-O0", "-o", "prog", "a.c"]);
    scratch
}

/// A folder for the search path with a stand-in for `sbatch`.
fn stand_in(scratch: &Scratch) -> std::ffi::OsString {
    let folder = scratch.file("bin");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("sbatch"), STAND_IN).unwrap();
    std::fs::set_permissions(folder.join("sbatch"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path))).unwrap()
}

const TUNE: [&str; 7] = ["tune", "--jobs", "slurm", "--axes", "flags", "--budget", "5m"];

#[test]
fn each_step_is_an_array_and_its_tasks_measure_beside_the_unchanged_program() {
    let scratch = project();
    let path = stand_in(&scratch);
    let mut tool = scratch.tool();
    let said = tool.env("PATH", &path).args(TUNE).args(["--json", "--", "./prog"]).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "{out}{err}");
    let found = crate::contract::document(&out)["tuning"].clone();
    assert_eq!(found["best"]["outcome"], "faster", "{found}");
    assert_eq!(found["best"]["answer"], "same", "{found}");
    assert_eq!(found["processors"].as_array().map(Vec::len), Some(1), "{found}");
    let left: Vec<String> = std::fs::read_dir(scratch.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".loopwright-jobs"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_task_that_is_lost_is_a_row_and_a_scheduler_that_takes_no_job_ends_the_search() {
    let scratch = project();
    let path = stand_in(&scratch);
    let run = |lost: &str, more: &[&str]| {
        let mut tool = scratch.tool();
        let said =
            tool.env("PATH", &path).env("LOST", lost).args(TUNE).args(more).args(["--", "./prog"]).output();
        let said = said.unwrap();
        (
            said.status.code(),
            String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr),
        )
    };
    let (status, text) = run("1", &[]);
    assert!(status == Some(0) && text.contains("its job gave no result: its task wrote nothing"), "{text}");
    let (status, text) = run("", &["--sbatch", "--partition=none"]);
    assert!(status == Some(1) && text.contains("Invalid partition name"), "{text}");
    let (status, text) = run("", &["--sbatch", "'"]);
    assert!(status == Some(2) && text.contains("a quote has no end"), "{text}");
    let nothing = scratch.run(["tune", "--array-task", "nowhere.json", "--", "./prog"]);
    assert!(nothing.status == Some(2) && nothing.err.contains("SLURM_ARRAY_TASK_ID"), "{}", nothing.err);
}

/// Daemons of a Slurm of two nodes on this machine; they end with it.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Nothing where Slurm is not installed or does not start here, or this is not root: that is no matter of the tool.
    fn start() -> Option<Self> {
        let has = |name: &str| {
            Command::new("sh")
                .args(["-c", &format!("command -v {name}")])
                .stdout(Stdio::null())
                .status()
                .is_ok_and(|s| s.success())
        };
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|said| {
            said.stdout
                == b"0
"
        });
        if !is_root || !["munged", "slurmctld", "slurmd", "sbatch", "scancel"].into_iter().all(has) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let script = CLUSTER.replace("@S@", &folder.path().display().to_string());
        let started = Command::new("bash").args(["-euc", &script]).output().unwrap();
        let cluster = Self { folder };
        if !started.status.success() {
            eprintln!("skipped: Slurm does not start: {}", String::from_utf8_lossy(&started.stderr));
            return None;
        }
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(30) {
            let idle = Command::new("sinfo")
                .args(["-h", "-o", "%T %D"])
                .env("SLURM_CONF", cluster.configuration())
                .output();
            if idle.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("idle 2")) {
                return Some(cluster);
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        let log = cluster.folder.path().join("log/slurmctld.log");
        eprintln!(
            "skipped: the nodes of Slurm are not idle: {}",
            std::fs::read_to_string(log).unwrap_or_default()
        );
        None
    }

    fn configuration(&self) -> std::path::PathBuf {
        self.folder.path().join("slurm.conf")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for name in ["slurmd.n1", "slurmd.n2", "slurmctld", "munged"] {
            let file: &Path = &self.folder.path().join(format!("run/{name}.pid"));
            if let Ok(pid) = std::fs::read_to_string(file) {
                let _ = Command::new("kill").arg(pid.trim()).status();
            }
        }
        // The daemons write into the folder until they have ended.
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// slurm.conf(5): nodes of one CPU each, no accounting, no control groups.
const CLUSTER: &str = r#"
S=@S@; H=$(hostname -s)
mkdir -p $S/state $S/log $S/run $S/spool/n1 $S/spool/n2 $S/tmp/n1 $S/tmp/n2
head -c1024 /dev/urandom > $S/munge.key; chmod 600 $S/munge.key; chmod 755 $S $S/run $S/log
munged --force --key-file=$S/munge.key --socket=$S/run/munge.sock --pid-file=$S/run/munged.pid --log-file=$S/log/munged.log --seed-file=$S/run/munged.seed
P=$((20000 + $$ % 8000))
cat > $S/slurm.conf <<END
ClusterName=lw
SlurmctldHost=$H(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$S/run/munge.sock
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile=$S/run/slurmctld.pid
SlurmdPidFile=$S/run/slurmd.%n.pid
SlurmctldPort=$P
SlurmdSpoolDir=$S/spool/%n
TmpFS=$S/tmp/%n
StateSaveLocation=$S/state
SlurmctldLogFile=$S/log/slurmctld.log
SlurmdLogFile=$S/log/slurmd.%n.log
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n[1-2] NodeHostname=$H NodeAddr=127.0.0.1 Port=[$((P + 1))-$((P + 2))] CPUs=1 Boards=1 SocketsPerBoard=1 CoresPerSocket=1 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$S/slurm.conf
slurmctld -f $SLURM_CONF -c; sleep 1
slurmd -N n1 < /dev/null > /dev/null 2>&1; slurmd -N n2 < /dev/null > /dev/null 2>&1
"#;

#[test]
fn a_real_slurm_measures_the_candidates_and_interrupting_cancels_its_jobs() {
    let Some(cluster) = Cluster::start() else { return };
    let scratch = project();
    let mut tool = scratch.tool();
    tool.env("SLURM_CONF", cluster.configuration()).args(TUNE).args(["--json", "--", "./prog"]);
    let said = tool.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "{out}{err}");
    let found = crate::contract::document(&out)["tuning"].clone();
    assert_eq!(found["best"]["outcome"], "faster", "{found}");
    // A search that is interrupted leaves no job behind.
    let mut tool = scratch.tool();
    tool.env("SLURM_CONF", cluster.configuration()).args(TUNE).args(["--", "./prog"]);
    let child = tool.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let queued = || {
        let queue =
            Command::new("squeue").arg("-h").env("SLURM_CONF", cluster.configuration()).output().unwrap();
        !queue.stdout.is_empty()
    };
    let wait_for = |state: bool| {
        let begin = Instant::now();
        while queued() != state {
            assert!(begin.elapsed() < Duration::from_secs(60), "the queue does not become {state}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    wait_for(true);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let said = child.wait_with_output().unwrap();
    wait_for(false);
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success() && err.contains("interrupted"), "{err}");
}
