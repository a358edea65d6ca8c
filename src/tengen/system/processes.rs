//! Processes with all that they start: an engine may be the child of a script, and the standard
//! library can only kill the script. And a second process that outlives this one, and then kills what it has left running:
//! no program can do so itself when it is killed by the system (`kill -9`, or for lack of memory).

use std::io::{self, BufRead};
#[cfg(unix)]
use std::process::Child;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;

#[cfg(windows)]
use process_wrap::std::ChildWrapper;

#[cfg(unix)]
use process::kill_group;
pub use process::{Guard, watch};

#[cfg(unix)]
mod process {
    use std::collections::BTreeSet;
    use std::io::Write as _;
    use std::process::{Child, Stdio};

    use parking_lot::Mutex;

    use super::{BufRead, Command, io};

    /// The guard of this process.
    #[derive(Debug)]
    pub struct Guard(Mutex<Child>);

    impl Guard {
        /// Starts a command that calls [`watch`] with its standard input.
        ///
        /// # Errors
        /// The system's error.
        pub fn start(mut command: Command) -> io::Result<Guard> {
            // A group of its own: Ctrl-C is for this process.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.stdin(Stdio::piped()).stdout(Stdio::null());
            Ok(Guard(Mutex::new(command.spawn()?)))
        }

        /// Guards the process group of this number.
        pub fn add(&self, group: u32) {
            self.tell(&format!("+{group}\n"));
        }

        /// The group has ended, or is about to.
        pub fn remove(&self, group: u32) {
            self.tell(&format!("-{group}\n"));
        }

        fn tell(&self, line: &str) {
            if let Some(input) = &mut self.0.lock().stdin {
                // Without a guard the work goes on.
                let _ = input.write_all(line.as_bytes());
            }
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            // `wait` closes its input.
            let _ = self.0.get_mut().wait();
        }
    }

    /// The guard's own work: kills the groups that are left at the end of the input.
    pub fn watch(input: impl BufRead) {
        let mut groups = BTreeSet::new();
        for line in input.lines().map_while(Result::ok) {
            let number = |text: &str| text.parse::<u32>().ok();
            if let Some(group) = line.strip_prefix('+').and_then(number) {
                groups.insert(group);
            } else if let Some(group) = line.strip_prefix('-').and_then(number) {
                groups.remove(&group);
            }
        }
        groups.into_iter().for_each(kill_group);
    }

    /// Kills all processes of the group of this number.
    pub(crate) fn kill_group(group: u32) {
        use rustix::process::{Pid, Signal, kill_process_group};

        let group = i32::try_from(group).ok().and_then(Pid::from_raw);
        // 1 is the system's own, and stands for all processes.
        if let Some(group) = group.filter(|group| group.as_raw_nonzero().get() > 1) {
            // It fails only where none is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// There a group is a job, which this cannot reach: engines end at the end of their input.
#[cfg(not(unix))]
mod process {
    use super::{BufRead, Command, io};

    /// Guards nothing.
    #[derive(Debug)]
    pub struct Guard;

    impl Guard {
        /// Starts nothing.
        ///
        /// # Errors
        /// None.
        pub fn start(_: Command) -> io::Result<Guard> {
            Ok(Guard)
        }

        /// Removes nothing.
        pub fn remove(&self, _: u32) {}
    }

    /// Watches nothing.
    pub fn watch(_: impl BufRead) {}
}

/// A process and its descendants. Ctrl-C ends this program and not first them.
#[derive(Debug)]
pub struct ProcessGroup {
    #[cfg(unix)]
    first: Child,
    #[cfg(windows)]
    first: Box<dyn ChildWrapper>,
    /// Whether the first process has been waited for: then its number, which is the group's, may belong to others.
    #[cfg(unix)]
    reaped: bool,
    guard: Option<Arc<Guard>>,
}

#[cfg(unix)]
impl ProcessGroup {
    /// Starts a process in its own group, which a guard kills if this program dies first.
    ///
    /// # Errors
    /// The system's error.
    pub fn spawn(mut command: Command, guard: Option<Arc<Guard>>) -> io::Result<ProcessGroup> {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let first = command.spawn()?;
        if let Some(guard) = &guard {
            guard.add(first.id());
        }
        Ok(ProcessGroup {
            first,
            reaped: false,
            guard,
        })
    }

    /// The pipes to and from the process, the first time; `None` later.
    pub fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.first.stdin.take()?, self.first.stdout.take()?))
    }

