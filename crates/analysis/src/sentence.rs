//! Facts that are sentences in the JSON contract: `Display` writes them, and a document that is read back has only the sentence.

macro_rules! sentence {
    ($fact:ty) => {
        impl serde::Serialize for $fact {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $fact {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::Said)
            }
        }

        impl schemars::JsonSchema for $fact {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}

pub(crate) use sentence;
