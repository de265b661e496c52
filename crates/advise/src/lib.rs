//! Rules of advice: facts in, recommendations with a predicted gain out.
