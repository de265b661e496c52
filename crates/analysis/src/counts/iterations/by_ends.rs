//! One source iteration in each machine iteration, by the tests that end the loop.
//!
//! Whether another iteration follows is decided anew each time where a loop goes on by what its data says. No compiler can
//! leave out such a test, or join those of two iterations without vectors: code of several iterations has one for each. So
//! a loop with one branch that leaves it by data does one iteration of the source each time, if nothing but the
//! condition of its head ends the loop as written.

use super::Loops;
use super::evidence::Profile;
use loopwright_binary::facts::LoopCode;

impl Loops<'_, '_> {
    /// The machine loop tests once what each source iteration tests.
    pub(super) fn ends_each(&self, code: &LoopCode, profile: &Profile) -> bool {
        let Some((nest, written)) = self.written else { return false };
        let Some(ends) = &code.ends else { return false };
        ends.data.len() == 1
            && ends.unclear.is_empty()
            && code.innermost
            && !profile.is_packed()
            && nest.runs_out(written)
            && nest.tests_all(written)
            && self.is_enough(code, profile, 1)
    }
}
