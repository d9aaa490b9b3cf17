// Checks statements: a statement may only read, or write rows if allowed.
//
//   SQG1. A text is one statement. A `;` at its end does not start another one.
//   SQG2. A reading statement begins as one, and contains no word for writing, locking rows or making tables, at any
//         place.
//   SQG3. Functions that act, wait or access files are rejected by name, in any spelling of the name.
import { serviceFailure } from "../base/service-failure.ts";
import { sqlTokens, type SqlDialect, type SqlToken } from "./sql-tokens.ts";

export type SqlStatement = {
  /** Text without a `;` at its end. */
  readonly text: string;
  /** First word, in lower case. */
  readonly first: string;
  readonly isRead: boolean;
};

const READS = new Set(["select", "with", "values", "table"]);
const OTHER_READS = new Set(["show", "describe", "desc", "explain", "pragma"]);
const WRITES = new Set(["insert", "update", "delete", "merge", "replace"]);
const DEFINES = new Set(["create", "alter", "drop", "truncate", "grant", "revoke"]);
/** Words of these sets that are also functions. */
const ALSO_FUNCTIONS = new Set(["replace", "insert", "truncate"]);
const PRAGMAS = new Set([
  "table_info",
  "table_list",
  "index_list",
  "index_info",
  "foreign_key_list",
]);
const ANALYZE = new Set(["analyze", "analyse"]);

/** Functions that read or write files, wait, lock, or change shared state. */
const ACTING =
  /^(?:pg_(?:read|ls|stat_file|file|sleep|terminate|cancel|reload|rotate|switch|create|drop|promote|start|stop|backup|wal_replay|logical|replication|advisory|try_advisory|notify|export|import|logdir|current_logfile)\w*|lo_\w+|dblink\w*|(?:query|cursor|table|schema|database)_to_xml\w*|ts_stat|set_config|load_file|sleep|benchmark|get_lock|release_(?:all_)?locks?|(?:master|source)_pos_wait|wait_(?:for|until)_\w+|sys_(?:exec|eval)|load_extension|readfile|writefile|edit|fts3_tokenizer)$/;
/** Functions that change a sequence; allowed if rows may be written. */
const SEQUENCES = /^(?:nextval|setval)$/;

/** Returns the single reading statement of a text. Throws the failure `refused` for any other text. */
export function readStatement(sql: string, dialect: SqlDialect): SqlStatement {
  const { text, tokens } = oneStatement(sql, dialect);
  const fault = faultOfRead(tokens);
  if (fault !== undefined) throw refused(fault);
  return { text, first: firstWord(tokens), isRead: true };
}

/** Returns the single statement of a text, for tools that may also write rows. Throws like `readStatement`. */
export function anyStatement(sql: string, dialect: SqlDialect): SqlStatement {
  const { text, tokens } = oneStatement(sql, dialect);
  const first = firstWord(tokens);
  if (faultOfRead(tokens) === undefined) return { text, first, isRead: true };
  const fault = faultOfWrite(tokens);
  if (fault !== undefined) throw refused(fault);
  return { text, first, isRead: false };
}

function oneStatement(
  sql: string,
  dialect: SqlDialect,
): { readonly text: string; readonly tokens: readonly SqlToken[] } {
  let all: readonly SqlToken[];
  try {
    all = sqlTokens(sql, dialect);
  } catch (error) {
    throw refused(`The statement is not run: ${(error as Error).message}.`);
  }
  let count = all.length;
  while (all[count - 1]?.text === ";" && all[count - 1]?.kind === "sign") count--;
  const tokens = all.slice(0, count);
  const last = tokens.at(-1);
  if (last === undefined) throw refused("There is no statement.");
  if (tokens.some((token) => isSign(token, ";")))
    throw refused("Only one statement is run at a time.");
  let depth = 0;
  for (const token of tokens) {
    if (isSign(token, "(")) depth++;
    else if (isSign(token, ")") && --depth < 0) break;
  }
  if (depth !== 0) throw refused("The statement is not run: its parentheses do not match.");
  return { text: sql.slice(0, last.end), tokens };
}

function faultOfRead(tokens: readonly SqlToken[]): string | undefined {
  const first = firstWord(tokens);
  if (!READS.has(first) && !OTHER_READS.has(first)) return onlyReads(first);
  if (first === "pragma") return faultOfPragma(tokens);
  for (const [index, token] of tokens.entries()) {
    const words = tokens
      .slice(index, index + 2)
      .map(({ kind, text }) => (kind === "word" ? text : ""));
    const phrase = words.join(" ");
    if (/^for (?:update|share|key|no)$/.test(phrase) || phrase === "lock in")
      return onlyReads(words[0] === "for" ? `${phrase} (row locks)` : "LOCK IN SHARE MODE");
    if (isStatementWord(tokens, index)) return onlyReads(token.text);
    if (token.kind === "word" && token.text === "into" && !isPart(tokens, index))
      return onlyReads("into");
    const acting = actingFunction(tokens, index);
    if (acting !== undefined) return acting;
    if (isCallOf(tokens, index, SEQUENCES)) return notAllowed(token.text);
  }
  return first === "explain" || first === "describe" || first === "desc"
    ? faultOfExplain(tokens)
    : undefined;
}

