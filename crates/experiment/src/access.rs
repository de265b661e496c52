//! Access to the open file: transactions, rows, and the errors that they end in.

use crate::{Error, Experiment};
use rusqlite::{Connection, Params, Row, TransactionBehavior};
use serde::de::DeserializeOwned;

impl Experiment {
    /// Does several things as one: the file is written to its medium once, and holds all of them or none.
    pub fn together<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(|e| self.sqlite(e))?;
        let result = work(self);
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        self.connection.execute_batch(end).map_err(|e| self.sqlite(e))?;
        result
    }

    /// Does something wholly or not at all, by itself or as a part of what is done together.
    pub(crate) fn in_transaction<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let path = self.path.clone();
        let result = if self.connection.is_autocommit() {
            let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
            begun.and_then(|transaction| {
                work(&transaction).and_then(|done| transaction.commit().map(|()| done))
            })
        } else {
            let begun = self.connection.savepoint();
            begun.and_then(|savepoint| work(&savepoint).and_then(|done| savepoint.commit().map(|()| done)))
        };
        result.map_err(|source| Error::Sqlite { path, source })
    }

    /// All rows of a query.
    pub(crate) fn rows<T>(
        &self,
        query: &str,
        params: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let mut query = self.connection.prepare_cached(query).map_err(|e| self.sqlite(e))?;
        query.query_map(params, row).and_then(Iterator::collect).map_err(|e| self.sqlite(e))
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self, what: &'static str, text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|e| self.damaged(what, e))
    }

    /// Refuses a value of a form that only a newer version knows.
    pub(crate) fn must_be_known(&self, what: &'static str, found: u32, known: u32) -> Result<(), Error> {
        if found <= known {
            return Ok(());
        }
        Err(Error::NewerForm { path: self.path.clone(), what, found, known })
    }

    pub(crate) fn sqlite(&self, source: rusqlite::Error) -> Error {
        Error::Sqlite { path: self.path.clone(), source }
    }

    pub(crate) fn damaged(&self, what: &'static str, detail: impl ToString) -> Error {
        Error::Damaged { path: self.path.clone(), what, detail: detail.to_string() }
    }
}
