//! How a game that is counted ends: both engines say which stones are dead and who has won; where they
//! do not agree on what is dead, they play on until it is taken, and all that stands counts.

use super::count::{Count, How};
use super::game::{GameEnd, GameInProgress, Reason};
use super::gtp_client::Fault;
use super::player::Contestant;
use crate::game::{Color, Game, Move, Outcome};
use crate::record::result_text;

impl<G: Game> GameInProgress<'_, G> {
    /// The end of a game that is over by the rules: counted, where points are.
    pub(super) fn counted(&mut self, by_rules: Outcome) -> GameEnd {
        if by_rules.margin.is_none() {
            return self.end(by_rules, Reason::Rules, None);
        }
        let mut asked = Asked::default();
        let (outcome, how) = match self.agreement(&mut asked) {
            Agreement::None => (by_rules, How::AsItStands),
            Agreement::On(dead, how) => (self.position.outcome_without(&dead), how),
            Agreement::Differs => match self.play_on() {
                Ok(outcome) => (outcome, How::PlayedOn),
                Err(end) => return *end,
            },
        };
        let said = Color::BOTH
            .map(|color| asked.answer(color, self.players[color.index()], |p| p.final_score()));
        let mut end = self.end(outcome, Reason::Rules, None);
        end.usable = asked.faults.each_ref().map(Option::is_none);
        end.count = Some(Count {
            result: result_text(outcome),
            said,
            how,
            faults: asked
                .faults
                .map(|fault| fault.map(|fault| fault.to_string())),
        });
        end
    }

    /// What the engines say of dead stones.
    fn agreement(&mut self, asked: &mut Asked) -> Agreement {
        if !self.position.agrees_on_dead() {
            return Agreement::None;
        }
        let stone = |mv: &Move| self.position.stone(*mv).is_some();
        let [black, white] = Color::BOTH.map(|color| {
            let mut dead = asked.answer(color, self.players[color.index()], |p| p.dead())?;
            dead.retain(stone);
            dead.sort_unstable();
            dead.dedup();
            Some(dead)
        });
        match (black, white) {
            (None, None) => Agreement::None,
            (Some(dead), None) | (None, Some(dead)) => Agreement::On(dead, How::OneSays),
            (Some(one), Some(other)) if one == other => Agreement::On(one, How::Agreed),
            (Some(_), Some(_)) => Agreement::Differs,
        }
    }

    /// Goes on until both pass again; the moves cost no time on the clocks.
    fn play_on(&mut self) -> Result<Outcome, Box<GameEnd>> {
        self.position.resume();
        self.cleaning_up = true;
        loop {
            if let Some(outcome) = self.position.outcome() {
                return Ok(outcome);
            }
            if self.position.ply() >= self.terms.max_moves {
                return Err(Box::new(self.end(Outcome::DRAW, Reason::MaxMoves, None)));
            }
            if let Some(end) = self.next_move() {
                return Err(Box::new(end));
            }
        }
    }
}

/// What went wrong when the engines were asked about a game that has been played. It costs nobody the
/// game, but an engine that failed cannot be trusted with another question: what it says then may be
/// the answer to this one.
#[derive(Default)]
struct Asked {
    faults: [Option<Fault>; 2],
}

impl Asked {
    fn answer<T>(
        &mut self,
        color: Color,
        player: &mut dyn Contestant,
        question: impl FnOnce(&mut dyn Contestant) -> Result<Option<T>, Fault>,
    ) -> Option<T> {
        let fault = &mut self.faults[color.index()];
        if fault.is_some() {
            return None;
        }
        question(player).unwrap_or_else(|failed| {
            *fault = Some(failed);
            None
        })
    }
}

/// What two engines say of dead stones.
enum Agreement {
    /// Nothing: the rules do not ask, or no engine knows.
    None,
    /// These are dead.
    On(Vec<Move>, How),
    /// Not the same.
    Differs,
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::super::player::{GameSetup, PlayerMove, Reply};
    use super::super::referee_clock::AnnouncedTime;
    use super::super::{GameTerms, MatchTimeControl, play_game, vertex};
    use super::*;
    use crate::game::BoardSize;
    use crate::game::go::SmallGo;

    const SIZE: BoardSize = BoardSize::square(5);

    /// Passes until it is asked to clean up; then plays its vertices.
    struct Passes {
        dead: Option<&'static str>,
        /// Does not answer when it is asked for dead stones, and late to whatever is asked next.
        hangs: bool,
        cleans: Vec<&'static str>,
        komi: Option<String>,
    }

    fn moves(names: &str) -> Vec<Move> {
        let names = names.split_whitespace();
        names
            .map(|name| vertex::from_text(SIZE, name).unwrap())
            .collect()
    }

    impl Contestant for Passes {
        fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
            self.komi = setup.komi.map(|komi| komi.to_string());
            assert!(setup.rules.as_ref().unwrap().contains("\"ko\":\"SIMPLE\""));
            Ok(())
        }

