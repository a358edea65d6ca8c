//! Levels below full strength, for opponents and lessons: each is a preset of other settings.
//!
//! The lower ones draw moves from the policy, the higher ones play the best move of a small search.
//! Nothing is lost on purpose: a level plays as well as its settings allow.

use super::EngineOptions;
use crate::settings::SetError;

/// One level.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    /// Visits per search; 1 is the policy alone.
    visits: u64,
    /// Temperature of the move choice.
    temperature: f32,
    /// A drawn move has at least this share of the best one's probability.
    least_share: f32,
}

/// Draws from the policy; few moves are absurd.
const fn policy(temperature: f32, least_share: f32) -> Level {
    Level {
        visits: 1,
        temperature,
        least_share,
    }
}

/// Plays the best move of a search.
const fn search(visits: u64) -> Level {
    Level {
        visits,
        temperature: 0.0,
        least_share: 0.0,
    }
}

/// Levels 1, 2, ..., chosen so that each wins some 75% of games of Go on 9x9 against the one before
/// (docs/board.md#levels). Longer games need smaller steps: there are levels between any two.
const LEVELS: &[Level] = &[
    policy(2.2, 0.006),
    policy(1.7, 0.02),
    policy(1.1, 0.02),
    policy(0.65, 0.02),
    search(1),
    search(12),
    search(36),
    search(110),
    search(330),
    search(1000),
    search(2500),
];

/// A temperature that does not fall during the game.
const FOREVER: f32 = 1e6;

/// The level of this number, from 1, mixed of its neighbours between whole numbers; `None` is full
/// strength, from `LEVELS.len() + 1` on, and nothing lies between it and the last level.
fn level(number: f32) -> Option<Level> {
    let part = number.fract();
    let lower = *LEVELS.get(number as usize - 1)?;
    let higher = *LEVELS.get(number as usize).unwrap_or(&lower);
    let mixed = |low: f32, high: f32| low + part * (high - low);
    let [low, high] = [lower, higher].map(|level| level.visits as f32);
    // Three visits play as one does: beside the policy's best move they have tried one more at most.
    let visits = match lower.visits {
        1 => mixed(low, high),
        _ => mixed(low.ln(), high.ln()).exp(),
    };
    Some(Level {
        visits: visits.round() as u64,
        temperature: mixed(lower.temperature, higher.temperature),
        least_share: mixed(lower.least_share, higher.least_share),
    })
}

impl EngineOptions {
    /// Whether the level is below full strength.
    pub(crate) fn is_weakened(&self) -> bool {
        level(self.level).is_some()
    }

    /// Applies the level, which replaces earlier values of the settings it consists of.
    pub(super) fn take_level(&mut self) -> Result<(), SetError> {
        let usual = EngineOptions::of(&self.game)?;
        self.visits = None;
        self.solver.solver_from = usual.solver.solver_from;
        self.solver.probe_nodes = usual.solver.probe_nodes;
        self.search.move_temperature = usual.search.move_temperature;
        self.search.move_temperature_halflife = usual.search.move_temperature_halflife;
        self.search.move_least_share = usual.search.move_least_share;
        let Some(level) = level(self.level) else {
            return Ok(());
        };
        self.visits = Some(level.visits);
        self.search.move_temperature = level.temperature;
        self.search.move_temperature_halflife = FOREVER;
        self.search.move_least_share = level.least_share;
        // A solver would play parts of the game perfectly.
        self.solver.solver_from = 0;
        self.solver.probe_nodes = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_a_preset_that_later_settings_change() {
        let mut options = EngineOptions::of("gomoku").expect("a game");
        options.set("solver-mib", "1024").expect("memory");
        options.set("level", "3").expect("a level");
        assert_eq!(options.solver.solver_mib, 1024, "no part of a level");
        assert_eq!(options.visits, Some(1));
        assert_eq!(options.search.move_temperature, 1.1);
        assert_eq!(options.solver.solver_from, 0);
        options.set("visits", "20").expect("visits");
        assert_eq!(options.visits, Some(20));
    }

    #[test]
    fn the_strongest_is_what_is_usual() {
        for game in ["nogo", "go", "gomoku"] {
            let mut options = EngineOptions::of(game).expect("a game");
            options.set("level", "1").expect("a level");
            options
                .set("level", &(LEVELS.len() + 1).to_string())
                .expect("a level");
            assert_eq!(options, EngineOptions::of(game).expect("a game"));
        }
    }

    #[test]
    fn higher_levels_search_more_or_draw_less() {
        for (lower, higher) in LEVELS.iter().zip(&LEVELS[1..]) {
            assert!(is_weaker(lower, higher));
        }
    }

    fn is_weaker(lower: &Level, higher: &Level) -> bool {
        let same = lower.visits == higher.visits;
        let draws_less = lower.temperature > higher.temperature;
        lower.visits < higher.visits || same && draws_less
    }

    #[test]
    fn there_are_levels_between_levels() {
        for (index, whole) in LEVELS.iter().enumerate() {
            let number = (index + 1) as f32;
            assert_eq!(level(number).as_ref(), Some(whole));
            let (half, next) = (level(number + 0.5), LEVELS.get(index + 1));
            let half = half.expect("below full strength");
            if let Some(next) = next {
                assert!(
                    is_weaker(whole, &half) && is_weaker(&half, next),
                    "{half:?}"
                );
            }
        }
        let mut options = EngineOptions::of("go").expect("a game");
        options.set("level", "6.5").expect("a level");
        assert_eq!(options.visits, Some(21), "between 12 and 36");
        options.set("level", "5.5").expect("a level");
        assert_eq!(options.visits, Some(7), "a search, unlike level 5");
    }

    #[test]
    fn there_is_no_level_beyond_the_ends() {
        for text in ["0", "0.9", "12.1", "-1", "NaN", "max", ""] {
            let mut options = EngineOptions::default();
            let error = options.set("level", text).expect_err(text).to_string();
            assert!(error.contains("1 to 12"), "{error}");
            assert_eq!(options, EngineOptions::default());
        }
    }
}
