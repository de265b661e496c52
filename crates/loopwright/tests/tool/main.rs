//! The tool as its users meet it: real programs, real compilers, the built executable.

mod cases;
mod cluster;
mod comm;
mod conformance;
mod contract;
mod counts;
mod docs;
mod energy;
mod experiments;
mod handed_over;
mod inherited;
mod io;
mod kept;
mod network;
mod placing;
mod programs;
mod ranks;
mod report;
mod reproducing;
mod shares;
mod tool;
mod top_down;
mod traces;
mod trying;
mod tuning;
mod versions;
