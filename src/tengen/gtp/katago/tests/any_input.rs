//! Every line gets an answer.

use proptest::prelude::*;
use proptest::sample::select;

use super::answers;

/// A query composed of valid and invalid pieces.
fn request() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &[
        "id",
        "action",
        "terminateId",
        "turnNumbers",
        "boardXSize",
        "boardYSize",
        "initialStones",
        "moves",
        "initialPlayer",
        "rules",
        "komi",
        "whiteHandicapBonus",
        "analyzeTurns",
        "priority",
        "priorities",
        "maxVisits",
        "overrideSettings",
        "analysisPVLen",
        "includeOwnership",
        "includePolicy",
        "includePVVisits",
        "reportDuringSearchEvery",
        "avoidMoves",
        "allowMoves",
        "x",
    ];
    const VALUES: &[&str] = &[
        "\"a\"",
        "\"b\"",
        "5",
        "1",
        "0",
        "-1",
        "1e300",
        "null",
        "true",
        "[]",
        "{}",
        "[0]",
        "[0,1]",
        "[[\"B\",\"A1\"]]",
        "[[\"B\",\"A1\"],[\"W\",\"C1\"]]",
        "\"usual\"",
        "\"terminate\"",
        "\"terminate_all\"",
        "\"clear_cache\"",
        "99999999999999999999",
        "[[\"B\"]]",
        "\"B\"",
        "[{\"player\":\"B\",\"moves\":[\"A1\",\"B1\",\"C1\",\"D1\",\"E1\"],\"untilDepth\":1}]",
        "{\"maxTime\":1,\"x\":[]}",
        "7.5",
        "\"\\ud800\"",
    ];
    let field = (select(NAMES), select(VALUES));
    let fields = prop::collection::vec(field, 0..6);
    let right = any::<bool>();
    (right, fields).prop_map(|(right, fields)| {
        let begin = r#""id":"q","boardXSize":5,"boardYSize":1,"moves":[["B","A1"]]"#;
        let mut all = vec![if right {
            begin.to_owned()
        } else {
            "\"id\":\"q\"".to_owned()
        }];
        all.extend(
            fields
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}")),
        );
        format!("{{{}}}\n", all.join(","))
    })
}

proptest! {
    #[test]
    fn whatever_is_sent_is_answered(
        lines in prop::collection::vec(
            prop_oneof![8 => request(), 1 => any::<String>().prop_map(|text| format!("{text}\n"))],
            1..12,
        ),
    ) {
        let sent = lines.iter().flat_map(|text| text.split('\n'));
        let sent = sent.filter(|line| !line.as_bytes().trim_ascii().is_empty()).count();
        let all = answers(&lines.concat());
        for answer in &all {
            let known = ["error", "warning", "action", "rootInfo", "noResults"];
            prop_assert!(known.iter().any(|name| answer.get(*name).is_some()), "{answer}");
        }
        let heard = all.iter().filter(|answer| answer.get("warning").is_none()).count();
        prop_assert!(heard >= sent, "{lines:?}: {all:?}");
    }
}
