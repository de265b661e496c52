//! One stored body of results: the schema, the SQLite store, snapshots and merging of ranks.
