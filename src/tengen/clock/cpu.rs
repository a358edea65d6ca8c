//! CPU time of this process.

use std::time::Duration;

/// Unit of the times in `/proc/PID/stat`: clock ticks (proc_pid_stat(5)), of which Linux shows
/// programs 100 a second (`USER_HZ`) on the architectures that Tengen is built for.
const TICK: Duration = Duration::from_millis(10);

/// User and system time used by all threads of this process so far, to 10 ms; `None` where the
/// system does not provide it (it is read from `/proc`, so: outside Linux).
#[must_use]
pub fn process_cpu_time() -> Option<Duration> {
    parse_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// User plus system time from the text of `/proc/PID/stat`.
fn parse_stat(stat: &str) -> Option<Duration> {
    // Field 2 is the program's name in parentheses and may itself hold blanks and parentheses;
    // user and system time are fields 14 and 15.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    TICK.checked_mul(user.checked_add(system)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_is_skipped() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 12345";
        assert_eq!(parse_stat(stat), Some(Duration::from_secs(3)));
        assert_eq!(parse_stat("42 (a) S 1"), None);
        assert_eq!(parse_stat(""), None);
    }
}
