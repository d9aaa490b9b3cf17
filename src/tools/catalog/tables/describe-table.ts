import * as z from "zod";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { describedText, profileOf } from "./table-profile.ts";
import { openTablesOf } from "./opened-tables.ts";
import { TABLE_TOOL } from "./table-options.ts";

const MAX_DESCRIBED = 5;

/** Describes the tables of a file: rows, columns, types, values. */
export const describeTable = catalogTool({
  ...TABLE_TOOL,
  className: "DescribeTableTool",
  displayName: "describe_table",
  description:
    "Describes the tables of a file (XLSX, CSV, JSON Lines, Parquet): names in SQL, rows, columns with their types, values and examples. " +
    "Call it before query_table and join_tables.",
  input: () =>
    z.object({
      file: z.string().min(1).max(1000).describe("Name or path of the file"),
      sheet: z
        .string()
        .max(200)
        .optional()
        .describe("One sheet, or its table's name; all by default"),
    }),
  fixable: ["file"],
  run: async ({ file, sheet }, { maxRows }, io) => {
    const { database, tables } = await openTablesOf(io, [file], { maxRows });
    const wanted =
      sheet === undefined
        ? tables
        : tables.filter(({ name, record }) => record.sheet === sheet || name === sheet);
    if (wanted.length === 0)
      throw serviceFailure({
        code: "not_found",
        message: `${file} has no sheet ${JSON.stringify(sheet)}. Its tables: ${tables.map(({ name }) => name).join(", ")}`,
      });
    const described = wanted.slice(0, MAX_DESCRIBED).map((table) => profileOf(database, table));
    const others = wanted
      .slice(MAX_DESCRIBED)
      .map(({ name, record }) => `${name} (${record.rows} rows)`);
    const more = others.length === 0 ? "" : `\n\nFurther tables: ${others.join(", ")}`;
    return toolResult({
      text: `${described.map(describedText).join("\n\n")}${more}`,
      data: { tables: described },
      untrusted: [file],
    });
  },
});
