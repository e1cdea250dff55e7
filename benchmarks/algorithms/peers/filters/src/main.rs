// SPDX-License-Identifier: Apache-2.0
//! The peers of the set-membership filters: the crates xorf and fastbloom, timed as ours are.
//!
//! `filters PEER N HIT_PCT REPEATS PASS_MS` prints one line of JSON. Keys and queries are those of
//! `gm-algorithms filter`, and `query_digest` proves it.

use std::hint::black_box;
use std::time::Instant;

use fastbloom::BloomFilter;
use xorf::{BinaryFuse8, Filter};

/// What a blocked filter of 32 bytes for 24 keys takes for members.
const FALSE_POSITIVES: f64 = 0.0092;

fn mix64(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
    z ^ (z >> 31)
}

fn fmix32(mut h: u32) -> u32 {
    h = (h ^ (h >> 16)).wrapping_mul(0x85ebca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2ae35);
    h ^ (h >> 16)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        (((mix64(self.0) >> 32) * u64::from(bound)) >> 32) as u32
    }
}

fn queries(n: u32, hit_pct: u32) -> Vec<u64> {
    let mut random = Random(7);
    (0..n)
        .map(|i| {
            let hit = random.below(100) < hit_pct;
            let member = random.below(n);
            u64::from(fmix32(if hit { member } else { (1 << 31) + i }))
        })
        .collect()
}

fn digest(keys: &[u64]) -> u64 {
    let bytes = keys.iter().flat_map(|&key| (key as u32).to_le_bytes());
    bytes.fold(0xcbf29ce484222325, |digest: u64, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x100000001b3)
    })
}

/// Nanoseconds of an operation, one value a repeat: a pass to warm up, then passes of PASS_MS.
fn timed(repeats: u32, pass_ms: u64, operations: usize, mut pass: impl FnMut()) -> Vec<f64> {
    pass();
    let began = Instant::now();
    pass();
    let once = began.elapsed().as_nanos().max(1) as u64;
    let passes = 1 + pass_ms * 1_000_000 / once;
    (0..repeats)
        .map(|_| {
            let began = Instant::now();
            for _ in 0..passes {
                pass();
            }
            began.elapsed().as_nanos() as f64 / (operations as u64 * passes) as f64
        })
        .collect()
}

fn bloom(n: u32) -> BloomFilter<foldhash::fast::FixedState> {
    BloomFilter::with_false_pos(FALSE_POSITIVES)
        .hasher(foldhash::fast::FixedState::with_seed(1))
        .expected_items(n as usize)
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |i: usize| words[i].parse::<u32>().expect("a number");
    let (n, hit_pct, repeats, pass_ms) = (number(2), number(3), number(4), u64::from(number(5)));
    let keys: Vec<u64> = (0..n).map(|i| u64::from(fmix32(i))).collect();
    let asked = queries(n, hit_pct);
    let mut answers = vec![0u8; n as usize];
    let time = |pass: &mut dyn FnMut()| timed(repeats, pass_ms, n as usize, pass);
    let (ns, bytes) = match words[1].as_str() {
        "fuse-build" => {
            let ns = time(&mut || drop(black_box(BinaryFuse8::try_from(&keys).unwrap())));
            (ns, BinaryFuse8::try_from(&keys).unwrap().len())
        }
        "fuse-find" => {
            let filter = BinaryFuse8::try_from(&keys).unwrap();
            let ns = time(&mut || {
                for (answer, key) in answers.iter_mut().zip(&asked) {
                    *answer = u8::from(filter.contains(key));
                }
                black_box(&mut answers);
            });
            (ns, filter.len())
        }
        "bloom-add" => {
            let mut filter = bloom(n);
            let ns = time(&mut || {
                filter.clear();
                for key in &keys {
                    filter.insert(key);
                }
                black_box(&mut filter);
            });
            (ns, filter.num_bits() / 8)
        }
        "bloom-find" => {
            let mut filter = bloom(n);
            filter.insert_all(&keys);
            let ns = time(&mut || {
                for (answer, key) in answers.iter_mut().zip(&asked) {
                    *answer = u8::from(filter.contains(key));
                }
                black_box(&mut answers);
            });
            (ns, filter.num_bits() / 8)
        }
        peer => panic!("no peer {peer}"),
    };
    let positives: u64 = answers.iter().map(|&answer| u64::from(answer)).sum();
    println!(
        "{{\"bytes\":{bytes},\"positives\":{positives},\"query_digest\":\"{:016x}\",\"ns\":{ns:?}}}",
        digest(&asked)
    );
}
