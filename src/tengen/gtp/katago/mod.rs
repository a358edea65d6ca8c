//! The protocol of KataGo's analysis engine, which KaTrain and others use: one JSON object per
//! line, any number of concurrent queries, answered when done (docs/programs-and-servers.md#fields-of-the-analysis-engine).
//!
//! One thread reads, one or more search (`analysis-0`, ...), and the main thread does the rest: it
//! validates queries, puts their turns into the queue, and is the only one that writes.

mod analyst;
mod answer;
mod fields;
mod query;
mod query_options;
mod queue;
#[cfg(test)]
mod tests;

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use serde_json::{Value, json};

use self::analyst::Analyst;
use self::answer::no_results;
use self::fields::{Fields, Object, Refusal};
use self::query::Query;
pub use self::query::{KatagoResources, MakeAnalyst, MakeImitator};
pub use self::query_options::KatagoOptions;
use self::query_options::QueryOptions;
use self::queue::{Queue, Task};
use super::line::{Line, Lines, next_piece, too_long};
use super::session::KATAGO_VERSION;
use super::short;
use crate::program::BYTE_ORDER_MARK;

const ACTIONS: &str = "query_version, query_models, clear_cache, terminate or terminate_all";

/// A session with a client.
struct Katago {
    resources: Arc<KatagoResources>,
    options: KatagoOptions,
    queue: Arc<Queue>,
}

/// Events for the main thread.
enum Event {
    Line(Vec<u8>),
    /// The input has ended.
    End,
    /// An answer of an analysis thread.
    Answer(Value),
}

/// Answers the queries in `input` until its end, and then the remaining ones.
///
/// # Errors
/// Fails when one of the options' settings has a wrong value, a thread cannot be started or an answer cannot be
/// written. A client that closes its end of the pipe ends the session without an error.
pub fn serve_queries(
    resources: KatagoResources,
    options: KatagoOptions,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> std::io::Result<()> {
    let settings = QueryOptions::of(&options).take_settings();
    settings.map_err(|refusal| std::io::Error::new(ErrorKind::InvalidInput, refusal.text))?;
    // Without a bound: clients may send all their queries before they read the first answer.
    let (events, inbox) = channel();
    let side = Katago {
        resources: Arc::new(resources),
        options,
        queue: Arc::default(),
    };
    for number in 0..side.options.positions.max(1) {
        let (queue, events) = (Arc::clone(&side.queue), events.clone());
        let mut analyst = Analyst::new(Arc::clone(&side.resources));
        std::thread::Builder::new()
            .name(format!("analysis-{number}"))
            // When the output is closed, answers are dropped.
            .spawn(move || {
                analyst.work(&queue, &mut |said| drop(events.send(Event::Answer(said))))
            })?;
    }
    std::thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read(input, &events))?;
    // Ends when all of those threads have.
    for event in inbox {
        let mut written = Ok(());
        let mut say = |value: Value| {
            if written.is_ok() {
                let line = writeln!(output, "{value}");
                written = line.and_then(|()| output.flush());
            }
        };
        match event {
            Event::Line(line) => side.hear(&line, &mut say),
            Event::Answer(answer) => say(answer),
            Event::End if side.options.finish => side.queue.close(),
            Event::End => return Ok(()),
        }
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
    Ok(())
}

/// Maximum length of a request in bytes: it may have a game of thousands of moves, and policies of all of its points.
const LONGEST: usize = 16 << 20;

/// Forwards lines as they arrive.
fn read(mut input: impl Read, events: &Sender<Event>) {
    let mut chunk = vec![0; 1 << 16];
    let mut lines = Lines::new(b"\n", LONGEST);
    let mut take = |line: Line<'_>| {
        let event = match line {
            Ok(line) => Event::Line(line.to_vec()),
            Err(_) => Event::Answer(json!({ "error": too_long(LONGEST) })),
        };
        // A session that has ended does not listen.
        drop(events.send(event));
    };
    loop {
        match next_piece(&mut input, &mut chunk) {
            [] => break,
            piece => lines.feed(piece, &mut take),
        }
    }
    lines.end(&mut take);
    drop(events.send(Event::End));
}

