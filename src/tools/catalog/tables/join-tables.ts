import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { openTablesOf } from "./opened-tables.ts";
import { queryTables } from "./query-tables.ts";
import { answerResult } from "./table-answer.ts";
import { TABLE_TOOL } from "./table-options.ts";
import { withTableNames } from "./table-names.ts";

/** Answers questions from all rows of several files, by a SELECT with a join. */
export const joinTables = catalogTool({
  ...TABLE_TOOL,
  className: "JoinTablesTool",
  displayName: "join_tables",
  description:
    "Answers a question from all rows of two or more files with tables by one SELECT with a join, in SQLite's SQL. Call " +
    "describe_table for each file first. Join on equal columns, or group the rows before the join. Each row names its cells " +
    "in every file.",
  input: () =>
    z.object({
      files: z
        .array(z.string().min(1).max(1000))
        .min(1)
        .max(10)
        .describe("Names or paths of the files"),
      sql: z.string().min(1).max(20_000).describe("One SELECT over the files' tables"),
    }),
  fixable: ["files"],
  run: async ({ files, sql }, { maxRows }, io) => {
    const { database, tables } = await openTablesOf(io, files, { maxRows });
    return answerResult(withTableNames(tables, () => queryTables(database, tables, sql)));
  },
});
