//! Judges a game's moves from its positions.

use crate::game::Color;

use super::facts::{Candidate, Class, Game, Judged, Position, Tally, share, tenth};

/// Losses from which a move is an inaccuracy, a mistake and a blunder.
pub(super) const THRESHOLDS: [f32; 3] = [0.05, 0.1, 0.2];

/// Known facts of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Known {
    /// Black's, by the search.
    winrate: Option<f32>,
    /// Proven.
    winner: Option<Color>,
}

impl Known {
    fn of(position: &Position) -> Known {
        Known {
            winrate: position.winrate,
            winner: position.winner,
        }
    }
}

/// Judges each move by the positions before and after it. Then the winrate of a proven position is what is proven.
pub(super) fn compare(positions: &mut [Position], game: &Game) {
    for index in 1..positions.len() {
        let (before, after) = positions.split_at_mut(index);
        let (Some(position), Some(next)) = (before.last_mut(), after.first()) else {
            continue;
        };
        let Some(played) = game.moves.get(position.moves) else {
            continue;
        };
        let (before, mut after) = (Known::of(position), Known::of(next));
        if next.moves == game.moves.len() {
            after = at_the_end(before, after);
        }
        let (loss, proven) = loss(before, after, played.color);
        // A move without visits or proof is worth what the position after it is.
        let unseen = |found: &&mut Candidate| {
            found.visits == 0 && found.wins.is_none() && found.at == played.at
        };
        if let Some(candidate) = position.candidates.iter_mut().find(unseen)
            && let Some(winrate) = certain(next).or(next.winrate)
        {
            (candidate.winrate, candidate.lead) = (winrate, next.lead);
        }
        let instead = instead(position, &played.at);
        if let Some(judged) = &mut position.played {
            judged.loss = loss.map(|loss| (loss * 1e4).round() / 1e4);
            judged.points = points(position.lead, next.lead, played.color);
            // Where the search knows nothing better than the move there is nothing to learn.
            let is_its_choice = judged.choice == Some(1) && !proven;
            judged.class = class(loss, proven).filter(|_| !is_its_choice);
            match judged.class {
                None => judged.better.clear(),
                Some(Class::ThrownAway) if !judged.better.is_empty() => {}
                Some(_) => judged.better = instead,
            }
        }
    }
    for position in positions {
        position.winrate = certain(position).or(position.winrate);
    }
}

/// Black's winrate, if the winner is proven.
fn certain(position: &Position) -> Option<f32> {
    position.winner.map(|winner| share(winner, 1.0))
}

/// The search's line if it differs from the move played.
fn instead(position: &Position, played: &str) -> Vec<String> {
    let candidates = position.candidates.iter();
    let mut others = candidates.filter(|other| other.at != played);
    let best = others.clone().find(|other| other.wins == Some(true));
    let best = best.or_else(|| others.next());
    best.map_or_else(Vec::new, |other| other.pv.clone())
}

/// Loss of a move, as a share of games, and whether it is proven.
///
/// If both positions are proven, the truth decides, and in a proven loss there is nothing left to
/// lose. Otherwise the search is compared with itself: the last move before the proven part of a
/// game is not blamed for what only the solver knew.
fn loss(before: Known, after: Known, mover: Color) -> (Option<f32>, bool) {
    match (before.winner, after.winner) {
        (Some(winner), _) if winner != mover => (Some(0.0), true),
        (Some(_), Some(winner)) => (Some(f32::from(u8::from(winner != mover))), true),
        _ => {
            let shares = before.winrate.zip(after.winrate);
            let difference = |(before, after)| share(mover, before) - share(mover, after);
            (shares.map(difference), false)
        }
    }
}

/// Points that a move gave up, to a tenth, from Black's lead before and after it; `None` without both.
fn points(before: Option<f32>, after: Option<f32>, mover: Color) -> Option<f32> {
    let lost = before? - after?;
    Some(tenth(mover.signed(lost)))
}

