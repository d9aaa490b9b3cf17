import * as z from "zod";

/** Options of all tools for tables. */
export function tableOptions() {
  return z.object({
    /** Maximum number of rows of a table. @default 250_000 */
    maxRows: z.int().min(1).max(1_000_000).optional(),
  });
}
