// Admission of a model's statement to the run's SQLite.
//
//   TBG1. A text is one SELECT, in the tokens of SQLite, and names no function beyond a list.
//   TBG2. The database's own program of the statement opens only the rows of the named tables, and writes nothing: a name that a
//         spelling hides from the tokens is refused here.
//   TBG3. The database's own plan bounds the steps: a statement above the bound, or with a recursion, is not run, as a
//         Durable Object cannot stop it.
import { errorMessage } from "../../../base/error.ts";
import { PlatformFault } from "../../../base/platform-fault.ts";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import { readStatement } from "../sql/sql-guard.ts";
import { sqlTokens, type SqlToken } from "../sql/sql-tokens.ts";
import { PlanCost, type JoinPair, type PlanRow } from "./plan-cost.ts";
import type { TableDatabase } from "./table-database.ts";
import { rowsTable, type TableRecord } from "./table-record.ts";

const MAX_LENGTH = 20_000;
const MAX_STEPS = 20_000_000;
const STARTS = new Set(["select", "with", "values"]);

const FUNCTIONS = new Set(
  (
    "abs avg cast ceil ceiling coalesce concat concat_ws count cume_dist date datetime dense_rank first_value floor " +
    "group_concat ifnull iif instr julianday lag last_value lead length lower ltrim max min mod ntile nth_value nullif " +
    "octet_length percent_rank rank replace round row_number rtrim sign sqrt strftime string_agg substr substring sum " +
    "time timediff total trim trunc typeof unicode unixepoch upper like glob likely unlikely"
  ).split(" "),
);
/** Words before a parenthesis that are no functions. */
const KEYWORDS = new Set(
  (
    "all and any as between by case distinct else except exists filter from full glob having in inner intersect is join " +
    "left like limit materialized not offset on or order outer over partition right select then union using values " +
    "when where window with cross group escape"
  ).split(" "),
);
/** Functions within the database's own programs. */
const INTERNAL = new Set([...FUNCTIONS, "if", "subtype", "percentile", "json_each"]);

/** Tokens of a statement with its text. */
export type TableStatement = {
  readonly text: string;
  readonly tokens: readonly SqlToken[];
};

/** Returns the statement of a text (TBG1). Throws the failure `refused` with the part that is not allowed. */
export function tableStatement(sql: string): TableStatement {
  if (sql.length > MAX_LENGTH)
    throw refused(`the statement has more than ${MAX_LENGTH} characters`);
  const { text, first } = readStatement(sql, "sqlite");
  if (!STARTS.has(first)) throw refused(`a statement begins with SELECT or WITH, got ${first}`);
  const tokens = sqlTokens(text, "sqlite");
  for (const [index, token] of tokens.entries()) {
    const isWord = token.kind === "word";
    const next = tokens[index + 1];
    if (isWord && token.text === "recursive") throw refused("a recursive WITH is not run");
    if (isWord && token.text === "natural")
      throw refused(
        "a NATURAL JOIN would compare the row numbers: name the columns with ON or USING",
      );
    if (token.kind === "sign" && /^[?:@$#]$/.test(token.text))
      throw refused("a statement has no parameters: write the values");
    if (!isSign(next, "(") || (!isWord && token.kind !== "quoted")) continue;
    if (isWord && KEYWORDS.has(token.text)) continue;
    if (FUNCTIONS.has(token.text) || isCteName(tokens, index)) continue;
    throw refused(`the function ${token.text} is not among those allowed: ${shownFunctions()}`);
  }
  return { text, tokens };
}

/** True for the name in `name(a, b) AS (…)`. */
function isCteName(tokens: readonly SqlToken[], index: number): boolean {
  const close = closingOf(tokens, index + 1);
  const before = tokens[index - 1];
  const begins = isSign(before, ",") || (before?.kind === "word" && before.text === "with");
  const after = tokens[close + 1];
  return begins && after?.kind === "word" && after.text === "as";
}

/** Returns the index of the parenthesis that closes the one at `open`. */
export function closingOf(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isSign(tokens[at], "(")) depth++;
    else if (isSign(tokens[at], ")") && --depth === 0) return at;
  }
  return tokens.length;
}

export function isSign(token: SqlToken | undefined, sign: string): boolean {
  return token?.kind === "sign" && token.text === sign;
}

