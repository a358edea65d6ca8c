//! Who is stronger, and how sure are we: matches between GTP engines under our own rules.
//!
//! The referee knows the rules of every game, trusts nothing an engine says, and never waits for
//! one longer than agreed. Engines are processes; nothing of this crate's own search or networks
//! is used here.

pub mod stats;
