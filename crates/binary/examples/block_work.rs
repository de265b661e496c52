//! Time of the static work of all blocks of a file: `cargo run --release --example block_work -- /usr/bin/python3`.

use loopwright_binary::code::{Graph, Returns, block_work, decode};
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_binary::work::Work;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: block_work FILE")?;
    let image = Image::open(path.as_ref(), &DebugSearch::default())?;
    let mut returns = Returns::default();
    let (mut total, mut blocks, mut variable) = (Work::default(), 0u64, 0);
    let (mut decoding, mut working) = (Duration::ZERO, Duration::ZERO);
    for function in image.functions() {
        let start = Instant::now();
        let graph = Graph::new(&decode(&image, function, &mut returns));
        decoding += start.elapsed();
        let start = Instant::now();
        let work: Vec<_> = (0..graph.blocks.len()).map(|b| block_work(graph.code(b as u32))).collect();
        working += start.elapsed();
        for w in &work {
            total.add_times(&w.fixed, 1);
            variable += w.variable.len();
        }
        blocks += work.len() as u64;
    }
    let per = |d: Duration| d.as_nanos() as f64 / total.instructions as f64;
    println!("{blocks} blocks, {} instructions, {variable} variable groups", total.instructions);
    println!("decoding {:.0} ns, work {:.0} ns per instruction", per(decoding), per(working));
    println!("static sums: {total:#?}");
    Ok(())
}