impl Katago {
    /// Answers a line, or queues its query.
    fn hear(&self, line: &[u8], say: &mut dyn FnMut(Value)) {
        let line = line
            .strip_prefix(BYTE_ORDER_MARK.as_bytes())
            .unwrap_or(line);
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let request = match serde_json::from_slice::<Value>(line) {
            Ok(Value::Object(request)) => request,
            Ok(other) => {
                let text = format!("a request is a JSON object, not {}", fields::short(&other));
                return say(json!({ "error": text }));
            }
            Err(error) => {
                let begin = short(&String::from_utf8_lossy(line));
                return say(json!({ "error": format!("invalid JSON: {error}: {begin}") }));
            }
        };
        let Some(id) = request.get("id").and_then(Value::as_str) else {
            return say(json!({ "error": "a request needs a string \"id\"" }));
        };
        let fields = Fields(&request);
        let done = match fields.text("action") {
            Ok(Some(action)) => self.act(action, &request, say),
            Ok(None) => {
                let read = Query::read(id, fields, &self.resources.make, &self.options);
                read.map(|(query, warnings)| {
                    for warning in &warnings {
                        say(warning.told(id, "warning"));
                    }
                    self.queue.push(&Arc::new(query));
                })
            }
            Err(refusal) => Err(refusal),
        };
        if let Err(refusal) = done {
            say(refusal.told(id, "error"));
        }
    }

    /// Executes a request, and answers by repeating it.
    fn act(
        &self,
        action: &str,
        request: &Object,
        say: &mut dyn FnMut(Value),
    ) -> Result<(), Refusal> {
        let mut answer = request.clone();
        let fields = Fields(request);
        match action {
            "query_version" => {
                answer.insert("version".to_owned(), json!(KATAGO_VERSION));
                answer.insert("git_hash".to_owned(), json!("<omitted>"));
                let own = concat!("Tengen ", env!("CARGO_PKG_VERSION"));
                answer.insert("program".to_owned(), json!(own));
            }
            "query_models" => {
                let models = self.options.network.iter().map(|name| model(name, false));
                let imitator = self.options.imitator.iter().map(|name| model(name, true));
                answer.insert("models".to_owned(), models.chain(imitator).collect());
            }
            "clear_cache" => {
                self.queue.forget();
                (self.resources.forget)();
            }
            "terminate" => {
                let id = fields.text("terminateId")?;
                let missing = || Refusal::new("terminateId", "is missing: the id of a query");
                self.terminate(Some(id.ok_or_else(missing)?), fields, say)?;
            }
            "terminate_all" => self.terminate(None, fields, say)?,
            other => {
                let text = format!("must be {ACTIONS}, not {:?}", short(other));
                return Err(Refusal::new("action", text));
            }
        }
        say(Value::Object(answer));
        Ok(())
    }

    /// Ends the searches of a query, or of all.
    fn terminate(
        &self,
        id: Option<&str>,
        fields: Fields<'_>,
        say: &mut dyn FnMut(Value),
    ) -> Result<(), Refusal> {
        let turns = fields.indices("turnNumbers", usize::MAX)?;
        let named = |turn| turns.as_ref().is_none_or(|turns| turns.contains(&turn));
        let is_of = |task: &Task| id.is_none_or(|id| task.query.id == id) && named(task.turn);
        let ended = self.queue.terminate(is_of);
        for task in ended {
            say(no_results(&task));
        }
        Ok(())
    }
}

/// Information on a network; fields that other networks do not have are left out.
fn model(network: &str, imitates: bool) -> Value {
    json!({
        "name": network,
        "internalName": network,
        "usesHumanSLProfile": imitates,
    })
}
