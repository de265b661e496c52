//! placeholder
use crate::recording::Recording;
use crate::*;
pub fn survey(
    held: crate::spawn::Held,
    _refusal: String,
    _options: &SurveyOptions,
    _observer: &mut dyn Observer,
    _interrupted: &std::sync::atomic::AtomicBool,
    _recording: Recording,
) -> Result<Recording, Error> {
    held.abandon();
    Err(Error::NoCommand)
}
