//! Tiles: a node gets a block of neighbouring points of a lattice, of the shape with which the busiest link is least.
//!
//! CrayPAT's `grid_order -c` does this for a shape that its user chooses; here all shapes with as many points as a node has ranks are
//! compared. Where tiles do not divide the lattice those at its border are smaller, and a node gets parts of two tiles that follow each
//! other.

use crate::cost::Costs;
use crate::grid::Grid;
use crate::matrix::CommunicationMatrix;
use crate::nodes::Placement;

/// Shapes that are compared: 1,024 cores on four dimensions have 286.
const SHAPES: usize = 512;

/// A lattice cut into tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiled {
    /// Points of a tile along each dimension.
    pub shape: Vec<u32>,
    /// The ranks on their nodes.
    pub placement: Placement,
}

/// The best tiles of a lattice for nodes that have as many ranks as `room` says; nothing where no shape fits into it.
pub fn best(matrix: &CommunicationMatrix, grid: &Grid, room: &[u32]) -> Option<Tiled> {
    let points = room.iter().copied().max().unwrap_or(0);
    let mut best: Option<((u64, u64), Tiled)> = None;
    for shape in shapes(&grid.dimensions, points) {
        let placement = tiled(grid, &shape, room);
        let objective = Costs::of(matrix, &placement, room.len()).objective();
        if best.as_ref().is_none_or(|(known, _)| objective < *known) {
            best = Some((objective, Tiled { shape, placement }));
        }
    }
    best.map(|(_, tiled)| tiled)
}

/// All shapes of `points` points that fit into the dimensions.
fn shapes(dimensions: &[u32], points: u32) -> Vec<Vec<u32>> {
    let mut all = vec![(Vec::new(), points)];
    for size in dimensions {
        let mut next = Vec::new();
        for (shape, left) in &all {
            for along in (1..=*size.min(left)).filter(|along| left.is_multiple_of(*along)) {
                let mut longer = shape.clone();
                longer.push(along);
                next.push((longer, left / along));
            }
        }
        all = next;
    }
    all.into_iter().filter(|(_, left)| *left == 1).map(|(shape, _)| shape).take(SHAPES).collect()
}

/// Tile after tile, and within each point after point, on one node after the other.
fn tiled(grid: &Grid, shape: &[u32], room: &[u32]) -> Placement {
    let ranks: u32 = grid.dimensions.iter().product();
    let mut order: Vec<(Vec<u32>, u32)> = (0..ranks)
        .map(|rank| (grid.coordinates(rank).iter().zip(shape).map(|(at, along)| at / along).collect(), rank))
        .collect();
    order.sort();
    let mut node_of = vec![0; ranks as usize];
    for ((_, rank), node) in order.iter().zip(crate::nodes::filled(ranks, room)) {
        node_of[*rank as usize] = node;
    }
    Placement::new(node_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::tests::halo;

    /// The figures of a periodic halo of 16 x 16 ranks on 16 nodes of 16 cores: by rows each rank sends two messages to other nodes, in
    /// tiles of 4 x 4 only those of its border do.
    #[test]
    fn tiles_of_a_square_halve_the_egress_of_rows() {
        const MESSAGE: u64 = 128 << 10;
        let matrix = halo(&[16, 16], true, false);
        let room = [16; 16];
        let rows = Costs::of(&matrix, &Placement::new(crate::nodes::filled(256, &room)), 16);
        assert_eq!((rows.off_node_messages, rows.largest_egress()), (512, 32 * MESSAGE));
        let grid = Grid::recognise(&matrix).unwrap();
        let tiled = best(&matrix, &grid, &room).unwrap();
        assert_eq!(tiled.shape, [4, 4]);
        let costs = Costs::of(&matrix, &tiled.placement, 16);
        assert_eq!((costs.off_node_messages, costs.largest_egress()), (256, 16 * MESSAGE));
        assert_eq!((costs.largest_ingress(), rows.gain_of(&costs)), (16 * MESSAGE, Some(2.0)));
    }

    #[test]
    fn tiles_that_do_not_divide_the_lattice_fill_every_node() {
        let matrix = halo(&[7, 5], false, true);
        let grid = Grid::recognise(&matrix).unwrap();
        for room in
            [vec![6, 6, 6, 6, 6, 5], vec![12, 12, 11], vec![35], vec![4; 8].into_iter().chain([3]).collect()]
        {
            let tiled = best(&matrix, &grid, &room).unwrap();
            assert_eq!(tiled.placement.occupied(room.len()), room);
        }
        assert_eq!(best(&matrix, &grid, &[11, 11, 13]), None, "no row has 11 or 13 points");
    }

    #[test]
    fn shapes_are_those_that_fit() {
        assert_eq!(shapes(&[16, 16], 16), [[1, 16], [2, 8], [4, 4], [8, 2], [16, 1]]);
        assert_eq!(shapes(&[2, 3, 4], 6), [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1]]);
        assert_eq!(shapes(&[4], 8), Vec::<Vec<u32>>::new());
    }
}
