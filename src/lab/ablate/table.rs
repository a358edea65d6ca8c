//! The table: ratings of the arms beside the paper's, and the cost of removing a part.

use super::plan::{AblationPlan, Arm, ArmResult};
use crate::seeds::{Estimate, holm, markdown, run_name};
use tengen_train::cycle::{self, MatchRecord, rate};
use tengen_train::play::matches::PairResult;

/// The table as Markdown.
pub fn table(plan: &AblationPlan, outcomes: &[ArmResult], match_records: &[MatchRecord]) -> String {
    let settings = &plan.matches;
    let (pairs, visits, seeds) = (settings.pairs, settings.visits, plan.seeds.len());
    let form = match plan.run.self_play.int8 {
        true => ", in int8",
        false => "",
    };
    let mut text = format!(
        "# {}\n\nWritten by `tengen-lab ablate`. Elo relative to `{}`, by maximum likelihood for \
         each seed; {seeds} seeds, {pairs} colour-swapped pairs of games for each two arms of a \
         seed, at {visits} playouts a move{form}. ± is the 95% interval over seeds (Student's t); \
         whether a sign is known is judged with Holm's correction. {} of {} runs are finished.\n\n",
        plan.title,
        plan.arm[0].name,
        outcomes.len(),
        plan.runs(),
    );
    let elo: Vec<Vec<Option<f64>>> = plan
        .arm
        .iter()
        .map(|arm| by_seed(plan, arm, match_records))
        .collect();
    let rows = plan.arm.iter().zip(&elo).map(|(arm, elo)| {
        let runs: Vec<&ArmResult> = outcomes.iter().filter(|o| o.arm == arm.name).collect();
        let mean = |text: fn(f64) -> String, value: fn(&ArmResult) -> f64| match runs.len() {
            0 => String::new(),
            count => text(runs.iter().map(|run| value(run)).sum::<f64>() / count as f64),
        };
        let loss = |run: &ArmResult| run.held_out.map_or(f64::NAN, |score| score.policy_loss);
        let known: Vec<f64> = elo.iter().flatten().copied().collect();
        let seeds = elo.iter();
        let seeds = seeds.map(|elo| elo.map_or("-".to_owned(), |elo| format!("{elo:+.0}")));
        vec![
            arm.name.clone(),
            format!("`{}`", arm.network),
            mean(|games| format!("{games:.0}"), |run| run.games as f64),
            Estimate::over_seeds(&known).map_or_else(String::new, |e| e.text()),
            paper(plan, arm),
            seeds.collect::<Vec<_>>().join(", "),
            mean(|loss| format!("{loss:.3}"), loss),
            mean(
                |share| format!("{:.1}%", 100.0 * share),
                |run| run.white_share,
            ),
        ]
    });
    let head = "arm | network | games | Elo | paper | by seed | policy loss | White wins";
    text += &markdown(head, rows);
    if let Some(full) = plan.arm.iter().position(|arm| arm.full) {
        text += &costs(plan, full, &elo);
    }
    text + &meetings(plan, match_records)
}

/// The ratings of an arm relative to the first one, by seed.
fn by_seed(plan: &AblationPlan, arm: &Arm, match_records: &[MatchRecord]) -> Vec<Option<f64>> {
    let rating = |&seed: &u64| {
        let arms = plan.arm.iter();
        let names: Vec<String> = arms.map(|arm| run_name(&arm.name, seed)).collect();
        let own: Vec<MatchRecord> = match_records
            .iter()
            .filter(|e| names.contains(&e.first) && names.contains(&e.second))
            .cloned()
            .collect();
        let name = run_name(&arm.name, seed);
        let rated = rate(&own, &names[0]);
        rated.into_iter().find(|r| r.name == name).map(|r| r.elo)
    };
    plan.seeds.iter().map(rating).collect()
}

/// The paper's rating relative to the first arm's.
fn paper(plan: &AblationPlan, arm: &Arm) -> String {
    match (arm.paper, plan.arm[0].paper) {
        (Some(elo), Some(base)) => {
            let half = arm.paper_interval;
            let half = half.map_or(String::new(), |half| format!(" ± {half:.0}"));
            format!("{:+.0}{half}", elo - base)
        }
        _ => String::new(),
    }
}

/// The cost of removing a part: the full arm minus each other one. Claims concern the paper's
/// numbers, and only these comparisons count for Holm's correction.
fn costs(plan: &AblationPlan, full: usize, elo: &[Vec<Option<f64>>]) -> String {
    let others = || {
        plan.arm
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != full)
    };
    let differences: Vec<Option<Estimate>> = others()
        .map(|(place, _)| {
            let pairs = elo[full].iter().zip(&elo[place]);
            let known = pairs.filter_map(|(full, arm)| Some((*full)? - (*arm)?));
            Estimate::over_seeds(&known.collect::<Vec<_>>())
        })
        .collect();
    let paper = |arm: &Arm| Some(plan.arm[full].paper? - arm.paper?);
    let p: Vec<Option<f64>> = others()
        .zip(&differences)
        .map(|((_, arm), found)| paper(arm).and((*found)?.p))
        .collect();
    let rows = others().zip(differences).zip(holm(&p, 0.05));
    let rows = rows.map(|(((_, arm), difference), significant)| {
        let paper = paper(arm);
        let verdict = match (difference, paper) {
            (Some(found), Some(paper)) if significant && found.mean * paper > 0.0 => "holds",
            (Some(_), Some(_)) if significant => "is reversed",
            (Some(_), Some(_)) => "open",
            _ => "",
        };
        let p = difference.and_then(|found| found.p);
        vec![
            arm.name.clone(),
            difference.map_or_else(String::new, |d| d.text()),
            p.map_or_else(String::new, |p| format!("{p:.3}")),
            paper.map_or_else(String::new, |paper| format!("{paper:+.0}")),
            verdict.to_owned(),
        ]
    });
    let head = "arm | difference | p | paper | the paper's sign at 95% (Holm)";
    let (name, table) = (&plan.arm[full].name, markdown(head, rows));
    format!("\n`{name}` less another arm:\n\n{table}")
}

