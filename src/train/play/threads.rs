//! Threads that make something, such as games, and one that takes it.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::eval_batch::TaskControl;
use crate::TrainError;

/// Interval between two calls while nothing comes.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// Runs `work` on each of these threads, of which there is at least one; `receive` gets what they give it, one after
/// the other, and `None` twice a second in between. When `receive` breaks or fails, or a thread does, `control` is
/// stopped, and what the threads give then tells them to end.
///
/// # Errors
/// The first one of `work` or `receive`, or [`TrainError::Setting`] when a thread cannot be started or panics.
pub fn on_threads<T: Send>(
    name: &str,
    threads: usize,
    control: &TaskControl,
    work: impl Fn(&mut dyn FnMut(T) -> ControlFlow<()>) -> Result<(), TrainError> + Sync,
    mut receive: impl FnMut(Option<T>) -> Result<ControlFlow<()>, TrainError>,
) -> Result<(), TrainError> {
    let threads = threads.max(1);
    thread::scope(|scope| {
        // Inside the scope, so that an error drops the receiver before the threads are waited for:
        // a late sender then finds no receiver.
        let (sender, made) = sync_channel(2 * threads);
        for index in 0..threads {
            let (sender, work) = (sender.clone(), &work);
            let worker = move || {
                let mut give = |one| match sender.send(Ok(one)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                };
                let done = catch_unwind(AssertUnwindSafe(|| work(&mut give)));
                let panicked = |_| Err(TrainError::Setting("a thread panicked".to_owned()));
                if let Err(error) = done.unwrap_or_else(panicked) {
                    let _ = sender.send(Err(error));
                }
            };
            thread::Builder::new()
                .name(format!("{name}-{index}"))
                .spawn_scoped(scope, worker)
                .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
        }
        drop(sender);
        loop {
            let one = match made.recv_timeout(TELL_EVERY) {
                Ok(one) => Some(one.inspect_err(|_| control.stop())?),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let flow = receive(one).inspect_err(|_| control.stop())?;
            if flow.is_break() {
                control.stop();
                return Ok(());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_panic_of_one_thread_ends_the_others() {
        let (control, is_first) = (TaskControl::default(), AtomicBool::new(true));
        let ended = on_threads(
            "test",
            2,
            &control,
            |give| {
                assert!(!is_first.swap(false, Ordering::Relaxed), "on purpose");
                let _ = (0..100_000).try_for_each(give);
                Ok(())
            },
            |_: Option<u32>| Ok(ControlFlow::Continue(())),
        );
        assert!(ended.is_err() && control.is_stopped());
    }
}
