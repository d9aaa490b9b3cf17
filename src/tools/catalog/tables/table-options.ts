import * as z from "zod";

/** Options of all tools for tables. */
function tableOptions() {
  return z.object({
    /** Maximum number of rows of a table. @default 250_000 */
    maxRows: z.int().min(1).max(1_000_000).optional(),
  });
}

/** Properties of all tools for tables. */
export const TABLE_TOOL = {
  group: "documents",
  service: "tables",
  effectClass: "R",
  cache: false,
  untrusted: true,
  maxChars: 24_000,
  options: tableOptions,
} as const;
