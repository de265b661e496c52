//! What the measured bottleneck of a loop leaves of a gain.

use loopwright_analysis::model::CauseKind;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Shares of an iteration that causes of its time take, and what they leave of a gain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "BottleneckEvidence")]
pub enum Bottleneck {
    /// What a change relieves, what it leaves, and the gain that is possible with that.
    Leaves {
        /// The largest cause that the change relieves, and its share of an iteration.
        #[serde(skip_serializing_if = "Option::is_none")]
        relieved: Option<(CauseKind, f64)>,
        /// The largest cause that it leaves.
        #[serde(skip_serializing_if = "Option::is_none")]
        left: Option<(CauseKind, f64)>,
        /// At most this many times faster.
        most: f64,
    },
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Leaves { relieved, left, most } = self;
        f.write_str("with injected operations: ")?;
        if let Some((kind, share)) = relieved {
            write!(f, "{} {:.0} % of an iteration, ", kind.name(), share * 100.0)?;
        }
        if let Some((kind, share)) = left {
            write!(f, "{} {:.0} %, which the change leaves, ", kind.name(), share * 100.0)?;
        }
        write!(f, "so at most {most:.1} times faster")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let of = |relieved, left| Bottleneck::Leaves { relieved, left, most: 1.9 };
        let (ports, l2) = ((CauseKind::IntegerPorts, 0.96), (CauseKind::BandwidthL2, 0.31));
        hold(&[
            (
                of(Some(ports), Some(l2)),
                "with injected operations: integer ports 96 % of an iteration, bandwidth of L2 31 %, which the change leaves, so at most 1.9 times \
                 faster",
            ),
            (of(None, None), "with injected operations: so at most 1.9 times faster"),
        ]);
    }
}