type Program = {
  readonly sql: string;
  readonly tables: readonly TableRecord[];
  readonly pairs: readonly JoinPair[];
};

/**
 * Checks the database's own program and plan of a statement (TBG2, TBG3). Throws the failures `bad_request` for a
 * statement that the database does not understand, and `refused`.
 */
export function checkProgram(database: TableDatabase, { sql, tables, pairs }: Program): void {
  const limits = { maxRows: 20_000, maxCounted: 20_000 };
  const program = statementRows(database, `EXPLAIN ${sql}`, limits);
  const pages = new Set(tables.map(({ id }) => rootPage(database, id)));
  for (const [, opcode, p1, p2, p3, p4] of program) {
    const fault = faultOf({ opcode: String(opcode), p1, p2, p3, p4 }, pages);
    if (fault !== undefined) throw refused(fault);
  }
  const plan = statementRows(database, `EXPLAIN QUERY PLAN ${sql}`, limits).map(
    ([id, parent, , detail]): PlanRow => ({
      id: Number(id),
      parent: Number(parent),
      detail: String(detail),
    }),
  );
  if (plan.some(({ detail }) => detail.startsWith("RECURSIVE STEP")))
    throw refused("a recursive WITH is not run");
  const steps = new PlanCost(database, { tables, plan, pairs }).steps();
  if (steps > MAX_STEPS)
    throw refused(
      `it may take ${Math.round(steps / 1e6).toLocaleString("en")} million steps, and at most ${MAX_STEPS / 1e6} million are made: join on columns that are equal, or group the rows before the join`,
    );
}

type Instruction = {
  readonly opcode: string;
  readonly p1: unknown;
  readonly p2: unknown;
  readonly p3: unknown;
  readonly p4: unknown;
};

const WRITES =
  /^(?:OpenWrite|Destroy|CreateBtree|ParseSchema|SetCookie|Vacuum|SqlExec|JournalMode|Checkpoint|Savepoint|AutoCommit|Drop\w+|LoadAnalysis|Pagecount|MaxPgcnt|ReadCookie|IncrVacuum|TableLock|V\w+)$/;

function faultOf(
  { opcode, p2, p3, p4 }: Instruction,
  pages: ReadonlySet<number>,
): string | undefined {
  if (opcode === "OpenRead" || opcode === "ReopenIdx")
    return Number(p3) === 0 && pages.has(Number(p2))
      ? undefined
      : "it reads tables beyond those of its files";
  if (WRITES.test(opcode)) return `it does more than reading tables (${opcode})`;
  if (opcode === "Transaction" && Number(p2) !== 0) return "it writes";
  if (/^(?:Function|PureFunc|AggStep1?|AggInverse|AggFinal|AggValue)$/.test(opcode)) {
    const name = (typeof p4 === "string" ? p4 : "").replace(/\(-?\d+\)$/, "").toLowerCase();
    if (name !== "" && !INTERNAL.has(name)) return `the function ${name} is not allowed`;
  }
  return undefined;
}

function rootPage(database: TableDatabase, id: number): number {
  const [row] = database.run(
    `SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?`,
    rowsTable(id),
  );
  return Number(row?.[0] ?? -1);
}

function statementRows(
  database: TableDatabase,
  sql: string,
  limits: { readonly maxRows: number; readonly maxCounted: number },
): ReadonlyArray<readonly unknown[]> {
  const { rows, more, isOpen } = attempt(() => database.read(sql, limits));
  if (more > 0 || isOpen) throw refused("the statement is too long");
  return rows;
}

/** Turns the database's error about a statement into a failure for the model. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (PlatformFault.is(error) || isServiceFailure(error)) throw error;
    const said = errorMessage(error)
      .replace(/: SQLITE_\w+$/, "")
      .replace(/ at offset \d+/, "");
    throw serviceFailure({
      code: "bad_request",
      message: `The statement was not understood: ${said.slice(0, 500)}`,
    });
  }
}

function refused(reason: string): Error {
  return serviceFailure({ code: "refused", message: `The statement is not run: ${reason}.` });
}

function shownFunctions(): string {
  return [...FUNCTIONS]
    .filter((name) => !/^(?:cast|like|glob|likely|unlikely)$/.test(name))
    .join(", ");
}
