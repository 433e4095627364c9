//! "Did you mean": the nearest of the words there are.

/// ` (did you mean `check`?)`, or nothing where no word is near.
pub fn did_you_mean<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, words).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

/// The word that differs least, if it differs little: in one letter, or in a third of them.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (word.chars().count() / 3).max(1);
    let near = words.into_iter().map(|w| (distance(word, w), w)).filter(|(d, w)| *d <= most && *d < w.chars().count());
    near.min_by_key(|(d, _)| *d).map(|(_, w)| w)
}

/// Letters to put in, take out, replace or swap with their neighbour (restricted Damerau-Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_none_that_is_far() {
        let words = ["check", "explore", "run", "fuzz", "incremental"];
        assert_eq!(nearest("chek", words), Some("check"));
        assert_eq!(nearest("hceck", words), Some("check"));
        assert_eq!(nearest("incremetnal", words), Some("incremental"));
        assert_eq!(nearest("xyz", words), None);
        assert_eq!(nearest("r", ["q"]), None);
    }
}
