//! Arbitrary bytes as SGF: they are read or rejected, and what was read survives writing and
//! reading.
#![cfg_attr(fuzzing, no_main)]

use tengen::record::{ccgc::CcgcStyle, sgf};

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| read(data));

pub(crate) fn read(data: &[u8]) {
    let Ok(record) = sgf::read(&sgf::decode(data)) else {
        return;
    };
    let text = sgf::write(&record);
    let again = sgf::read(&text).expect("we read what we write");
    assert_eq!(sgf::write(&again), text);
    let style = CcgcStyle::default();
    assert!(style.write(&record).ends_with(")\n"));
    assert!(!style.file_name(&record, "").contains('/'));
}
