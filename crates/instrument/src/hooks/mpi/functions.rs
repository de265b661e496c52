//! The functions of MPI that are hooked, and where their arguments are (MPI 4.0, annex A).

use crate::hooks::Known;
pub use crate::hooks::shapes::Shape;
use crate::hooks::shapes::{SYNCHRONISE, WIDE, WRAPPER};

/// What a call is for.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CallClass {
    /// Between two ranks.
    PointToPoint,
    /// Among all ranks of a communicator.
    Collective,
    /// Waits for what began before, or looks whether it ended.
    Completion,
    /// One-sided communication.
    OneSided,
    /// Files.
    Files,
    /// Everything else: communicators, types, environment.
    #[default]
    Other,
}

/// A function by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// As the standard writes it.
    pub name: &'static str,
    /// Where its arguments are.
    pub shape: Shape,
}

impl Function {
    /// What it is for.
    pub fn class(&self) -> CallClass {
        use Shape as S;
        match self.shape {
            S::Send | S::Receive | S::SendReceive | S::SendReceiveReplace | S::SendInit | S::ReceiveInit => {
                CallClass::PointToPoint
            }
            S::Start | S::StartAll | S::PartitionedInit => CallClass::PointToPoint,
            S::Barrier
            | S::Broadcast
            | S::Gather
            | S::GatherV
            | S::Scatter
            | S::ScatterV
            | S::AllGather
            | S::AllGatherV
            | S::AllToAll
            | S::AllToAllV
            | S::AllToAllW
            | S::Reduce
            | S::AllReduce
            | S::ReduceScatter
            | S::ReduceScatterBlock => CallClass::Collective,
            S::OneSided => CallClass::OneSided,
            S::Plain | S::Unshown | S::Free | S::Finalize => {
                let starts = |prefix: &str| self.name.starts_with(prefix);
                let waits = ["MPI_Wait", "MPI_Test", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"];
                if waits.iter().any(|p| starts(p)) && self.name != "MPI_Test_cancelled" {
                    CallClass::Completion
                } else if starts("MPI_Win_") || starts("MPI_Fetch_") || starts("MPI_Compare_") {
                    CallClass::OneSided
                } else if starts("MPI_File_") {
                    CallClass::Files
                } else if starts("MPI_Neighbor") || starts("MPI_Ineighbor") {
                    CallClass::Collective
                } else {
                    CallClass::Other
                }
            }
        }
    }

    /// All ranks of the communicator take part and wait for each other, so that a barrier before it shows how long.
    pub fn synchronises(&self) -> bool {
        let at_once = !self.name.starts_with("MPI_I") && !self.name.ends_with("_init");
        self.class() == CallClass::Collective
            && self.shape != Shape::Unshown
            && self.shape != Shape::Barrier
            && at_once
    }
}

const fn f(name: &'static str, shape: Shape) -> Function {
    Function { name, shape }
}

use Shape::*;

/// All of them; a function's number is its place here.
pub static FUNCTIONS: &[Function] = &[
    f("MPI_Send", Send),
    f("MPI_Bsend", Send),
    f("MPI_Ssend", Send),
    f("MPI_Rsend", Send),
    f("MPI_Isend", Send),
    f("MPI_Ibsend", Send),
    f("MPI_Issend", Send),
    f("MPI_Irsend", Send),
    f("MPI_Recv", Receive),
    f("MPI_Irecv", Receive),
    f("MPI_Mrecv", Receive),
    f("MPI_Imrecv", Receive),
    f("MPI_Sendrecv", SendReceive),
    f("MPI_Isendrecv", SendReceive),
    f("MPI_Sendrecv_replace", SendReceiveReplace),
    f("MPI_Isendrecv_replace", SendReceiveReplace),
    f("MPI_Send_init", SendInit),
    f("MPI_Bsend_init", SendInit),
    f("MPI_Ssend_init", SendInit),
    f("MPI_Rsend_init", SendInit),
    f("MPI_Recv_init", ReceiveInit),
    f("MPI_Start", Start),
    f("MPI_Startall", StartAll),
    f("MPI_Wait", Plain),
    f("MPI_Waitall", Plain),
    f("MPI_Waitany", Plain),
    f("MPI_Waitsome", Plain),
    f("MPI_Test", Plain),
    f("MPI_Testall", Plain),
    f("MPI_Testany", Plain),
    f("MPI_Testsome", Plain),
    f("MPI_Probe", Plain),
    f("MPI_Iprobe", Plain),
    f("MPI_Mprobe", Plain),
    f("MPI_Improbe", Plain),
    f("MPI_Barrier", Barrier),
    f("MPI_Ibarrier", Barrier),
    f("MPI_Bcast", Broadcast),
    f("MPI_Ibcast", Broadcast),
    f("MPI_Gather", Gather),
    f("MPI_Igather", Gather),
    f("MPI_Gatherv", GatherV),
    f("MPI_Igatherv", GatherV),
    f("MPI_Scatter", Scatter),
    f("MPI_Iscatter", Scatter),
    f("MPI_Scatterv", ScatterV),
    f("MPI_Iscatterv", ScatterV),
    f("MPI_Allgather", AllGather),
    f("MPI_Iallgather", AllGather),
    f("MPI_Allgatherv", AllGatherV),
    f("MPI_Iallgatherv", AllGatherV),
    f("MPI_Alltoall", AllToAll),
    f("MPI_Ialltoall", AllToAll),
    f("MPI_Alltoallv", AllToAllV),
    f("MPI_Ialltoallv", AllToAllV),
    f("MPI_Alltoallw", AllToAllW),
    f("MPI_Ialltoallw", AllToAllW),
    f("MPI_Reduce", Reduce),
    f("MPI_Ireduce", Reduce),
    f("MPI_Allreduce", AllReduce),
    f("MPI_Iallreduce", AllReduce),
    f("MPI_Scan", AllReduce),
    f("MPI_Iscan", AllReduce),
    f("MPI_Exscan", AllReduce),
    f("MPI_Iexscan", AllReduce),
    f("MPI_Reduce_scatter", ReduceScatter),
    f("MPI_Ireduce_scatter", ReduceScatter),
    f("MPI_Reduce_scatter_block", ReduceScatterBlock),
    f("MPI_Ireduce_scatter_block", ReduceScatterBlock),
    f("MPI_Neighbor_allgather", Unshown),
    f("MPI_Neighbor_allgatherv", Unshown),
    f("MPI_Neighbor_alltoall", Unshown),
    f("MPI_Neighbor_alltoallv", Unshown),
    f("MPI_Neighbor_alltoallw", Unshown),
    f("MPI_Ineighbor_allgather", Unshown),
    f("MPI_Ineighbor_allgatherv", Unshown),
    f("MPI_Ineighbor_alltoall", Unshown),
    f("MPI_Ineighbor_alltoallv", Unshown),
    f("MPI_Ineighbor_alltoallw", Unshown),
    f("MPI_Put", OneSided),
    f("MPI_Get", OneSided),
    f("MPI_Accumulate", OneSided),
    f("MPI_Rput", OneSided),
    f("MPI_Rget", OneSided),
    f("MPI_Raccumulate", OneSided),
    f("MPI_Get_accumulate", OneSided),
    f("MPI_Rget_accumulate", OneSided),
    f("MPI_Fetch_and_op", Unshown),
    f("MPI_Compare_and_swap", Unshown),
    f("MPI_Win_allocate", Plain),
    f("MPI_Win_allocate_shared", Plain),
    f("MPI_Win_create", Plain),
    f("MPI_Win_create_dynamic", Plain),
    f("MPI_Win_free", Plain),
    f("MPI_Win_fence", Plain),
    f("MPI_Win_lock", Plain),
    f("MPI_Win_lock_all", Plain),
    f("MPI_Win_unlock", Plain),
    f("MPI_Win_unlock_all", Plain),
    f("MPI_Win_flush", Plain),
    f("MPI_Win_flush_all", Plain),
    f("MPI_Win_flush_local", Plain),
    f("MPI_Win_flush_local_all", Plain),
    f("MPI_Win_post", Plain),
    f("MPI_Win_start", Plain),
    f("MPI_Win_complete", Plain),
    f("MPI_Win_wait", Plain),
    f("MPI_Win_test", Plain),
    f("MPI_Win_sync", Plain),
    f("MPI_Psend_init", PartitionedInit),
    f("MPI_Precv_init", PartitionedInit),
    f("MPI_Pready", Plain),
    f("MPI_Pready_range", Plain),
    f("MPI_Pready_list", Plain),
    f("MPI_Parrived", Plain),
    f("MPI_Pack", Plain),
    f("MPI_Unpack", Plain),
    f("MPI_Buffer_attach", Plain),
    f("MPI_Buffer_detach", Plain),
    f("MPI_Cancel", Plain),
    f("MPI_Request_free", Plain),
    f("MPI_Comm_create", Plain),
    f("MPI_Comm_create_group", Plain),
    f("MPI_Comm_dup", Plain),
    f("MPI_Comm_dup_with_info", Plain),
    f("MPI_Comm_idup", Plain),
    f("MPI_Comm_split", Plain),
    f("MPI_Comm_split_type", Plain),
    f("MPI_Comm_spawn", Plain),
    f("MPI_Comm_spawn_multiple", Plain),
    f("MPI_Comm_accept", Plain),
    f("MPI_Comm_connect", Plain),
    f("MPI_Comm_free", Free),
    f("MPI_Comm_disconnect", Free),
    f("MPI_Intercomm_create", Plain),
    f("MPI_Intercomm_merge", Plain),
    f("MPI_Cart_create", Plain),
    f("MPI_Cart_sub", Plain),
    f("MPI_Graph_create", Plain),
    f("MPI_Dist_graph_create", Plain),
    f("MPI_Dist_graph_create_adjacent", Plain),
    f("MPI_Init", Plain),
    f("MPI_Init_thread", Plain),
    f("MPI_Finalize", Finalize),
    f("MPI_File_open", Plain),
    f("MPI_File_close", Plain),
    f("MPI_File_sync", Plain),
    f("MPI_File_set_view", Plain),
    f("MPI_File_set_size", Plain),
    f("MPI_File_preallocate", Plain),
    f("MPI_File_read", Plain),
    f("MPI_File_read_all", Plain),
    f("MPI_File_read_at", Plain),
    f("MPI_File_read_at_all", Plain),
    f("MPI_File_read_ordered", Plain),
    f("MPI_File_read_shared", Plain),
    f("MPI_File_iread", Plain),
    f("MPI_File_iread_all", Plain),
    f("MPI_File_iread_at", Plain),
    f("MPI_File_iread_at_all", Plain),
    f("MPI_File_write", Plain),
    f("MPI_File_write_all", Plain),
    f("MPI_File_write_at", Plain),
    f("MPI_File_write_at_all", Plain),
    f("MPI_File_write_ordered", Plain),
    f("MPI_File_write_shared", Plain),
    f("MPI_File_iwrite", Plain),
    f("MPI_File_iwrite_all", Plain),
    f("MPI_File_iwrite_at", Plain),
    f("MPI_File_iwrite_at_all", Plain),
];

/// A function that a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its number.
    pub number: u32,
    /// It is called by another language, and calls the function itself.
    pub wrapper: bool,
    /// Its counts have 64 bits (`MPI_Send_c`).
    pub wide: bool,
}