/// Facts of the last position of a game for judging the last move: if the game ends as the search
/// expected, certainty is not counted as a loss.
fn at_the_end(before: Known, end: Known) -> Known {
    let expected = before.winrate.zip(end.winrate);
    let expected = expected.is_some_and(|(before, end)| (before - 0.5) * (end - 0.5) > 0.0);
    let winrate = match expected && end.winner.is_some() {
        true => before.winrate,
        false => end.winrate,
    };
    Known { winrate, ..end }
}

/// Severity of a loss.
fn class(loss: Option<f32>, proven: bool) -> Option<Class> {
    let loss = loss?;
    if proven {
        return (loss > 0.0).then_some(Class::ThrownAway);
    }
    let classes = [Class::Inaccuracy, Class::Mistake, Class::Blunder];
    let reached = classes.into_iter().zip(THRESHOLDS);
    let reached = reached.filter(|(_, threshold)| loss >= *threshold);
    reached.map(|(class, _)| class).next_back()
}

/// Accuracy of a move, in [0, 1], from its loss: the curve known from chess (Lichess, "Accuracy
/// metric", lichess.org/page/accuracy).
fn accuracy(loss: f32) -> f32 {
    let percent = 103.1668 * (-0.04354 * 100.0 * loss.max(0.0)).exp() - 3.1669;
    (percent / 100.0).clamp(0.0, 1.0)
}

/// A player's statistics.
pub(super) fn tally(positions: &[Position], side: Color) -> Tally {
    let own = positions.iter().filter(|position| position.to_move == side);
    sum(own.filter_map(|position| of_move(position.played.as_ref()?)))
}

/// The statistics of one move; `None` if it does not count.
fn of_move(judged: &Judged) -> Option<Tally> {
    let loss = judged.loss.filter(|_| judged.counts)?;
    let is = |class| usize::from(judged.class == Some(class));
    Some(Tally {
        moves: 1,
        average_loss: loss.max(0.0),
        accuracy: accuracy(loss),
        first_choices: usize::from(judged.choice == Some(1)),
        inaccuracies: is(Class::Inaccuracy),
        mistakes: is(Class::Mistake),
        blunders: is(Class::Blunder),
        thrown_away: is(Class::ThrownAway),
    })
}

/// Combines several moves or games of one player.
pub(super) fn sum(tallies: impl IntoIterator<Item = Tally>) -> Tally {
    let mut sum = Tally::default();
    for tally in tallies {
        let moves = tally.moves as f32;
        sum.moves += tally.moves;
        sum.average_loss += moves * tally.average_loss;
        sum.accuracy += moves * tally.accuracy;
        sum.first_choices += tally.first_choices;
        sum.inaccuracies += tally.inaccuracies;
        sum.mistakes += tally.mistakes;
        sum.blunders += tally.blunders;
        sum.thrown_away += tally.thrown_away;
    }
    let moves = sum.moves.max(1) as f32;
    sum.average_loss /= moves;
    sum.accuracy /= moves;
    sum
}

/// The first move from which on every position is proven, and the winner.
pub(super) fn proven(positions: &[Position]) -> Option<(usize, Color)> {
    let known = positions.iter().rev();
    known
        .map_while(|position| Some((position.moves, position.winner?)))
        .last()
}

#[cfg(test)]
mod tests {
    use super::super::facts::Stone;
    use super::*;
    use crate::game::BoardSize;
    use crate::record::GameRecord;
    use Color::{Black, White};

    fn known(winrate: f32, winner: Option<Color>) -> Known {
        Known {
            winrate: Some(winrate),
            winner,
        }
    }

    /// Severity of a move of `mover` from a position to the next.
    #[track_caller]
    fn check(before: Known, after: Known, mover: Color, expected: (f32, Option<Class>)) {
        let (found, proven) = loss(before, after, mover);
        let found = found.expect("both were searched");
        assert!((found - expected.0).abs() < 1e-6, "{found}");
        assert_eq!(class(Some(found), proven), expected.1);
    }

