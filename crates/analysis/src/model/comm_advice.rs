//! What may make the communication of a job quicker, as it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change of the program's communication, with the most that it can save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommAdvice {
    /// What to change, with the figures that the gain follows from.
    pub change: CommChange,
    /// The function of MPI.
    pub function: String,
    /// Source file and line of the call, or its address.
    pub place: String,
    /// Mean seconds of a rank that were measured at this place and at those that belong to it: no gain is larger.
    pub measured_seconds: f64,
    /// Least and most seconds that a rank saves.
    pub gain_seconds: [f64; 2],
    /// The same as parts of the job's elapsed time.
    pub gain_share: [f64; 2],
}

/// What to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CommChange {
    /// Send one message instead of many small ones to the same rank.
    JoinMessages {
        /// Messages of a rank, on average.
        messages: u64,
        /// Bytes of one, on average.
        bytes: u64,
        /// Messages that can be one at most: those to one receiver between two calls in which the rank waits.
        together: u64,
        /// Seconds of one by the measured network: until it has arrived where it is waited for, else until the next one can begin.
        message_seconds: f64,
        /// The place where the rank waits for each message, where that is another one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        waits_at: Option<String>,
    },
    /// Give all ranks as much to do: they wait for the slowest one.
    BalanceWork {
        /// The rank that the others wait for.
        slowest_rank: u32,
        /// Its seconds outside of calls in which all wait for all.
        busy_seconds: f64,
        /// The mean of all ranks.
        mean_busy_seconds: f64,
        /// Places where ranks wait.
        places: u32,
    },
    /// Remove a barrier that is needed neither for files nor for timing.
    RemoveBarrier {
        /// Calls of a rank.
        calls: u64,
        /// A collective call of the same function of the program that is made as often: it makes all ranks wait, too.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        beside: Option<String>,
    },
    /// Ask less often whether something has arrived.
    PollLess {
        /// Calls of a rank, on average.
        calls: u64,
        /// Messages that a rank sends, on average: about as many arrive.
        messages: u64,
    },
    /// Make one collective call with several values instead of several calls.
    JoinCollectives {
        /// Calls of a rank.
        calls: u64,
        /// Bytes of one, on average.
        bytes: u64,
        /// Calls that can be one at most.
        together: u64,
        /// Seconds of one by the measured network.
        call_seconds: f64,
    },
}
