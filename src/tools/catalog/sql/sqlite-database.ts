// D1.
//
//   SQD1. A read is explained first. A program that opens a write transaction or changes the schema is not run.
//   SQD2. The statement itself limits the result, so a large table is never fetched whole.
import * as z from "zod";
import { serviceFailure } from "../base/service-failure.ts";
import {
  MAX_COUNTED,
  type SqlDatabase,
  type SqliteBinding,
  type SqlLimits,
  type SqlRows,
} from "./database.ts";
import type { SqlStatement } from "./sql-guard.ts";

const instruction = z.looseObject({ opcode: z.string(), p2: z.unknown().optional() });
const WRITING = new Set([
  "OpenWrite",
  "Destroy",
  "CreateBtree",
  "ParseSchema",
  "SetCookie",
  "Vacuum",
]);
/** Statements usable as part of another one. */
const QUERIES = new Set(["select", "with", "values"]);

export class SqliteDatabase implements SqlDatabase {
  readonly dialect = "sqlite";
  readonly #binding: SqliteBinding;

  constructor(binding: SqliteBinding) {
    this.#binding = binding;
  }

  async read({ text, first }: SqlStatement, { maxRows }: SqlLimits): Promise<SqlRows> {
    const isQuery = QUERIES.has(first);
    const bounded = isQuery ? `SELECT * FROM (\n${text}\n) LIMIT ${MAX_COUNTED + 1}` : text;
    if (first !== "explain") await this.#checkProgram(bounded);
    const [columns = [], ...rows] = await this.#binding.prepare(bounded).raw({ columnNames: true });
    return {
      columns: columns.map(String),
      rows: rows.slice(0, maxRows).map((row) => row.map(valueOf)),
      more: Math.max(0, Math.min(rows.length, MAX_COUNTED) - maxRows),
      isOpen: rows.length > MAX_COUNTED,
    };
  }

  async write({ text }: SqlStatement): Promise<number> {
    const { meta } = await this.#binding.prepare(text).run();
    return meta.changes;
  }

  async close(): Promise<void> {
    // The binding belongs to the Worker.
  }

  async #checkProgram(text: string): Promise<void> {
    const { results } = await this.#binding.prepare(`EXPLAIN ${text}`).all();
    const program = z.array(instruction).safeParse(results);
    const writes =
      program.data?.some(
        ({ opcode, p2 }) => WRITING.has(opcode) || (opcode === "Transaction" && p2 !== 0),
      ) ?? true;
    if (!writes) return;
    throw serviceFailure({
      code: "refused",
      message: "This tool only reads: the database says that this statement writes.",
    });
  }
}

/** D1 returns a blob as the list of its bytes. */
function valueOf(value: unknown): unknown {
  return Array.isArray(value) ? Uint8Array.from(value as number[]) : value;
}
