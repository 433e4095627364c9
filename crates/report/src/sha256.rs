//! SHA-256 (FIPS 180-4), which the witness formats want of the program's files.

/// The digest in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let mut state: [u32; 8] = fractions(8, 2).try_into().expect("eight words were asked for");
    let round: Vec<u32> = fractions(64, 3);
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks(64) {
        compress(&mut state, block, &round);
    }
    state.iter().map(|w| format!("{w:08x}")).collect()
}

/// The first 32 bits of the fractional parts of the square or cube roots of the first primes.
fn fractions(count: usize, root: u32) -> Vec<u32> {
    let prime = |n: &u64| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (2u64..).filter(prime).take(count).map(|p| fraction(p, root)).collect()
}

/// floor(p^(1/root) * 2^32) mod 2^32, by bisection on whole numbers.
fn fraction(p: u64, root: u32) -> u32 {
    let (mut low, mut high) = (0u128, 1u128 << 37);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let fits = match root {
            2 => middle * middle <= u128::from(p) << 64,
            _ => middle * middle * middle <= u128::from(p) << 96,
        };
        if fits {
            low = middle;
        } else {
            high = middle;
        }
    }
    low as u32
}

fn compress(state: &mut [u32; 8], block: &[u8], round: &[u32]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(round[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *s = s.wrapping_add(v);
    }
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn the_standards_examples() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(
            sha256(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
    }
}
