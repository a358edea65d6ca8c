//! Tables by plies.

/// A score for each run of so many plies that has answers, then one for all.
pub(super) fn by_plies<A: Copy, S>(
    answers: &[A],
    band: usize,
    ply: impl Fn(&A) -> usize,
    score: impl Fn(&[A]) -> Option<S>,
) -> Vec<S> {
    let mut bands: Vec<usize> = answers.iter().map(|answer| ply(answer) / band).collect();
    bands.sort_unstable();
    bands.dedup();
    let parts = bands.into_iter().map(|wanted| {
        let inside = answers.iter().filter(|answer| ply(answer) / band == wanted);
        inside.copied().collect::<Vec<A>>()
    });
    let parts: Vec<Vec<A>> = parts.chain([answers.to_vec()]).collect();
    parts.iter().filter_map(|part| score(part)).collect()
}
