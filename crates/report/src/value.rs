//! Values of tables for programs, each of one kind by its Rust type, so that a column has a type before it has a row.

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Names.
    Text,
    /// Counts and bytes.
    Whole,
    /// Seconds, shares and rates.
    Number,
    /// Yes or no.
    Flag,
    /// A point in time.
    Instant,
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Not known.
    Absent,
    /// A name, as the program or the contract writes it.
    Text(String),
    /// A count.
    Whole(u64),
    /// A measure.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Unix seconds.
    Instant(f64),
}

/// A Rust type that is the value of a column.
pub(crate) trait Typed {
    /// The column's type.
    const KIND: Kind;

    /// The value.
    fn value(self) -> Value;
}

macro_rules! typed {
    ($($type:ty => $kind:ident($convert:expr)),* $(,)?) => {
        $(impl Typed for $type {
            const KIND: Kind = Kind::$kind;

            fn value(self) -> Value {
                Value::$kind($convert(self))
            }
        })*
    };
}

typed! {
    String => Text(std::convert::identity),
    u32 => Whole(u64::from),
    u64 => Whole(std::convert::identity),
    usize => Whole(|number| number as u64),
    f64 => Number(std::convert::identity),
    bool => Flag(std::convert::identity),
    Instant => Instant(|at: Instant| at.0),
}

/// A point in time: Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instant(pub(crate) f64);

impl<T: Typed> Typed for Option<T> {
    const KIND: Kind = T::KIND;

    fn value(self) -> Value {
        self.map_or(Value::Absent, T::value)
    }
}
