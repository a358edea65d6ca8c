//! Requests other than queries: information on the program, and termination of queries.

use serde_json::{Value, json};

use super::Katago;
use super::answer::no_results;
use super::fields::{Fields, Object, Refusal, shorten};

/// The version of KataGo whose protocol this is; clients use fewer features with older versions.
const VERSION: &str = "1.15.0";

const ACTIONS: &str = "query_version, query_models, clear_cache, terminate or terminate_all";

impl Katago {
    /// Executes a request, and answers by repeating it.
    pub(super) fn act(
        &self,
        action: &str,
        request: &Object,
        say: &mut dyn FnMut(Value),
    ) -> Result<(), Refusal> {
        let mut answer = request.clone();
        let fields = Fields(request);
        match action {
            "query_version" => {
                answer.insert("version".to_owned(), json!(VERSION));
                answer.insert("git_hash".to_owned(), json!("<omitted>"));
                let own = format!("{} {}", self.options.name, env!("CARGO_PKG_VERSION"));
                answer.insert("program".to_owned(), json!(own));
            }
            "query_models" => {
                let models = self.options.networks.iter().map(|name| model(name, false));
                let imitator = self.options.imitator.iter().map(|name| model(name, true));
                answer.insert("models".to_owned(), models.chain(imitator).collect());
            }
            "clear_cache" => {
                self.queue.forget();
                (self.forget)();
            }
            "terminate" => {
                let id = fields.text("terminateId")?;
                let missing = || Refusal::new("terminateId", "is missing: the id of a query");
                self.terminate(Some(id.ok_or_else(missing)?), fields, say)?;
            }
            "terminate_all" => self.terminate(None, fields, say)?,
            other => {
                let text = format!("must be {ACTIONS}, not {:?}", shorten(other));
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
        let turns = fields.integers("turnNumbers", i64::MIN..=i64::MAX)?;
        let named = |turn: usize| {
            let of = |turns: &Vec<i64>| {
                turns
                    .iter()
                    .any(|&named| usize::try_from(named) == Ok(turn))
            };
            turns.as_ref().is_none_or(of)
        };
        let ended = self
            .queue
            .terminate(|task| id.is_none_or(|id| task.query.id == id) && named(task.turn));
        for task in ended {
            say(Value::Object(no_results(&task)));
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
