#![doc = "Exact counts without counters: copies a program's loops and functions into a counting code cache while it runs."]

pub mod facts;