/// How the handler knows the function that a symbol is.
pub fn known(symbol: &str) -> Option<Known> {
    let named = named(symbol)?;
    let function = FUNCTIONS.get(named.number as usize)?;
    let mark = |set: bool, mark: u32| if set { mark } else { 0 };
    let word = named.number
        | (function.shape as u32) << 16
        | mark(named.wide, WIDE)
        | mark(named.wrapper, WRAPPER)
        | mark(function.synchronises() && !named.wrapper, SYNCHRONISE);
    Some(Known { word, wrapper: named.wrapper })
}

/// The function of MPI that a symbol is; none for any other.
pub fn named(symbol: &str) -> Option<Named> {
    // The version of a symbol is behind an `@`.
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    let number = |name: &str| FUNCTIONS.iter().position(|f| f.name == name).map(|n| n as u32);
    let c = symbol.strip_prefix('P').unwrap_or(symbol);
    if c.starts_with("MPI_") {
        if let Some(number) = number(c) {
            return Some(Named { number, wrapper: false, wide: false });
        }
        if let Some(number) = c.strip_suffix("_c").and_then(number) {
            return Some(Named { number, wrapper: false, wide: true });
        }
    }
    // Fortran compilers write names in lower or upper case, with no, one or two underscores behind them (BIND(C) of the standard's
    // module `mpi_f08` adds its own ends, MPI 4.0, section 19.1.5).
    let lower = symbol.to_ascii_lowercase();
    let plain = lower.strip_prefix('p').unwrap_or(&lower);
    if !plain.starts_with("mpi_") {
        return None;
    }
    let plain = plain.trim_end_matches('_');
    let ends = ["", "_f08ts", "_f08", "_fts", "_f"];
    let number = ends.iter().find_map(|end| {
        let base = plain.strip_suffix(end)?;
        FUNCTIONS.iter().position(|f| f.name.eq_ignore_ascii_case(base)).map(|n| n as u32)
    });
    number.map(|number| Named { number, wrapper: true, wide: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn found(symbol: &str) -> Option<(&'static str, bool, bool)> {
        named(symbol).map(|n| (FUNCTIONS[n.number as usize].name, n.wrapper, n.wide))
    }

    #[test]
    fn symbols_of_both_families_and_all_languages_are_known() {
        assert_eq!(found("MPI_Send"), Some(("MPI_Send", false, false)));
        assert_eq!(found("PMPI_Isend"), Some(("MPI_Isend", false, false)));
        assert_eq!(found("PMPI_Send_c@@Base"), Some(("MPI_Send", false, true)));
        for symbol in
            ["mpi_isend_", "mpi_isend__", "MPI_ISEND", "pmpi_isend_", "mpi_isend_f08_", "mpi_isend_f08ts_"]
        {
            assert_eq!(found(symbol), Some(("MPI_Isend", true, false)), "{symbol}");
        }
        for other in
            ["MPI_Wtime", "mpi_wtime_", "MPIR_Send", "ompi_send_f", "MPI_Comm_f2c", "main", "", "P", "MPI_"]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn each_function_is_there_once() {
        let names: HashSet<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
        assert_eq!(names.len(), FUNCTIONS.len());
    }

    #[test]
    fn classes_follow_from_names_and_arguments() {
        let class = |symbol: &str| FUNCTIONS[named(symbol).unwrap().number as usize].class();
        assert_eq!(class("MPI_Waitall"), CallClass::Completion);
        assert_eq!(class("MPI_Win_fence"), CallClass::OneSided);
        assert_eq!(class("MPI_Rput"), CallClass::OneSided);
        assert_eq!(class("MPI_File_write_all"), CallClass::Files);
        assert_eq!(class("MPI_Neighbor_alltoall"), CallClass::Collective);
        assert_eq!(class("MPI_Fetch_and_op"), CallClass::OneSided);
        assert_eq!(class("MPI_Cart_create"), CallClass::Other);
        let synchronises = |symbol: &str| FUNCTIONS[named(symbol).unwrap().number as usize].synchronises();
        assert!(synchronises("MPI_Allreduce") && synchronises("MPI_Bcast"));
        assert!(
            !synchronises("MPI_Neighbor_alltoall"),
            "where its communicator is among the arguments is not known"
        );
        assert!(!synchronises("MPI_Iallreduce") && !synchronises("MPI_Barrier") && !synchronises("MPI_Send"));
    }
}