/// Scores of every arm against every other and against rollouts, over all seeds.
fn meetings(plan: &AblationPlan, match_records: &[MatchRecord]) -> String {
    let rollouts = plan.matches.rollouts();
    let rollouts: Vec<String> = rollouts.map(|(name, _)| name).collect();
    let names = plan.arm.iter().map(|arm| &*arm.name);
    let names: Vec<&str> = names.chain(rollouts.iter().map(String::as_str)).collect();
    let rows = plan.arm.iter().map(|row| {
        let against = |opponent: &dyn Fn(u64) -> String| {
            let met = |&seed: &u64| {
                let row = run_name(&row.name, seed);
                met(match_records, &row, &opponent(seed))
            };
            share(&plan.seeds.iter().flat_map(met).collect::<Vec<_>>())
        };
        let arms = plan
            .arm
            .iter()
            .map(|arm| against(&|seed| run_name(&arm.name, seed)));
        let others = rollouts.iter().map(|name| against(&|_| name.clone()));
        let name = std::iter::once(row.name.clone());
        name.chain(arms).chain(others).collect::<Vec<String>>()
    });
    format!(
        "\nShare of the row's points against the column, games of all seeds together, with the 95% \
         interval for the games between these networks:\n\n{}",
        markdown(&format!(" | {}", names.join(" | ")), rows)
    )
}

/// The first player's share of the points and its interval; empty without games.
fn share(pairs: &[PairResult]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let score = cycle::score(pairs);
    let interval = score.interval();
    let [share, low, high] =
        [score.score(), interval.low, interval.high].map(|share| 100.0 * share);
    format!("{share:.1}% [{low:.0}, {high:.0}]")
}

/// The pairs of games of `row` against `column`, from the view of `row`.
fn met(match_records: &[MatchRecord], row: &str, column: &str) -> Vec<PairResult> {
    let seen = |e: &MatchRecord| match (e.first.as_str(), e.second.as_str()) {
        names if names == (row, column) => Some(e.pairs.clone()),
        names if names == (column, row) => {
            let turned = |[black, white]: &PairResult| [white.reversed(), black.reversed()];
            Some(e.pairs.iter().map(turned).collect())
        }
        _ => None,
    };
    match_records.iter().find_map(seen).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ablate::plan::tests::PLAN;
    use tengen::stats::GameResult::{Loss, Win};

    #[test]
    fn only_comparisons_with_the_papers_count_as_claims() {
        let more = "\n[[arm]]\nname = \"more\"\nnetwork = \"az-1b8c\"\ntimes = 2\n\n[match]";
        let plan = PLAN
            .replace("[1, 2]", "[1, 2, 3]")
            .replace("\n[match]", more);
        let plan = AblationPlan::parse(&plan).unwrap();
        let met: Vec<MatchRecord> = ["az", "more"]
            .into_iter()
            .flat_map(|second| (1..=3).map(move |seed| (second, seed)))
            .map(|(second, seed)| MatchRecord {
                second: format!("{second}-s{seed}"),
                ..encounter(seed, 8 + 10 * seed as usize)
            })
            .collect();
        let text = table(&plan, &[], &met);
        // p is 0.04: significant for one claim, but not for either of two.
        let row = |name: &str| {
            let costs = &text[text.find("less another arm").unwrap()..];
            costs
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap()
                .to_owned()
        };
        assert!(row("| az").ends_with("| holds |"), "{text}");
        assert!(row("| more").ends_with("|  |  |"), "{text}");
    }

    fn encounter(seed: u64, wins: usize) -> MatchRecord {
        let mut pairs = vec![[Win, Win]; wins];
        pairs.extend(vec![[Win, Loss]; 100 - wins]);
        MatchRecord {
            first: format!("wide-s{seed}"),
            second: format!("az-s{seed}"),
            pairs,
        }
    }

    #[test]
    fn a_clear_difference_holds_and_an_unclear_one_is_open() {
        let plan = AblationPlan::parse(&PLAN.replace("[1, 2]", "[1, 2, 3]")).unwrap();
        let clear: Vec<MatchRecord> = (1..=3)
            .map(|seed| encounter(seed, 50 + seed as usize))
            .collect();
        let text = table(&plan, &[], &clear);
        assert!(
            text.contains("| az | +") && text.contains("| holds |"),
            "{text}"
        );
        assert!(text.contains("+100 ± 40"), "{text}");
        // 51, 52 and 53 of 100 pairs won twice, the others split: 76% of the points.
        assert!(
            text.contains("| az |  | 24.0% [21, 27] |\n| wide | 76.0% [73, 79] |  |"),
            "{text}"
        );
        let unclear = table(&plan, &[], &clear[..1]);
        assert!(
            unclear.contains("(one seed)") && unclear.contains("| open |"),
            "{unclear}"
        );
        let nothing = table(&plan, &[], &[]);
        assert!(nothing.contains("0 of 6 runs"), "{nothing}");
    }
}