    #[test]
    fn a_loss_is_the_movers_and_its_name_rises_with_it() {
        let from = known(0.5, None);
        check(from, known(0.47, None), Black, (0.03, None));
        check(
            from,
            known(0.44, None),
            Black,
            (0.06, Some(Class::Inaccuracy)),
        );
        check(from, known(0.35, None), Black, (0.15, Some(Class::Mistake)));
        check(from, known(0.25, None), Black, (0.25, Some(Class::Blunder)));
        check(from, known(0.25, None), White, (-0.25, None));
        check(from, known(0.75, None), White, (0.25, Some(Class::Blunder)));
    }

    #[test]
    fn the_truth_decides_where_both_positions_are_proven() {
        let (lost, won) = (known(0.9, Some(White)), known(0.1, Some(Black)));
        check(won, lost, Black, (1.0, Some(Class::ThrownAway)));
        check(won, known(0.0, Some(Black)), Black, (0.0, None));
        check(lost, won, Black, (0.0, None));
        check(lost, known(0.1, None), Black, (0.0, None));
        // A result unknown to the search is not a mistake.
        check(known(0.6, None), lost, Black, (-0.3, None));
        let unsearched = Known {
            winrate: None,
            winner: None,
        };
        assert_eq!(loss(unsearched, lost, Black), (None, false));
    }

    #[test]
    fn the_last_move_gives_up_nothing_where_the_game_ends_as_expected() {
        let lost = known(0.0, Some(White));
        let check_end = |before, expected| {
            let after = at_the_end(before, lost);
            check(before, after, Black, expected);
        };
        check_end(known(0.06, None), (0.0, None));
        // A pass that loses a good game does.
        check_end(known(0.9, None), (0.9, Some(Class::Blunder)));
        check_end(known(0.9, Some(Black)), (1.0, Some(Class::ThrownAway)));
        let open = known(0.2, None);
        assert_eq!(at_the_end(known(0.4, None), open), open);
    }

    #[test]
    fn points_are_lost_by_the_mover() {
        assert_eq!(points(Some(3.0), Some(-1.5), Black), Some(4.5));
        assert_eq!(points(Some(3.0), Some(-1.5), White), Some(-4.5));
        assert_eq!(points(None, Some(1.0), Black), None);
    }

    #[test]
    fn accuracy_falls_with_the_loss() {
        assert!((accuracy(0.0) - 1.0).abs() < 1e-3 && accuracy(-1.0) == accuracy(0.0));
        assert!((accuracy(0.1) - 0.636).abs() < 1e-3, "{}", accuracy(0.1));
        assert_eq!(accuracy(1.0), 0.0);
    }

    fn position(moves: usize, winner: Option<Color>, loss: Option<f32>, counts: bool) -> Position {
        Position {
            moves,
            to_move: Black,
            winrate: Some(0.5),
            lead: None,
            winner,
            visits: 1,
            candidates: Vec::new(),
            played: Some(Judged {
                loss,
                points: None,
                class: class(loss, false),
                counts,
                policy_rank: None,
                choice: Some(1),
                better: Vec::new(),
            }),
        }
    }

    #[test]
    fn a_winning_move_is_shown_before_one_that_was_searched_more() {
        let candidate = |at: &str, wins| Candidate {
            at: at.to_owned(),
            visits: 9,
            winrate: 0.5,
            lead: None,
            prior: 0.1,
            wins,
            pv: vec![at.to_owned()],
        };
        let position = Position {
            candidates: vec![
                candidate("A1", None),
                candidate("B1", None),
                candidate("C1", Some(true)),
            ],
            ..position(0, None, None, true)
        };
        assert_eq!(instead(&position, "A1"), ["C1"]);
        assert_eq!(instead(&position, "C1"), ["A1"]);
    }

