//! Numbers that handlers and tables share beside the layout: where functions have their arguments, and marks in the word that names
//! a function to a handler. `build.rs` hands them to the compiler of the handlers.

/// Defines an enumeration with the names that a handler has for its values.
macro_rules! shapes {
    ($(#[$about:meta])* $list:ident, $name:ident { $($(#[$doc:meta])* $variant:ident = $c:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        /// Their names in the handler.
        pub const $list: &[(&str, $name)] = &[$(($c, $name::$variant),)*];
    };
}

/// Marks of functions of MPI: counts have 64 bits; another language calls it, and it calls the function itself; all ranks of the
/// communicator wait in it.
pub const MARKS: [(&str, u32); 3] = [("WIDE", WIDE), ("WRAPPER", WRAPPER), ("SYNCHRONISE", SYNCHRONISE)];
pub const WIDE: u32 = 1 << 24;
pub const WRAPPER: u32 = 1 << 25;
pub const SYNCHRONISE: u32 = 1 << 26;
/// Mark of functions whose end the handler need not see: their copies have a hook at the entry alone.
pub const BEGIN_ONLY: u32 = 1 << 27;

shapes! {
    /// Where a function of MPI has its arguments, counted from 0; what is not given it does not have.
    MPI, Shape {
        /// Counted and timed.
        Plain = "PLAIN",
        /// `(buffer, count, type, receiver, tag, communicator, ..)`.
        Send = "SEND",
        /// `(buffer, count, type, sender, ..)`.
        Receive = "RECEIVE",
        /// `(buffer, count, type, receiver, tag, buffer, count, type, sender, tag, communicator, ..)`.
        SendReceive = "SEND_RECEIVE",
        /// `(buffer, count, type, receiver, tag, sender, tag, communicator, ..)`.
        SendReceiveReplace = "SEND_RECEIVE_REPLACE",
        /// `(buffer, count, type, receiver, tag, communicator, request)`: begins nothing yet.
        SendInit = "SEND_INIT",
        /// The same of a receive.
        ReceiveInit = "RECEIVE_INIT",
        /// `(request)`.
        Start = "START",
        /// `(count, requests)`.
        StartAll = "START_ALL",
        /// `(communicator)`.
        Barrier = "BARRIER",
        /// `(buffer, count, type, root, communicator)`.
        Broadcast = "BROADCAST",
        /// `(from, count, type, to, count, type, root, communicator)`.
        Gather = "GATHER",
        /// With counts and places: `(from, count, type, to, counts, places, type, root, communicator)`.
        GatherV = "GATHER_V",
        /// `(from, count, type, to, count, type, root, communicator)`.
        Scatter = "SCATTER",
        /// `(from, counts, places, type, to, count, type, root, communicator)`.
        ScatterV = "SCATTER_V",
        /// `(from, count, type, to, count, type, communicator)`.
        AllGather = "ALL_GATHER",
        /// `(from, count, type, to, counts, places, type, communicator)`.
        AllGatherV = "ALL_GATHER_V",
        /// As `AllGather`, a part for each rank.
        AllToAll = "ALL_TO_ALL",
        /// `(from, counts, places, type, to, counts, places, type, communicator)`.
        AllToAllV = "ALL_TO_ALL_V",
        /// `(from, counts, places, types, to, counts, places, types, communicator)`.
        AllToAllW = "ALL_TO_ALL_W",
        /// `(from, to, count, type, operation, root, communicator)`.
        Reduce = "REDUCE",
        /// `(from, to, count, type, operation, communicator)`.
        AllReduce = "ALL_REDUCE",
        /// `(from, to, counts, type, operation, communicator)`.
        ReduceScatter = "REDUCE_SCATTER",
        /// `(from, to, count, type, operation, communicator)`, a part for each rank.
        ReduceScatterBlock = "REDUCE_SCATTER_BLOCK",
        /// `(buffer, count, type, target, ..)` of one-sided communication.
        OneSided = "ONE_SIDED",
        /// Frees a communicator: what is known of its ranks is void.
        Free = "FREE",
        /// The one before the program's last.
        Finalize = "FINALIZE",
        /// `(buffer, partitions, count, type, rank, tag, communicator, info, request)`.
        PartitionedInit = "PARTITIONED_INIT",
        /// Sends what its arguments alone do not show: to neighbours that a communicator knows, or one element of a type.
        Unshown = "UNSHOWN",
    }
}

shapes! {
    /// What a function of input and output does, and where its arguments are, counted from 0.
    FILES, IoShape {
        /// Counted and timed; the bytes are not known.
        Plain = "PLAIN",
        /// It moves nothing, and returns a negative number where it fails.
        Other = "OTHER",
        /// It moves nothing, and does not show whether it fails.
        Silent = "SILENT",
        /// It returns a stream, 0 where it fails.
        OpenStream = "OPEN_STREAM",
        /// `(path, flags, ..)`, returns a descriptor.
        Open = "OPEN",
        /// `(folder, path, flags, ..)`, returns a descriptor.
        OpenAt = "OPEN_AT",
        /// `(path, ..)`, returns a descriptor of an empty file.
        Create = "CREATE",
        /// `(descriptor, ..)`, returns bytes read at the file's position.
        Read = "READ",
        /// `(descriptor, buffer, bytes, offset)`, returns bytes read.
        ReadAt = "READ_AT",
        /// `(descriptor, ..)`, returns bytes written at the file's position.
        Write = "WRITE",
        /// `(descriptor, buffer, bytes, offset)`, returns bytes written.
        WriteAt = "WRITE_AT",
        /// `(to, from, ..)`, returns bytes moved.
        Send = "SEND_FILE",
        /// `(from, offset, to, ..)`, returns bytes moved.
        Copy = "COPY_RANGE",
        /// `(descriptor, ..)`, returns the file's position.
        Seek = "SEEK",
        /// `(descriptor)`: the file's bytes are on the device afterwards.
        Sync = "SYNC",
        /// `(descriptor)`.
        Close = "CLOSE",
        /// `(first descriptor, last one, flags)`.
        CloseRange = "CLOSE_DESCRIPTORS",
        /// `(descriptor, ..)`, returns another one of the same file.
        Duplicate = "DUPLICATE",
        /// `(descriptor, command, ..)`: some commands duplicate.
        Control = "CONTROL",
        /// `(address, bytes, .., .., descriptor, ..)`.
        Map = "MAP",
        /// `(buffer, size, number, stream)`, returns how many elements.
        Elements = "ELEMENTS",
        /// `(buffer, bytes, size, number, stream)`, returns how many elements.
        ElementsChecked = "ELEMENTS_CHECKED",
        /// Returns bytes, or a negative number.
        Bytes = "BYTES",
        /// `(stream)`: closes its descriptor.
        CloseStream = "CLOSE_STREAM",
    }
}

shapes! {
    /// What a function of the heap does, and where its arguments are, counted from 0.
    HEAP, HeapShape {
        /// `(bytes)`.
        Bytes = "SIMPLE",
        /// `(number, bytes)`.
        Product = "PRODUCT",
        /// `(address, bytes)`: moves an allocation.
        Resize = "RESIZE",
        /// `(address, number, bytes)`.
        ResizeProduct = "RESIZE_PRODUCT",
        /// `(alignment, bytes)`.
        Aligned = "ALIGNED",
        /// `(where the address will be, alignment, bytes)`; returns 0.
        Into = "INTO",
        /// `(address)`.
        Release = "RELEASE",
        /// It calls one of the others.
        Around = "AROUND",
    }
}
