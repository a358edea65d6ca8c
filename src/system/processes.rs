//! Processes with all that they start: an engine may be the child of a script, and the standard
//! library can only kill the script.

use std::io;
#[cfg(unix)]
use std::process::{Child, Stdio};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};

#[cfg(windows)]
use process_wrap::std::ChildWrapper;

/// A process and its descendants. Ctrl-C ends this program and not first them.
#[derive(Debug)]
pub(crate) struct ProcessGroup(#[cfg(unix)] Child, #[cfg(windows)] Box<dyn ChildWrapper>);

#[cfg(unix)]
impl ProcessGroup {
    /// Starts a process in its own group.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn spawn(mut command: Command) -> io::Result<ProcessGroup> {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(ProcessGroup)
    }

    /// The pipes to and from the process, the first time; `None` later.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.0.stdin.take()?, self.0.stdout.take()?))
    }

    /// Kills the process with all its descendants, without waiting for their end.
    pub(crate) fn start_kill(&mut self) {
        // The group's number may be reused soon after its first process has ended.
        if self.exit_status().is_none() {
            let group = format!("-{}", self.0.id());
            let mut kill = Command::new("kill");
            kill.args(["-KILL", "--", &group]);
            let _ = kill.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        // It fails only for a process that has already ended and been waited for.
        let _ = self.0.kill();
    }

    fn wait(&mut self) {
        // It fails only for a process that has already been waited for.
        let _ = self.0.wait();
    }
}

#[cfg(windows)]
impl ProcessGroup {
    /// Starts a process in its own job object.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn spawn(command: Command) -> io::Result<ProcessGroup> {
        use process_wrap::std::{CommandWrap, CreationFlags, JobObject};

        /// `CREATE_NEW_PROCESS_GROUP` of the Windows API.
        const OWN_GROUP: u32 = 0x200;
        let mut flags = CreationFlags(Default::default());
        flags.0.0 = OWN_GROUP;
        let mut command = CommandWrap::from(command);
        command.wrap(flags).wrap(JobObject);
        command.spawn().map(ProcessGroup)
    }

    /// The pipes to and from the process, the first time; `None` later.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.0.stdin().take()?, self.0.stdout().take()?))
    }

    /// Kills the process with all its descendants, without waiting for their end.
    pub(crate) fn start_kill(&mut self) {
        // The job continues to exist when its first process has ended.
        let _ = self.0.start_kill();
    }

    fn wait(&mut self) {
        let _ = self.0.inner_mut().wait();
    }
}

impl ProcessGroup {
    /// Kills the process with all its descendants, and waits for it alone.
    pub(crate) fn kill(&mut self) {
        self.start_kill();
        self.wait();
    }

    /// The exit status, if it has ended.
    pub(crate) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use super::*;

    #[test]
    fn what_a_script_has_started_ends_with_it() {
        let mut command = if cfg!(windows) {
            let mut command = Command::new("cmd");
            command.args(["/c", "echo begun& ping -n 600 127.0.0.1& echo ended"]);
            command
        } else {
            let mut command = Command::new("sh");
            command.args(["-c", "echo begun; sleep 600; echo ended"]);
            command
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut group = ProcessGroup::spawn(command).unwrap();
        let (_input, mut output) = group.pipes().unwrap();
        let mut first = [0; 5];
        output.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"begun");
        assert!(group.exit_status().is_none());
        // The pipe closes when the last process that holds it ends.
        group.kill();
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert!(!rest.contains("ended"), "{rest}");
        assert!(group.exit_status().is_some());
        group.kill();
    }
}
