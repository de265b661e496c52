//! The machine: topology, processor features, what spoils a measurement, and its ceilings.
