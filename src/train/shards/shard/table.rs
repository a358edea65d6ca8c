//! One table for the columns of a shard, from which schema, writer and reader are generated.
//!
//! The crate `parquet_derive` generates the same from a struct, but its reader panics if a file's
//! columns have other types, nulls, or fewer values than announced.

use std::sync::Arc;

use parquet::basic::Repetition;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::{Type, TypePtr};

/// Declares a struct of columns, each a vector of the values of all rows, in file order, with a
/// reader and a writer of a row group, and the schema's fields.
macro_rules! columns {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $column:ident: $kind:ty,)* }
    ) => {
        $(#[$about])*
        struct $name {
            $($(#[$doc])* $column: Vec<<$kind as ::parquet::data_type::DataType>::T>,)*
        }

        impl $name {
            /// Number of columns.
            const COUNT: usize = [$(stringify!($column)),*].len();

            /// The columns of a row group, which has this number of rows.
            fn read(
                group: &dyn ::parquet::file::reader::RowGroupReader,
                rows: usize,
            ) -> ::parquet::errors::Result<$name> {
                let mut place = 0..;
                Ok($name {
                    $($column: $crate::shards::shard::table::read::<$kind>(
                        group, place.next().unwrap_or_default(), stringify!($column), rows,
                    )?,)*
                })
            }

            /// The schema's fields.
            fn fields() -> ::parquet::errors::Result<Vec<::parquet::schema::types::TypePtr>> {
                Ok(vec![$($crate::shards::shard::table::field::<$kind>(stringify!($column))?,)*])
            }

            /// Writes all columns.
            fn write(
                &self,
                group: &mut ::parquet::file::writer::SerializedRowGroupWriter<'_, Vec<u8>>,
            ) -> ::parquet::errors::Result<()> {
                $($crate::shards::shard::table::write::<$kind>(group, &self.$column)?;)*
                Ok(())
            }
        }
    };
}
pub(super) use columns;

/// A schema of these fields.
pub(super) fn schema(fields: Vec<TypePtr>) -> ParquetResult<TypePtr> {
    let schema = Type::group_type_builder("position").with_fields(fields);
    schema.build().map(Arc::new)
}

/// A column in which every row has a value.
pub(super) fn field<T: DataType>(name: &str) -> ParquetResult<TypePtr> {
    let field = Type::primitive_type_builder(name, T::get_physical_type());
    let field = field.with_repetition(Repetition::REQUIRED);
    field.build().map(Arc::new)
}

/// Writes the next column of the schema.
pub(super) fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
) -> ParquetResult<()> {
    let mut writer = group.next_column()?.ok_or_else(|| missing("column"))?;
    writer.typed::<T>().write_batch(values, None, None)?;
    writer.close()
}

/// All values of one column of a row group, which has this number of rows.
pub(super) fn read<T: DataType>(
    group: &dyn RowGroupReader,
    index: usize,
    name: &str,
    rows: usize,
) -> ParquetResult<Vec<T::T>> {
    let column = group.metadata().schema_descr().columns().get(index);
    // The library panics on a column of another type.
    column
        .filter(|column| column.name() == name)
        .filter(|column| column.physical_type() == T::get_physical_type())
        .filter(|column| (column.max_def_level(), column.max_rep_level()) == (0, 0))
        .ok_or_else(|| missing(&format!("column {name}")))?;
    // Memory is not reserved in advance: the number may be wrong.
    let mut values = Vec::new();
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(index)?);
    while values.len() < rows {
        let (records, ..) = reader.read_records(rows - values.len(), None, None, &mut values)?;
        if records == 0 {
            return Err(missing("end of a column"));
        }
    }
    Ok(values)
}

/// How many times as large as its file a shard is in memory at most, besides [`SLACK`]: rows of games have some ten times
/// as much. Of rows that are all alike a file of a kilobyte could fill all memory.
const MAX_TIMES: usize = 128;
/// Bytes of memory that a shard may take in any case.
const SLACK: usize = 32 << 20;

/// The memory that is left for the rows of a file.
pub(super) struct Room(usize);

impl Room {
    /// For a file of this size.
    pub(super) fn of_file(bytes: usize) -> Room {
        Room(bytes.saturating_mul(MAX_TIMES).saturating_add(SLACK))
    }

    /// Takes the memory of a number of values.
    ///
    /// # Errors
    /// When there is not so much.
    pub(super) fn take<T>(&mut self, count: usize) -> ParquetResult<()> {
        let left = count.checked_mul(size_of::<T>());
        let left = left.and_then(|bytes| self.0.checked_sub(bytes));
        self.0 = left.ok_or_else(|| {
            ParquetError::General(format!(
                "its rows would be more than {MAX_TIMES} times as large as the file, which no recorded games are"
            ))
        })?;
        Ok(())
    }
}

/// Error for an invalid part of a file.
pub(super) fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("a {what} is missing or out of range"))
}
