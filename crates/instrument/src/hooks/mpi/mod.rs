//! Functions of MPI.

pub mod functions;
pub mod gather;

use super::Library;

/// The functions of the library that the handler calls, in the order of `struct process` in `handler.c`.
const CALLED: [&str; 10] = [
    "PMPI_Type_size",
    "PMPI_Comm_size",
    "PMPI_Comm_rank",
    "PMPI_Comm_group",
    "PMPI_Group_size",
    "PMPI_Group_translate_ranks",
    "PMPI_Group_free",
    "PMPI_Comm_test_inter",
    "PMPI_Comm_remote_group",
    "PMPI_Barrier",
];
/// `MPI_COMM_WORLD` of Open MPI: the address of this variable, which may be a copy in the program.
pub const OPEN_MPI_WORLD: &str = "ompi_mpi_comm_world";
/// `MPI_COMM_WORLD` of MPICH and of the libraries with its binary interface (`mpi.h` of MPICH 4.0).
const MPICH_WORLD: u64 = 0x4400_0000;
/// Of the standard's binary interface (MPI 5.0, chapter 20); its library is named for it.
const STANDARD_WORLD: u64 = 0x101;
const STANDARD_LIBRARY: &str = "libmpi_abi.so";

/// `struct process` of `handler.c`.
pub fn process(barriers: bool, library: &Library<'_>) -> Vec<u64> {
    let mut words = library.addresses(CALLED);
    if !barriers {
        words[CALLED.len() - 1] = 0;
    }
    let standard = library.path.rsplit('/').next().is_some_and(|name| name.starts_with(STANDARD_LIBRARY));
    // Handles are pointers but for MPICH's, which are of type int. MPI_IN_PLACE is 1 for Open MPI and the standard, and -1 for MPICH.
    let (world, in_place, bits) = match library.world {
        Some(world) => (world, 1, 64),
        None if standard => (STANDARD_WORLD, 1, 64),
        None => (MPICH_WORLD, u64::MAX, 32),
    };
    words.into_iter().chain([world, in_place, bits, 0]).collect()
}
