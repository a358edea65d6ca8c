//! How two runs or matches differ.

use std::collections::BTreeSet;

use serde_json::Value;

/// How the settings of one run or match differ from those of another, in words.
pub fn differences(own: &Value, other: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect("", own, other, &mut found);
    found
}

/// Collects in words what differs in two values of this name.
fn collect(name: &str, own: &Value, other: &Value, found: &mut Vec<String>) {
    let text = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        other => other.to_string(),
    };
    match (own, other) {
        (Value::Object(own), Value::Object(other)) => {
            let keys: BTreeSet<&String> = own.keys().chain(other.keys()).collect();
            for key in keys {
                let inner = match name {
                    "" => key.clone(),
                    _ => format!("{key} of {name}"),
                };
                let [own, other] = [own, other].map(|table| table.get(key).unwrap_or(&Value::Null));
                collect(&inner, own, other, found);
            }
        }
        (Value::Array(own), Value::Array(other))
            if own.iter().chain(other).all(Value::is_object) =>
        {
            for place in 0..own.len().max(other.len()) {
                let [own, other] = [own, other].map(|list| list.get(place).unwrap_or(&Value::Null));
                collect(&format!("{name} {}", place + 1), own, other, found);
            }
        }
        _ if own == other => {}
        _ => found.push(format!("{name}: {} and not {}", text(own), text(other))),
    }
}
