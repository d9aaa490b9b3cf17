// Rows of Parquet files, by the package `hyparquet`.
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { RowBatch } from "./row-batch.ts";
import { Fields } from "./json-rows.ts";

const ROWS_PER_BATCH = 500;
/** Maximum unpacked size of a row group, and of all of them, in bytes. */
const MAX_GROUP_BYTES = 48 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;

/** Yields the rows of a file, one row group after another. */
export async function* parquetRows(bytes: Uint8Array): AsyncGenerator<RowBatch> {
  const { parquetMetadata, parquetReadObjects } = await import("hyparquet").catch(
    (cause: unknown) => {
      throw new EngineError(
        "invalid_definition",
        "Parquet files need the package hyparquet, which is not installed: npm install hyparquet",
        { cause },
      );
    },
  );
  const file = bytes.slice().buffer;
  try {
    const metadata = parquetMetadata(file);
    let total = 0;
    for (const { total_byte_size: size } of metadata.row_groups) {
      total += Number(size);
      if (Number(size) > MAX_GROUP_BYTES || total > MAX_BYTES)
        throw new EngineError(
          "limit_exceeded",
          `the Parquet file unpacks to a row group of more than ${MAX_GROUP_BYTES} bytes, or to more than ${MAX_BYTES} bytes: write it with smaller row groups`,
        );
    }
    const fields = new Fields();
    let start = 0;
    for (const group of metadata.row_groups) {
      const end = start + Number(group.num_rows);
      const records = await parquetReadObjects({ file, metadata, rowStart: start, rowEnd: end });
      for (let at = 0; at < records.length; at += ROWS_PER_BATCH) {
        const rows = records
          .slice(at, at + ROWS_PER_BATCH)
          .map((record, index) => ({ row: start + at + index + 1, cells: fields.cellsOf(record) }));
        yield { kind: "rows", names: fields.names, rows };
      }
      start = end;
    }
  } catch (error) {
    if (EngineError.is(error)) throw error;
    throw new EngineError(
      "invalid_input",
      `the Parquet file cannot be read: ${errorMessage(error)}`,
    );
  }
}
