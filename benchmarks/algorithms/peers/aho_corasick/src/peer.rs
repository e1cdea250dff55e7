// SPDX-License-Identifier: Apache-2.0
//! The crate aho-corasick behind C functions: the same literals, records and marks as ours.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::slice::from_raw_parts;

/// An automaton, and the last record in which each literal was seen.
pub struct Peer {
    automaton: AhoCorasick,
    stamps: Vec<u32>,
    stamp: u32,
}

/// Literal i is `bytes[starts[i]..starts[i + 1]]`; `dense` is the full automaton.
///
/// # Safety
/// `starts` has `count + 1` entries, ascending, and `bytes` as many as the last one says.
#[no_mangle]
pub unsafe extern "C" fn peer_ac_new(
    bytes: *const u8,
    starts: *const u32,
    count: u32,
    dense: i32,
) -> *mut Peer {
    let starts = from_raw_parts(starts, count as usize + 1);
    let bytes = from_raw_parts(bytes, starts[count as usize] as usize);
    let literals = starts.windows(2).map(|w| &bytes[w[0] as usize..w[1] as usize]);
    let kind = if dense != 0 {
        AhoCorasickKind::DFA
    } else {
        AhoCorasickKind::ContiguousNFA
    };
    let automaton = AhoCorasick::builder()
        .kind(Some(kind))
        .match_kind(MatchKind::Standard)
        .build(literals)
        .expect("literals of a benchmark fit");
    Box::into_raw(Box::new(Peer {
        automaton,
        stamps: vec![0; count as usize],
        stamp: 0,
    }))
}

/// Bytes of the automaton.
///
/// # Safety
/// `peer` comes from `peer_ac_new`.
#[no_mangle]
pub unsafe extern "C" fn peer_ac_bytes(peer: *const Peer) -> usize {
    (*peer).automaton.memory_usage()
}

/// Scans all records; returns the number of different (record, literal) pairs.
///
/// # Safety
/// As for `peer_ac_new`, of the records.
#[no_mangle]
pub unsafe extern "C" fn peer_ac_scan(
    peer: *mut Peer,
    bytes: *const u8,
    starts: *const u32,
    count: u32,
) -> u32 {
    let peer = &mut *peer;
    let starts = from_raw_parts(starts, count as usize + 1);
    let bytes = from_raw_parts(bytes, starts[count as usize] as usize);
    let mut pairs = 0;
    for window in starts.windows(2) {
        let record = &bytes[window[0] as usize..window[1] as usize];
        peer.stamp += 1;
        for found in peer.automaton.find_overlapping_iter(record) {
            let place = &mut peer.stamps[found.pattern().as_usize()];
            if *place != peer.stamp {
                *place = peer.stamp;
                pairs += 1;
            }
        }
    }
    pairs
}