    /// The search's winrates judge the moves; what is proven is shown.
    #[test]
    fn a_proven_position_has_the_winrate_of_its_winner() {
        let stone = |color, at: &str| Stone {
            color,
            at: at.to_owned(),
            comment: String::new(),
        };
        let mut game = Game::new(
            String::new(),
            &GameRecord::new("nogo", BoardSize::square(3)),
        );
        game.moves = vec![stone(Black, "A1"), stone(Black, "B1"), stone(Black, "C1")];
        let unseen = |at: &str, wins| Candidate {
            at: at.to_owned(),
            visits: 0,
            winrate: if wins == Some(true) { 1.0 } else { 0.5 },
            lead: None,
            prior: 0.1,
            wins,
            pv: Vec::new(),
        };
        let mut positions = vec![
            position(0, None, None, true),
            position(1, Some(Black), None, true),
            position(2, Some(White), None, true),
            position(3, Some(White), None, true),
        ];
        positions[0].candidates = vec![unseen("A1", None)];
        positions[1].candidates = vec![unseen("B1", Some(true))];
        compare(&mut positions, &game);
        let found: Vec<Option<f32>> = positions.iter().map(|found| found.winrate).collect();
        assert_eq!(found, [0.5, 1.0, 0.0, 0.0].map(Some));
        assert_eq!(positions[0].candidates[0].winrate, 1.0);
        assert_eq!(positions[1].candidates[0].winrate, 1.0, "its proof stays");
        let loss = |at: usize| positions[at].played.as_ref().and_then(|made| made.loss);
        assert_eq!([0, 1].map(loss), [Some(0.0), Some(1.0)]);
    }

    #[test]
    fn the_searchs_own_choice_is_no_mistake() {
        let stone = |color, at: &str| Stone {
            color,
            at: at.to_owned(),
            comment: String::new(),
        };
        let mut game = Game::new(String::new(), &GameRecord::new("go", BoardSize::square(9)));
        game.moves = vec![stone(Black, "A1"), stone(White, "B1")];
        let mut positions = vec![
            position(0, None, None, true),
            position(1, None, None, true),
            position(2, None, None, true),
        ];
        positions[1].winrate = Some(0.1);
        positions[2].winrate = Some(0.9);
        for (choice, class) in [(1, None), (2, Some(Class::Blunder))] {
            for position in &mut positions {
                let played = position.played.as_mut().expect("a move");
                played.choice = Some(choice);
            }
            compare(&mut positions, &game);
            let judged = positions[0].played.as_ref().expect("a move");
            assert_eq!((judged.class, judged.loss), (class, Some(0.4)));
        }
    }

    #[test]
    fn a_tally_leaves_out_moves_without_a_choice() {
        let positions = [
            position(0, None, Some(0.3), true),
            position(1, None, Some(-0.1), true),
            position(2, None, Some(0.0), false),
            position(3, None, None, true),
        ];
        let found = tally(&positions, Black);
        assert_eq!(
            (found.moves, found.first_choices, found.blunders),
            (2, 2, 1)
        );
        assert!((found.average_loss - 0.15).abs() < 1e-6);
        assert_eq!(tally(&positions, White), Tally::default());
        let twice = sum([found.clone(), found, Tally::default()]);
        assert_eq!((twice.moves, twice.blunders), (4, 2));
        assert!((twice.average_loss - 0.15).abs() < 1e-6);
    }

    #[test]
    fn proven_is_what_stays_so_to_the_end() {
        let winners = [Some(Black), None, Some(White), Some(Black)];
        let positions: Vec<Position> = winners
            .iter()
            .enumerate()
            .map(|(moves, winner)| position(moves, *winner, None, true))
            .collect();
        assert_eq!(proven(&positions), Some((2, White)));
        assert_eq!(proven(&positions[..2]), None);
    }
}
