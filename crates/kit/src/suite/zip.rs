//! A zip archive of small files, stored as they are (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16).

const VERSION: u16 = 20;
/// 1980-01-01: the same files give the same archive.
const DATE: u16 = 0x21;

/// The archive of these files.
pub fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let offset = out.len() as u32;
        let common = common(name, bytes);
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(bytes);
        directory.extend(b"PK\x01\x02");
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&common);
        // Comment length, disk, attributes twice.
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (at, count) = (out.len() as u32, files.len() as u16);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// What a file's header and its entry in the directory have in common.
fn common(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for word in [VERSION, 0, 0, 0, DATE] {
        out.extend(word.to_le_bytes());
    }
    out.extend(crc32(bytes).to_le_bytes());
    let size = (bytes.len() as u32).to_le_bytes();
    out.extend(size);
    out.extend(size);
    out.extend((name.len() as u16).to_le_bytes());
    out.extend([0; 2]);
    out
}

/// CRC-32 as in IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 })
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
