//! Times and sizes on the command line.

use std::time::Duration;

/// `500ms`, `60s`, `5m`, `1h`, or plain seconds.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, factor) = split(text, &units);
    positive(number)
        .and_then(|n| Duration::try_from_secs_f64(n * factor).ok())
        .ok_or_else(|| format!("`{text}` is no time; write 500ms, 60s, 5m or 1h"))
}

/// `512M`, `4G`, or plain bytes.
pub fn parse_memory(text: &str) -> Result<u64, String> {
    let units = [("K", 1024.0), ("M", 1048576.0), ("G", 1073741824.0), ("T", 1099511627776.0)];
    let text_units = text.strip_suffix('B').unwrap_or(text);
    let (number, factor) = split(text_units.strip_suffix('i').unwrap_or(text_units), &units);
    positive(number)
        .map(|n| n * factor)
        .filter(|&bytes| bytes < 1e18)
        .map(|bytes| bytes as u64)
        .ok_or_else(|| format!("`{text}` is no amount of memory; write 512M or 4G"))
        .and_then(|bytes| match bytes >= 1 << 20 {
            true => Ok(bytes),
            false => Err(format!("`{text}` is less than a megabyte; write 512M or 4G")),
        })
}

/// How often a loop runs at most.
pub fn parse_bound(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| format!("`{text}` is not in 1..={}", u32::MAX))
}

fn split<'a>(text: &'a str, units: &[(&str, f64)]) -> (&'a str, f64) {
    let found = units.iter().find_map(|&(unit, factor)| text.strip_suffix(unit).map(|number| (number, factor)));
    found.unwrap_or((text, 1.0))
}

fn positive(number: &str) -> Option<f64> {
    number.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("90").unwrap(), Duration::from_secs(90));
        assert_eq!(parse_time("1.5m").unwrap(), Duration::from_secs(90));
        assert_eq!(parse_time("250ms").unwrap(), Duration::from_millis(250));
        assert_eq!(parse_memory("4G").unwrap(), 4 << 30);
        assert_eq!(parse_memory("512MiB").unwrap(), 512 << 20);
        for bad in ["", "-1", "x", "1y", "0", "inf"] {
            assert!(parse_time(bad).is_err() && parse_memory(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_memory("4").unwrap_err(), "`4` is less than a megabyte; write 512M or 4G");
        assert_eq!(parse_bound("12"), Ok(12));
        for bad in ["0", "-3", "99999999999", "x", ""] {
            assert!(parse_bound(bad).is_err(), "{bad}");
        }
    }
}
