//! Why code has no counts or traces, and the one place where that becomes a sentence.

use crate::contradiction::Contradiction;
use serde::{Deserialize, Serialize};

/// Why a function or loop has no counts or no traces.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It was not instrumented.
    #[error("left as it is: {0}")]
    Refused(Refusal),
    /// Its counts were dropped.
    #[error("its counts are impossible: {0}")]
    Impossible(Contradiction),
    /// The iterations of an entry that had not ended are missing.
    #[error(
        "a loop of it was still running when its process ended (or when counting did): what that entry executed was still in a \
         register of the processor"
    )]
    StillRunning,
    /// A traced loop is in code that was not instrumented.
    #[error("its code is left as it is")]
    CodeRefused,
    /// The record of one of its blocks does not fit into a chunk of the trace.
    #[error("a block of it has too many memory operands")]
    TooManyOperands,
    /// No process mapped its module.
    #[error("its module was not loaded")]
    NotLoaded,
    /// Its function did not run.
    #[error("its function was not called")]
    NotCalled,
    /// The requested address is not that of a loop.
    #[error("no loop begins at this address in its function as it was prepared")]
    NoSuchLoop,
    /// It ran between bursts only.
    #[error("it did not run while it was traced")]
    NotTraced,
    /// Its function ran without it.
    #[error("it was not entered")]
    NotEntered,
    /// The sentence of form 1; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Said(String),
}

/// What an entry without a reason has.
impl Default for Reason {
    fn default() -> Self {
        Self::Said(String::new())
    }
}

/// Why code is not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The function's control flow is not understood.
    #[error(transparent)]
    Unclear(#[from] Unclear),
    /// Its shape is not certain.
    #[error(transparent)]
    Doubtful(#[from] Doubt),
    /// No room for a jump at the entry.
    #[error("no room for a jump at its entry")]
    NoRoom,
    /// Restricted transactions abort when code is moved under them.
    #[error("it uses transactional memory")]
    Transaction,
    /// The GS segment belongs to the program.
    #[error("it uses the GS segment, which the counters need")]
    UsesGs,
    /// Code of the loader and the C library that begins before there are threads, or is a hook of this tool.
    #[error("it starts the program, or is a hook of the loader")]
    StartCode,
    /// Bytes that other programs recognise, or that must not be interrupted.
    #[error("it makes a system call that code must not move around ({0})")]
    SystemCall(SystemCall),
    /// Part of the C library or loader that switches stacks or contexts.
    #[error("it switches stacks or saves contexts")]
    SwitchesContext,
    /// Moving it failed.
    #[error("its code cannot be encoded at another address ({0})")]
    Encode(#[from] Unencodable),
    /// No counters left.
    #[error("the counter area is full; choose loops with --loops")]
    AreaFull,
    /// The code cache is full.
    #[error("the code cache is full; choose loops with --loops")]
    CacheFull,
    /// Counting it cannot be made exact.
    #[error("its counts cannot be distinguished")]
    Unsolvable,
    /// A hooked function can be left where no hook is.
    #[error("one of its ends is in code that has no room for a jump: calls of it would not be seen to end")]
    EndsElsewhere,
}

/// Why a function's control flow cannot be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Unclear {
    /// Nothing decodes.
    #[error("its bytes do not decode as instructions")]
    NoCode,
    /// Instructions overlap.
    #[error("instructions overlap: data among the code, or hand-written tricks")]
    Overlap,
    /// An indirect jump could not be resolved.
    #[error("a computed jump could not be followed")]
    Unresolved,
}

/// Why a function's shape is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// Symbols or unwind entries contradict each other.
    #[error("another function's symbol begins inside it, or it begins inside another one")]
    Overlapping,
    /// Linkage stubs belong to the loader.
    #[error("it is part of the linkage stubs")]
    LinkageStub,
    /// The program may write to its own code.
    #[error("its code is mapped writable")]
    Writable,
    /// The function belongs to Go's run-time system.
    #[error("Go's run-time system looks up the address of the running instruction")]
    Go,
    /// It contains code that nothing is seen to reach.
    #[error("it holds code that nothing is seen to reach")]
    Unreached,
    /// `call` used for another purpose than calling a function.
    #[error("it calls into its own middle")]
    CallsItsMiddle,
    /// Values further below the stack pointer than a signal handler spares.
    #[error("it keeps values below the red zone of the stack")]
    BelowRedZone,
    /// rsp is not used as a stack pointer.
    #[error("it switches stacks")]
    SwitchesStack,
}

/// A system call whose surrounding bytes other programs recognise, or in which a thread or process begins that shares the
/// stack or has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SystemCall {
    /// Returns from a signal handler.
    #[error("rt_sigreturn")]
    RtSigreturn,
    /// Begins a thread or process.
    #[error("clone")]
    Clone,
    /// Begins a process on the same stack.
    #[error("vfork")]
    Vfork,
    /// Sets the base of a segment.
    #[error("arch_prctl")]
    ArchPrctl,
}

/// Why code cannot be encoded at another address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Unencodable {
    /// The encoder refuses an instruction.
    #[error("{0}")]
    Encoder(String),
    /// The jump from the original code is too far.
    #[error("a jump to it does not reach")]
    JumpTooFar,
    /// Its data is too far.
    #[error("data is out of reach")]
    DataTooFar,
    /// The displacement in the instruction is not one of 32 bits.
    #[error("a displacement of unknown size")]
    Displacement,
    /// A branch leads nowhere.
    #[error("a label was not placed")]
    Label,
    /// A branch was encoded in another form than the chosen one.
    #[error("a branch has another length than it was given")]
    BranchLength,
    /// A branch of another mode.
    #[error("a branch of 16 or 32 bits")]
    NarrowBranch,
}

impl From<iced_x86::IcedError> for Unencodable {
    fn from(error: iced_x86::IcedError) -> Self {
        Self::Encoder(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_stored_by_its_fields_and_old_sentences_are_read() {
        let refused = Reason::Refused(Refusal::SystemCall(SystemCall::RtSigreturn));
        let stored = serde_json::to_string(&refused).unwrap();
        assert_eq!(stored, r#"{"refused":{"system-call":"rt_sigreturn"}}"#);
        assert_eq!(serde_json::from_str::<Reason>(&stored).unwrap(), refused);
        assert_eq!(
            refused.to_string(),
            "left as it is: it makes a system call that code must not move around (rt_sigreturn)"
        );
        let of_form_1 = "left as it is: it uses transactional memory";
        let old: Reason = serde_json::from_str(&format!("\"{of_form_1}\"")).unwrap();
        assert_eq!(old, Reason::Said(of_form_1.to_owned()));
        assert_eq!(old.to_string(), Reason::Refused(Refusal::Transaction).to_string());
    }
}
