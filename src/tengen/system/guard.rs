//! A second process that outlives this one, and then kills what it has left running: no program can do so itself when
//! it is killed by the system (`kill -9`, or for lack of memory).

use std::io;
use std::io::BufRead;
use std::process::Command;

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

#[cfg(unix)]
pub(super) use process::kill_group;
pub use process::{Guard, watch};

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use super::super::processes::ProcessGroup;
    use super::*;

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
