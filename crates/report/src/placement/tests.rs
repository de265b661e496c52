use super::*;
use crate::contract::assert_valid;
use crate::fixture;
use loopwright_analysis::model::{LauncherFile, Provenance};

fn placed(order: PlacementOrder, tile: &[u32], messages: u64) -> PlacedFacts {
    const MESSAGE: u64 = 128 << 10;
    let most = messages / 16 * MESSAGE;
    PlacedFacts {
        order,
        tile: tile.to_vec(),
        off_node_bytes: messages * MESSAGE,
        off_node_messages: messages,
        largest_egress: most,
        largest_ingress: most,
        egress: vec![most; 16],
        ingress: vec![most; 16],
        seconds: Some(most as f64 / 12.5e9),
        gain: (messages > 0).then(|| 512.0 / messages as f64),
    }
}

/// The halo of 16 x 16 ranks on 16 nodes.
fn halo() -> PlacementFacts {
    PlacementFacts {
        how: Provenance::Modelled,
        ranks: 256,
        ranks_on_node: vec![16; 16],
        bytes: 1024 * (128 << 10),
        bandwidth: Some(12.5e9),
        grid: Some(GridFacts { dimensions: vec![16, 16], periodic: vec![true, true], share: 1.0 }),
        candidates: vec![
            placed(PlacementOrder::Block, &[], 512),
            placed(PlacementOrder::RoundRobin, &[], 512),
            placed(PlacementOrder::Tiles, &[4, 4], 256),
            placed(PlacementOrder::Bisection, &[], 320),
        ],
        proposed: Some(2),
        node_of_rank: (0..256).map(|rank| rank / 64 * 4 + rank % 16 / 4).collect(),
        files: vec![
            LauncherFile {
                launcher: Launcher::Slurm,
                file: "order/slurm.hosts".to_owned(),
                command: Launcher::Slurm.command("order/slurm.hosts", 256, 16, "./my_program"),
            },
            LauncherFile {
                launcher: Launcher::Cray,
                file: "order/MPICH_RANK_ORDER".to_owned(),
                command: Launcher::Cray.command("order/MPICH_RANK_ORDER", 256, 16, "./my_program"),
            },
        ],
    }
}

#[test]
fn orders_are_compared_and_the_best_is_proposed() {
    assert_valid("PlacementFacts", &serde_json::to_value(halo()).unwrap());
    insta::assert_snapshot!(placement(&halo(), &TerminalStyle::plain(120)));
    insta::assert_snapshot!("narrow", fixture::visible(&placement(&halo(), &TerminalStyle::terminal(80))));
}

#[test]
fn without_files_no_line_is_too_wide() {
    let found = PlacementFacts { files: Vec::new(), ..halo() };
    for style in fixture::styles() {
        fixture::assert_fits(&placement(&found, &style), &style);
    }
    let text = placement(&found, &TerminalStyle::plain(120));
    assert!(text.contains("--for slurm,openmpi,cray,smpi"), "{text}");
}

#[test]
fn where_nothing_is_better_the_present_order_stays() {
    let found = PlacementFacts {
        proposed: None,
        node_of_rank: Vec::new(),
        files: Vec::new(),
        grid: None,
        bandwidth: None,
        ranks_on_node: vec![16, 15, 0, 16],
        ..halo()
    };
    let text = placement(&found, &TerminalStyle::plain(120));
    assert!(text.contains("Keep the present order") && text.contains("15-16 on each"), "{text}");
    assert!(!text.contains("Lattice") && !text.contains("Proposed") && !text.contains("--for"), "{text}");
}

#[test]
fn small_messages_are_pointed_out() {
    let note = "their number counts beside their bytes";
    assert!(!placement(&halo(), &TerminalStyle::plain(200)).contains(note));
    let mut found = halo();
    found.candidates.iter_mut().for_each(|one| one.off_node_messages *= 100);
    let text = placement(&found, &TerminalStyle::plain(200));
    assert!(text.contains("have 1.31 kB on average") && text.contains(note), "{text}");
}

#[test]
fn links_that_are_not_used_any_more_have_no_ratio() {
    let mut found = halo();
    found.candidates[2] = placed(PlacementOrder::Tiles, &[4, 4], 0);
    let text = placement(&found, &TerminalStyle::plain(120));
    assert!(text.contains("no message leaves a node any more"), "{text}");
}
