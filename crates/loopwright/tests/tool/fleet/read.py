"""Reads all tables of fleet/*/ in DuckDB, polars and Dask; prints what each finds as JSON, for fleet.rs."""

import json
import sys
from pathlib import Path

import dask.dataframe
import duckdb
import polars

TABLES = sys.argv[1:]
# What is summed up: the table, the columns of the groups, and those of the sums.
SUMS = [
    ("functions", ["experiment", "function", "module"], ["self_seconds", "samples"]),
    ("functions_by_rank", ["experiment", "function", "module"], ["self_seconds", "samples"]),
    ("sites", ["experiment", "function", "place"], ["calls", "bytes"]),
    ("sites_by_rank", ["experiment", "function", "place"], ["calls", "bytes"]),
    ("files", ["experiment", "target"], ["read_bytes", "written_bytes"]),
    ("allocations", ["experiment", "function", "place"], ["calls", "bytes"]),
]


def pattern(table):
    return f"fleet/*/{table}.parquet"


class DuckDB:
    def rows(self, table):
        return duckdb.sql(f"SELECT count(*) FROM read_parquet('{pattern(table)}')").fetchall()[0][0]

    def types(self, table):
        found = duckdb.sql(f"DESCRIBE SELECT * FROM read_parquet('{pattern(table)}')").fetchall()
        return {row[0]: row[1] for row in found}

    def sums(self, table, keys, columns):
        sums = ", ".join(f"sum({column})" for column in columns)
        groups = ", ".join(keys)
        query = f"SELECT {groups}, {sums} FROM read_parquet('{pattern(table)}') GROUP BY {groups}"
        return duckdb.sql(query).fetchall()


class Polars:
    def rows(self, table):
        return polars.scan_parquet(pattern(table)).select(polars.len()).collect().item()

    def types(self, table):
        return {name: str(kind) for name, kind in polars.read_parquet_schema(first(table)).items()}

    def sums(self, table, keys, columns):
        return polars.scan_parquet(pattern(table)).group_by(keys).agg(polars.col(columns).sum()).collect().rows()


class Dask:
    def rows(self, table):
        return len(dask.dataframe.read_parquet(pattern(table)))

    def types(self, table):
        return {name: str(kind) for name, kind in dask.dataframe.read_parquet(first(table)).dtypes.items()}

    def sums(self, table, keys, columns):
        frame = dask.dataframe.read_parquet(pattern(table), columns=keys + columns)
        summed = frame.groupby(keys)[columns].sum().compute().reset_index()
        return [list(row) for row in summed.itertuples(index=False, name=None)]


def first(table):
    return str(sorted(Path("fleet").glob(f"*/{table}.parquet"))[0])


def plain(value):
    # Sums of whole numbers are types of their own in some engines; those of seconds are compared in nanoseconds.
    return round(value * 1e9) if isinstance(value, float) else value if isinstance(value, str) else int(value)


def sums(engine):
    found = {}
    for table, keys, columns in SUMS:
        rows = [[plain(value) for value in row] for row in engine.sums(table, keys, columns)]
        found[table] = sorted(rows)
    return found


if __name__ == "__main__":
    result = {}
    for engine in (DuckDB(), Polars(), Dask()):
        result[type(engine).__name__] = {
            "rows": {table: engine.rows(table) for table in TABLES},
            "types": {table: engine.types(table) for table in TABLES},
            "sums": sums(engine),
        }
    json.dump(result, sys.stdout)