        fn play(&mut self, _: Color, _: Move) -> Result<(), Fault> {
            Ok(())
        }

        fn choose(
            &mut self,
            _: Color,
            _: Option<AnnouncedTime>,
            _: Duration,
        ) -> Result<Reply, Fault> {
            Ok(Reply {
                choice: PlayerMove::Move(SIZE.pass()),
                took: Duration::ZERO,
                report: None,
            })
        }

        fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
            let mut reply = self.choose(color, None, limit)?;
            if !self.cleans.is_empty() {
                let name = self.cleans.remove(0);
                reply.choice = PlayerMove::Move(vertex::from_text(SIZE, name).unwrap());
            }
            Ok(reply)
        }

        fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
            if self.hangs {
                return Err(Fault::Hung {
                    command: "final_status_list dead".to_owned(),
                    limit: Duration::from_secs(1),
                });
            }
            Ok(self.dead.map(moves))
        }

        fn final_score(&mut self) -> Result<Option<String>, Fault> {
            assert!(!self.hangs, "it may answer the question before");
            Ok(self.dead.map(|_| "B+0.5".to_owned()))
        }
    }

    /// Black is ahead by half a point once White's stone on a3 is off, behind before.
    const WALLS: &str = "b1 d1 b2 d2 b3 d3 b4 d4 b5 d5 c1 c4 c2 c5 c3 a3";

    fn passes(dead: Option<&'static str>) -> Passes {
        Passes {
            dead,
            hangs: false,
            cleans: Vec::new(),
            komi: None,
        }
    }

    #[track_caller]
    fn check(dead: [Option<&'static str>; 2], cleans: &str, expected: (&str, How)) -> GameEnd {
        let [mut black, white] = dead.map(passes);
        black.cleans = cleans
            .split_whitespace()
            .map(|name| &*name.to_owned().leak())
            .collect();
        check_between([black, white], expected)
    }

    #[track_caller]
    fn check_between([mut black, mut white]: [Passes; 2], expected: (&str, How)) -> GameEnd {
        let start: SmallGo = crate::game::begin(SIZE, "chinese komi0.5").unwrap();
        let terms = GameTerms {
            time: MatchTimeControl::None,
            margin: Duration::ZERO,
            move_limit: Duration::from_secs(1),
            max_moves: 100,
        };
        let stop = AtomicBool::new(false);
        let players: [&mut dyn Contestant; 2] = [&mut black, &mut white];
        let end = play_game(&start, &moves(WALLS), players, &terms, &stop).unwrap();
        let count = end.count.clone().unwrap();
        assert_eq!((&*count.result, count.how), expected);
        assert_eq!(white.komi.as_deref(), Some("0.5"));
        end
    }

    #[test]
    fn dead_stones_come_off_where_the_engines_agree() {
        let agreed = check([Some("A3"), Some("a3")], "", ("B+0.5", How::Agreed));
        assert_eq!(agreed.outcome.winner, Some(Color::Black));
        let count = agreed.count.unwrap();
        assert!(!count.contradicts(Color::Black));
        // As GNU Go writes it, and what is something else.
        for (said, other) in [
            ("B+0.50", false),
            ("B+1.5", true),
            ("W+0.5", true),
            ("B+R", true),
        ] {
            let said = Count {
                said: [Some(said.to_owned()), None],
                ..count.clone()
            };
            assert_eq!(said.contradicts(Color::Black), other, "{said:?}");
        }
        let alone = check([None, Some("A3")], "", ("B+0.5", How::OneSays));
        assert_eq!(alone.count.unwrap().said[0], None);
        let silent = check([None, None], "", ("W+5.5", How::AsItStands));
        assert_eq!(silent.outcome.winner, Some(Color::White));
    }

    #[test]
    fn they_play_on_where_they_do_not_agree() {
        let end = check([Some("A3"), Some("")], "a2 a4", ("B+0.5", How::PlayedOn));
        assert_eq!(
            end.moves.len(),
            2 + 5,
            "two passes, two stones, three passes and more"
        );
        let lazy = check([Some("A3"), Some("")], "", ("W+5.5", How::PlayedOn));
        assert!(lazy.count.unwrap().contradicts(Color::Black));
    }

    #[test]
    fn an_engine_that_fails_when_it_is_asked_is_named_and_asked_nothing_more() {
        let hangs = Passes {
            hangs: true,
            ..passes(None)
        };
        let end = check_between([passes(Some("A3")), hangs], ("B+0.5", How::OneSays));
        assert_eq!(end.reason, Reason::Rules);
        assert_eq!(end.usable, [true, false], "it is started anew");
        let [none, fault] = &end.count.unwrap().faults;
        assert_eq!(none, &None);
        assert_eq!(
            fault.as_deref(),
            Some("did not answer `final_status_list dead` within 1s")
        );
    }
}
