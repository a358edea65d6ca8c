//! Whole runs over stores that fail, and every order of requests of claims and commits.

mod claims;
mod commits;
mod runs;
