//! Apache Parquet: typed columns with a schema, which every data frame and SQL engine reads (<https://parquet.apache.org/docs>).
//!
//! Whole numbers are signed there: differences of two runs' counts are wanted, and those of unsigned numbers fail in SQL. Columns are
//! nullable, because what was not measured is absent. Pages are compressed with gzip, whose code the program has already; all readers
//! know it.

use crate::fields::Data;
use crate::value::{Kind, Value};
use parquet::basic::{Compression, GzipLevel, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
use std::sync::Arc;

/// Rows that are in memory at a time. Readers skip groups by their ranges of values, and share groups among their threads.
pub(super) const ROW_GROUP: usize = 1 << 16;

/// Writes rows; their number.
pub(super) fn write<R>(
    out: impl Write + Send,
    version: &str,
    columns: Vec<Data<'_, R>>,
    rows: impl IntoIterator<Item = R>,
) -> std::io::Result<u64> {
    write_groups(out, version, &columns, rows.into_iter()).map_err(|error| match error {
        // What the system says is kept as it is: a full disk is named as one.
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => std::io::Error::other(cause),
        },
        other => std::io::Error::other(other),
    })
}

fn write_groups<R>(
    out: impl Write + Send,
    version: &str,
    columns: &[Data<'_, R>],
    mut rows: impl Iterator<Item = R>,
) -> Result<u64> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(GzipLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_created_by(format!("loopwright version {version}"))
        .build();
    let mut file = SerializedFileWriter::new(out, schema(columns)?, Arc::new(properties))?;
    let mut written = 0;
    loop {
        let group: Vec<R> = rows.by_ref().take(ROW_GROUP).collect();
        if group.is_empty() {
            break;
        }
        let mut writer = file.next_row_group()?;
        for column in columns {
            write_column(&mut writer, column, &group)?;
        }
        writer.close()?;
        written += group.len() as u64;
    }
    file.close()?;
    Ok(written)
}

fn schema<R>(columns: &[Data<'_, R>]) -> Result<Arc<Type>> {
    let column = |column: &Data<'_, R>| {
        let (physical, logical) = match column.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Whole => (Physical::INT64, None),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Flag => (Physical::BOOLEAN, None),
            Kind::Instant => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
        };
        let built = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build();
        Ok(Arc::new(built?))
    };
    let fields = columns.iter().map(column).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

/// Values that are there, and for each row whether it has one.
struct Cells<T> {
    values: Vec<T>,
    present: Vec<i16>,
}

impl<T> Cells<T> {
    /// A value of another kind than the column's is none: fields make only values of their own kind.
    fn of<R>(column: &Data<'_, R>, rows: &[R], value: impl Fn(Value) -> Option<T>) -> Self {
        let mut values = Vec::new();
        let present = rows.iter().map(|row| {
            let known = value((column.value)(row));
            let level = i16::from(known.is_some());
            values.extend(known);
            level
        });
        Self { present: present.collect(), values }
    }
}

fn write_column<W: Write + Send, R>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Data<'_, R>,
    rows: &[R],
) -> Result<()> {
    let Some(mut writer) = group.next_column()? else {
        return Err(ParquetError::General(format!("there is no column {}", column.name)));
    };
    match writer.untyped() {
        ColumnWriter::ByteArrayColumnWriter(to) => {
            let cells = Cells::of(column, rows, |value| match value {
                Value::Text(text) => Some(ByteArray::from(text.into_bytes())),
                _ => None,
            });
            to.write_batch(&cells.values, Some(&cells.present), None)?;
        }
        ColumnWriter::Int64ColumnWriter(to) => {
            let cells = Cells::of(column, rows, |value| match value {
                Value::Whole(number) => Some(i64::try_from(number).unwrap_or(i64::MAX)),
                Value::Instant(seconds) => Some((seconds * 1e6) as i64),
                _ => None,
            });
            to.write_batch(&cells.values, Some(&cells.present), None)?;
        }
        ColumnWriter::DoubleColumnWriter(to) => {
            let cells = Cells::of(column, rows, |value| match value {
                Value::Number(number) => Some(number),
                _ => None,
            });
            to.write_batch(&cells.values, Some(&cells.present), None)?;
        }
        ColumnWriter::BoolColumnWriter(to) => {
            let cells = Cells::of(column, rows, |value| match value {
                Value::Flag(flag) => Some(flag),
                _ => None,
            });
            to.write_batch(&cells.values, Some(&cells.present), None)?;
        }
        _ => return Err(ParquetError::General(format!("{} has a type of no kind", column.name))),
    }
    writer.close()
}