function faultOfWrite(tokens: readonly SqlToken[]): string | undefined {
  const first = firstWord(tokens);
  if (!WRITES.has(first) && first !== "with") return notAllowedAtAll(first);
  for (const [index, token] of tokens.entries()) {
    if (isStatementWord(tokens, index) && DEFINES.has(token.text))
      return notAllowedAtAll(token.text);
    const acting = actingFunction(tokens, index);
    if (acting !== undefined) return acting;
  }
  return undefined;
}

/** Allows `EXPLAIN` of a read. With `ANALYZE`, which runs the statement, allows reads alone. */
function faultOfExplain(tokens: readonly SqlToken[]): string | undefined {
  let at = 1;
  let runs = false;
  for (let depth = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    if (ANALYZE.has(token.text)) runs = true;
    else if (isSign(token, "(") && depth === 0 && READS.has(tokens[at + 1]?.text ?? "")) break;
    else if (isSign(token, "(")) depth++;
    else if (isSign(token, ")")) depth--;
    else if (depth === 0 && token.kind === "word" && READS.has(token.text)) return undefined;
    else if (depth === 0 && !isExplainWord(token)) break;
  }
  const rest = tokens.slice(at);
  if (READS.has(firstWord(rest))) return undefined;
  // `EXPLAIN` of a table shows its columns.
  const isName = rest.every(
    ({ kind, text }) => kind === "word" || kind === "quoted" || text === ".",
  );
  return !runs && isName && rest.length <= 4 ? undefined : onlyReads(`EXPLAIN ${firstWord(rest)}`);
}

function isExplainWord({ kind, text }: SqlToken): boolean {
  if (kind === "sign") return text === "=";
  return /^(?:verbose|extended|partitions|query|plan|format|json|tree|traditional)$/.test(text);
}

function faultOfPragma(tokens: readonly SqlToken[]): string | undefined {
  const [, one, dot, other] = tokens;
  const isInSchema = dot !== undefined && isSign(dot, ".");
  const name = (isInSchema ? other : one)?.text ?? "";
  const isSet = tokens.some((token) => isSign(token, "="));
  return PRAGMAS.has(name) && !isSet ? undefined : onlyReads(`PRAGMA ${name}`);
}

/** True for a word that begins a statement, except in the place of a name or a function. */
function isStatementWord(tokens: readonly SqlToken[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined || token.kind !== "word" || isPart(tokens, index)) return false;
  if (!WRITES.has(token.text) && !DEFINES.has(token.text)) return false;
  return !(ALSO_FUNCTIONS.has(token.text) && isCall(tokens, index));
}

/** True for a token after a dot, which is part of a name. */
function isPart(tokens: readonly SqlToken[], index: number): boolean {
  const before = tokens[index - 1];
  return before !== undefined && isSign(before, ".");
}

function isCall(tokens: readonly SqlToken[], index: number): boolean {
  const next = tokens[index + 1];
  return next !== undefined && isSign(next, "(");
}

function isCallOf(tokens: readonly SqlToken[], index: number, names: RegExp): boolean {
  const token = tokens[index];
  if (token === undefined || (token.kind !== "word" && token.kind !== "quoted")) return false;
  return isCall(tokens, index) && names.test(token.text);
}

function actingFunction(tokens: readonly SqlToken[], index: number): string | undefined {
  return isCallOf(tokens, index, ACTING) ? notAllowed(tokens[index]?.text ?? "") : undefined;
}

function isSign({ kind, text }: SqlToken, sign: string): boolean {
  return kind === "sign" && text === sign;
}

/** Returns the first word, skipping parentheses around the whole statement. */
function firstWord(tokens: readonly SqlToken[]): string {
  const first = tokens.find((token) => !isSign(token, "("));
  return first?.kind === "word" ? first.text : "";
}

function onlyReads(what: string): string {
  const [word = ""] = what.split(" ");
  const mayWrite = WRITES.has(word) ? " Set allow_dml to let it write." : "";
  return `This tool only reads: ${what === "" ? "this" : upper(what)} is not allowed.${mayWrite}`;
}

function notAllowed(name: string): string {
  return `The function ${name} is not allowed.`;
}

function notAllowedAtAll(word: string): string {
  return `This tool reads and writes rows: ${word === "" ? "this" : upper(word)} is not allowed.`;
}

function upper(what: string): string {
  return what.replace(/^[a-z ]+/, (words) => words.toUpperCase());
}

function refused(message: string): Error {
  return serviceFailure({ code: "refused", message });
}
