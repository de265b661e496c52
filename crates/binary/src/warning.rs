//! What of a binary could not be read, and the one place where that becomes a sentence with the way out.

use serde::{Deserialize, Serialize};

/// A limit of what is known of a module. Files are named by their paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// A segment has no bytes.
    #[error("the segment at {address:#x} is beyond the end of the file")]
    SegmentMissing {
        /// Its address.
        address: u64,
    },
    /// A segment has fewer bytes than its header states.
    #[error("the segment at {address:#x} is cut short by the end of the file")]
    SegmentCut {
        /// Its address.
        address: u64,
    },
    /// A file under a folder of build ids is another one.
    #[error("{file} does not carry the build id that its path names")]
    OtherBuildId {
        /// The file.
        file: String,
    },
    /// The debug file beside the binary does not match it.
    #[error("{file} belongs to another build; its debug information is ignored")]
    OtherBuild {
        /// The debug file.
        file: String,
    },
    /// The debug file is not installed.
    #[error(
        "debug information was split off into {debug_file}, which was not found; install the debug symbols of {module}"
    )]
    NoDebugFile {
        /// Its name.
        debug_file: String,
        /// The binary.
        module: String,
    },
    /// The supplementary file that `dwz` made is not installed.
    #[error(
        "{file} shares debug information with {supplementary}, which was not found: names of inlined functions may be missing"
    )]
    NoSupplementary {
        /// The file with debug information.
        file: String,
        /// Name of the supplementary one.
        supplementary: String,
    },
    /// Split files are missing.
    #[error(
        "debug information of {units} unit(s) is in split files that were not found, the first being {first}: inlined functions \
         are unknown there; keep the .dwo files, or pack them with dwp"
    )]
    NoSplitFiles {
        /// Units without their file.
        units: usize,
        /// Name of the first file.
        first: String,
    },
    /// A debug section is damaged.
    #[error(transparent)]
    Section(#[from] BadSection),
    /// The file, or one with its debug information, cannot be read: the sentence of [`crate::image::Error`].
    #[error("{0}")]
    Unreadable(String),
    /// The program that ran is not the one that is there now.
    #[error("{module} has been rebuilt since it ran; run it again to see its loops")]
    Rebuilt {
        /// The module.
        module: String,
    },
    /// Functions that were sampled or requested could not be analysed.
    #[error("{functions} of its functions could not be analysed: {first}")]
    NotAnalysed {
        /// How many.
        functions: usize,
        /// The error for the first one.
        first: String,
    },
    /// The sentence of form 1; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Said(String),
}

/// Why a section cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum BadSection {
    /// Its header or bytes are damaged.
    #[error("{section} cannot be read: {error}")]
    Unreadable {
        /// Its name.
        section: String,
        /// What is wrong.
        error: String,
    },
    /// No section is that large.
    #[error("{section} claims an impossible size when decompressed")]
    ImpossibleSize {
        /// Its name.
        section: String,
    },
    /// Its compressed bytes are damaged.
    #[error("{section} cannot be decompressed: {error}")]
    Compressed {
        /// Its name.
        section: String,
        /// What is wrong.
        error: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_stored_by_its_fields_and_old_sentences_are_read() {
        let warning = Warning::from(BadSection::ImpossibleSize { section: ".debug_info".to_owned() });
        let stored = serde_json::to_string(&warning).unwrap();
        assert_eq!(stored, r#"{"section":{"impossible-size":{"section":".debug_info"}}}"#);
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), warning);
        let sentence = ".debug_info claims an impossible size when decompressed";
        assert_eq!(warning.to_string(), sentence);
        let old: Warning = serde_json::from_str(&format!("\"{sentence}\"")).unwrap();
        assert_eq!(old, Warning::Said(sentence.to_owned()));
    }
}
