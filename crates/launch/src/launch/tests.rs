use super::*;

fn write(folder: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn resolve_path(path: &Path) -> Result<PathBuf, Error> {
    resolve(path.as_os_str(), None, None)
}

#[test]
fn every_refusal_names_the_file_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let missing = resolve_path(&root.join("missing")).unwrap_err();
    assert!(matches!(missing, Error::DoesNotExist { .. }));
    assert!(missing.to_string().contains("missing") && missing.to_string().contains("build"));
    assert!(matches!(resolve_path(root).unwrap_err(), Error::IsDirectory { .. }));
    let plain = write(root, "plain", b"text", 0o644);
    assert!(matches!(resolve_path(&plain).unwrap_err(), Error::NotExecutable { .. }));
    let script = write(root, "script", b"#!/no/such/interpreter -x\n", 0o755);
    assert!(matches!(
        resolve_path(&script).unwrap_err(),
        Error::NoInterpreter { interpreter, .. } if interpreter == "/no/such/interpreter"
    ));
    let mut arm = b"\x7fELF\x02\x01\x01".to_vec();
    arm.resize(18, 0);
    arm.extend(183_u16.to_le_bytes());
    let arm = write(root, "arm", &arm, 0o755);
    assert!(matches!(
        resolve_path(&arm).unwrap_err(),
        Error::WrongArchitecture { machine, .. } if machine.contains("AArch64")
    ));
    assert!(matches!(resolve(OsStr::new(""), None, None).unwrap_err(), Error::NoCommand));
}

#[test]
fn the_search_path_is_followed_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    std::fs::create_dir_all(&first).unwrap();
    std::fs::create_dir_all(&second).unwrap();
    write(&first, "tool", b"#!/bin/sh\n", 0o644);
    let good = write(&second, "tool", b"#!/bin/sh\n", 0o755);
    let path = std::env::join_paths([&first, &second]).unwrap();
    assert_eq!(resolve(OsStr::new("tool"), Some(&path), None).unwrap(), good);
    let only_first = std::env::join_paths([&first]).unwrap();
    assert!(matches!(
        resolve(OsStr::new("tool"), Some(&only_first), None).unwrap_err(),
        Error::NotExecutable { .. }
    ));
    let nowhere = resolve(OsStr::new("no-such-tool"), Some(&path), None).unwrap_err();
    assert!(nowhere.to_string().contains("PATH"));
}

#[test]
fn a_relative_program_is_looked_up_in_the_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "here", b"#!/bin/sh\n", 0o755);
    assert!(resolve(OsStr::new("./here"), None, Some(folder.path())).is_ok());
    assert!(resolve(OsStr::new("./here"), None, None).is_err());
}

#[test]
fn a_held_child_that_is_abandoned_never_runs_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("ran");
    let command = ["touch".into(), witness.clone().into_os_string()];
    let held = hold(&command, &StartOptions::default()).unwrap();
    held.abandon();
    assert!(!witness.exists());
}

#[test]
fn a_text_without_shebang_runs_through_the_shell_and_junk_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("ran");
    let script =
        write(folder.path(), "script", format!("echo yes > {}\n", witness.display()).as_bytes(), 0o755);
    let pid = released(&script).unwrap();
    // SAFETY: waits for our own child.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
    assert_eq!(std::fs::read_to_string(&witness).unwrap(), "yes\n");

    let junk = write(folder.path(), "junk", b"\x00\x01\x02\x03", 0o755);
    assert!(matches!(released(&junk).unwrap_err(), Error::NotAProgram { .. }));
}

/// Starts a file that was just written. A child that another test forks at that moment has the file open for
/// writing until it executes, and until then the file cannot be executed (`ETXTBSY`, execve(2)).
fn released(file: &Path) -> Result<i32, Error> {
    loop {
        let held = hold(&[file.into()], &StartOptions::default()).unwrap();
        let pid = held.pid;
        match held.release(None) {
            Err(Error::Start { source, .. }) if source.raw_os_error() == Some(libc::ETXTBSY) => {}
            result => return result.map(|_| pid),
        }
    }
}