    /// Kills the process with all its descendants, without waiting for their end.
    pub fn start_kill(&mut self) {
        // The group outlives its first process.
        if !self.reaped {
            kill_group(self.first.id());
        }
    }

    /// The exit status of the first process, if it has ended. It is not waited for, so that the group keeps its number.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        use std::os::unix::process::ExitStatusExt as _;

        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

        if self.reaped {
            return self.first.try_wait().ok().flatten();
        }
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(Pid::from_child(&self.first)), ended).ok()??;
        // As `wait` would have it: a signal in the low byte, else a code in the next one.
        let code = status.exit_status().map(|code| code << 8);
        let raw = code.or(status.terminating_signal());
        Some(ExitStatus::from_raw(raw.unwrap_or_default()))
    }

    fn wait(&mut self) {
        // It fails only for a process that has already been waited for.
        let _ = self.first.wait();
        self.reaped = true;
    }

    /// Its number.
    pub(super) fn number(&self) -> u32 {
        self.first.id()
    }
}

#[cfg(windows)]
impl ProcessGroup {
    /// Starts a process in its own job object.
    ///
    /// # Errors
    /// The system's error.
    pub fn spawn(command: Command, guard: Option<Arc<Guard>>) -> io::Result<ProcessGroup> {
        use process_wrap::std::{CommandWrap, CreationFlags, JobObject};

        /// `CREATE_NEW_PROCESS_GROUP` of the Windows API.
        const OWN_GROUP: u32 = 0x200;
        let mut flags = CreationFlags(Default::default());
        flags.0.0 = OWN_GROUP;
        let mut command = CommandWrap::from(command);
        command.wrap(flags).wrap(JobObject);
        let first = command.spawn()?;
        Ok(ProcessGroup { first, guard })
    }

    /// The pipes to and from the process, the first time; `None` later.
    pub fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.first.stdin().take()?, self.first.stdout().take()?))
    }

    /// Kills the process with all its descendants, without waiting for their end.
    pub fn start_kill(&mut self) {
        // The job continues to exist when its first process has ended.
        let _ = self.first.start_kill();
    }

    /// The exit status of the first process, if it has ended.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.first.try_wait().ok().flatten()
    }

    fn wait(&mut self) {
        let _ = self.first.inner_mut().wait();
    }

    fn number(&self) -> u32 {
        self.first.id()
    }
}

impl ProcessGroup {
    /// Kills the process with all its descendants, and waits for it alone.
    pub fn kill(&mut self) {
        self.start_kill();
        if let Some(guard) = self.guard.take() {
            guard.remove(self.number());
        }
        self.wait();
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
        let mut group = ProcessGroup::spawn(command, None).unwrap();
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

    #[cfg(unix)]
    #[test]
    fn what_a_script_has_left_behind_ends_with_its_group() {
        for (end, status) in [
            ("exit 3", "exit status: 3"),
            ("kill -SEGV $$", "signal: 11"),
        ] {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("sleep 600 & echo begun; {end}")]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut group = ProcessGroup::spawn(command, None).unwrap();
            let (_input, mut output) = group.pipes().unwrap();
            while group.exit_status().is_none() {
                std::thread::yield_now();
            }
            let told = group.exit_status().unwrap().to_string();
            assert!(told.starts_with(status), "{told}");
            group.kill();
            let mut all = String::new();
            output.read_to_string(&mut all).unwrap();
            assert_eq!(all, "begun\n");
            assert!(group.exit_status().unwrap().to_string().starts_with(status));
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_left_at_the_end_of_the_input_is_killed() {
        let start = || {
            let mut command = Command::new("sleep");
            command.arg("600");
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            ProcessGroup::spawn(command, None).unwrap()
        };
        let (mut kept, mut left) = (start(), start());
        let (_, mut output) = left.pipes().unwrap();
        let told = format!(
            "+{}\n+{}\nnothing\n+1\n+0\n-{}\n",
            kept.number(),
            left.number(),
            kept.number()
        );
        watch(told.as_bytes());
        output.read_to_string(&mut String::new()).unwrap();
        assert!(kept.exit_status().is_none());
        [kept, left].iter_mut().for_each(ProcessGroup::kill);
    }
}
