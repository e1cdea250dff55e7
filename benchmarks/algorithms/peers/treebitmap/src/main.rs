// SPDX-License-Identifier: Apache-2.0
//! treebitmap FOLDER FAMILY ROUNDS: reads `routes` and `keys` that fib.c wrote, and prints the
//! digest and nanoseconds a look-up for each round as a line of JSON.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Instant;
use treebitmap::address::Address;
use treebitmap::IpLookupTable;

fn words(path: String) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("a file that fib wrote");
    bytes
        .chunks_exact(8)
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

fn digest(results: &[u32]) -> u64 {
    results
        .iter()
        .flat_map(|result| result.to_le_bytes())
        .fold(0xcbf29ce484222325, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x100000001b3)
        })
}

fn run<A: Address>(folder: &str, rounds: usize, address: fn(u64, u64) -> A) {
    let mut table: IpLookupTable<A, u32> = IpLookupTable::new();
    for route in words(format!("{folder}/routes")).chunks_exact(3) {
        let length = route[2] as u32; // the length's four bytes come first
        let next_hop = (route[2] >> 32) as u32;
        table.insert(address(route[0], route[1]), length, next_hop);
    }
    let keys: Vec<A> = words(format!("{folder}/keys"))
        .chunks_exact(2)
        .map(|key| address(key[0], key[1]))
        .collect();
    let mut results = vec![0; keys.len()];
    let mut taken = Vec::new();
    for _ in 0..=rounds {
        let began = Instant::now();
        for (result, key) in results.iter_mut().zip(&keys) {
            *result = table.longest_match(*key).map_or(0, |found| *found.2);
        }
        taken.push(began.elapsed().as_nanos() as f64 / keys.len() as f64);
    }
    println!(
        "{{\"digest\":\"{:016x}\",\"ns\":{:?}}}",
        digest(&results),
        &taken[1..]
    );
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let rounds = words[3].parse().expect("a number of rounds");
    if words[2] == "4" {
        run(&words[1], rounds, |high, _| Ipv4Addr::from((high >> 32) as u32));
    } else {
        run(&words[1], rounds, |high, low| {
            Ipv6Addr::from(u128::from(high) << 64 | u128::from(low))
        });
    }
}
