//! Players in the matches of an ablation study.

use super::plan::MatchSettings;
use tengen_train::cycle::anchor_name;

/// A player.
pub(super) enum Contestant {
    /// The network of a run.
    Run(String),
    /// UCT with this many uniformly random playouts a move.
    Uct(u64),
    /// RAVE with this many playouts a move.
    Rave(u64),
}

impl Contestant {
    /// The search players that every network meets.
    pub(super) fn rollouts(settings: &MatchSettings) -> impl Iterator<Item = Contestant> {
        let uct = settings.uct.iter().copied().map(Contestant::Uct);
        uct.chain(settings.rave.iter().copied().map(Contestant::Rave))
    }

    /// Name in records and tables.
    pub(super) fn name(&self) -> String {
        match self {
            Contestant::Run(name) => name.clone(),
            Contestant::Uct(playouts) => format!("uct-{playouts}"),
            Contestant::Rave(playouts) => anchor_name(*playouts),
        }
    }
}
