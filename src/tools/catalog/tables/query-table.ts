import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { openTablesOf } from "./opened-tables.ts";
import { queryTables } from "./query-tables.ts";
import { answerResult } from "./table-answer.ts";
import { TABLE_TOOL } from "./table-options.ts";
import { withTableNames } from "./table-names.ts";

/** Answers questions from all rows of a file's tables, by a SELECT. */
export const queryTable = catalogTool({
  ...TABLE_TOOL,
  className: "QueryTableTool",
  displayName: "query_table",
  description:
    "Answers a question from all rows of a file with tables (XLSX, CSV, JSON Lines, Parquet) by one SELECT in SQLite's SQL. " +
    "Call describe_table first for the names of tables and columns. Numbers are real, dates are texts such as 2024-01-31 (2024-01-31 18:00:00 in a column with times), " +
    "percentages are fractions. Each row names its cells.",
  input: () =>
    z.object({
      file: z.string().min(1).max(1000).describe("Name or path of the file"),
      sql: z.string().min(1).max(20_000).describe("One SELECT over the file's tables"),
    }),
  fixable: ["file"],
  run: async ({ file, sql }, { maxRows }, io) => {
    const { database, tables } = await openTablesOf(io, [file], { maxRows });
    return answerResult(withTableNames(tables, () => queryTables(database, tables, sql)));
  },
});
