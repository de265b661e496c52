//! Processor time that the static work of all blocks of a file takes:
//! `cargo run --release --example block_work -- /usr/bin/python3`.

use loopwright_binary::code::{Graph, Returns, block_work, decode};
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_binary::work::Work;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: block_work FILE")?;
    let image = Image::open(path.as_ref(), &DebugSearch::default())?;
    let returns = Returns::default();
    let start = processor_time()?;
    let graphs: Vec<Graph> =
        image.functions().iter().map(|f| Graph::new(&decode(&image, f, &returns))).collect();
    let decoding = processor_time()? - start;
    let (mut total, mut blocks, mut variable) = (Work::default(), 0u64, 0);
    let start = processor_time()?;
    for (graph, block) in graphs.iter().flat_map(|g| (0..g.blocks.len() as u32).map(move |b| (g, b))) {
        let work = block_work(graph.code(block));
        total.add_times(&work.fixed, 1);
        variable += work.variable.len();
        blocks += 1;
    }
    let working = processor_time()? - start;
    let per = |nanoseconds: u64| nanoseconds as f64 / total.instructions as f64;
    println!("{blocks} blocks, {} instructions, {variable} variable groups", total.instructions);
    println!("decoding {:.0} ns, work {:.0} ns per instruction", per(decoding), per(working));
    println!("static sums: {total:#?}");
    Ok(())
}

/// Nanoseconds that this thread has run, which other load does not disturb.
fn processor_time() -> Result<u64, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split_whitespace().next().ok_or("no scheduler statistics")?.parse()?)
}
