// Tokenizes SQL into words, names, strings and signs by the rules of the database, as comments and strings differ
// between databases.
//
//   SQT1. Each dialect's own rules determine the end of a string, a quoted name or a comment. An unterminated one is
//         rejected.
//   SQT2. Executable comments, and characters with a special meaning in some databases, are rejected.

export type SqlDialect = "sqlite" | "postgres" | "mysql";

export type SqlToken = {
  /** `quoted` is a name in quotes, or a possible one. */
  readonly kind: "word" | "quoted" | "string" | "number" | "sign";
  /** Word in lower case, or name without its quotes; else the original text. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

const WORD = /[A-Za-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*/uy;
const NUMBER = /0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const SPACE = /[ \t\n\f\r]+/y;
const ODD = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/;
/** End of a one-line comment. */
const LINE_END = { sqlite: /\n/g, mysql: /\n/g, postgres: /[\n\r]/g } as const;

/** Returns the tokens of a text, without comments. Throws an error that names the unsafe part of the text. */
export function sqlTokens(sql: string, dialect: SqlDialect): readonly SqlToken[] {
  if (ODD.test(sql)) throw new Error("it has control characters");
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length;) {
    const past = skipped(sql, at, dialect);
    if (past > at) at = past;
    else {
      const token = tokenAt(sql, at, { dialect, before: tokens.at(-1) });
      tokens.push(token);
      at = token.end;
    }
  }
  return tokens;
}

/** Returns the end of the spaces or the comment at this place. */
function skipped(sql: string, at: number, dialect: SqlDialect): number {
  const space = endOf(SPACE, sql, at);
  if (space > at) return space;
  const isLine =
    sql.startsWith("--", at) &&
    (dialect !== "mysql" || /^[ \t\n\f\r]?$/.test(sql.slice(at + 2, at + 3)));
  if (isLine || (dialect === "mysql" && sql[at] === "#")) {
    const end = LINE_END[dialect];
    end.lastIndex = at;
    return end.test(sql) ? end.lastIndex : sql.length;
  }
  return sql.startsWith("/*", at) ? endOfComment(sql, at, dialect) : at;
}

function endOfComment(sql: string, start: number, dialect: SqlDialect): number {
  if (dialect === "mysql" && /^\/\*(?:M?!|\+)/i.test(sql.slice(start, start + 4)))
    throw new Error("it has a comment that the database runs");
  let depth = 0;
  for (let at = start; at < sql.length;) {
    if (sql.startsWith("/*", at) && (depth === 0 || dialect === "postgres")) {
      depth++;
      at += 2;
    } else if (sql.startsWith("*/", at)) {
      at += 2;
      if (--depth === 0) return at;
    } else at++;
  }
  throw new Error("a comment in it does not end");
}

function tokenAt(
  sql: string,
  start: number,
  { dialect, before }: { readonly dialect: SqlDialect; readonly before: SqlToken | undefined },
): SqlToken {
  const sign = sql.charAt(start);
  const token = (kind: SqlToken["kind"], end: number, text = sql.slice(start, end)): SqlToken => ({
    kind,
    text,
    start,
    end,
  });
  const isNext = before !== undefined && before.end === start;
  if (sign === "'") {
    const prefix = isNext && before.kind === "word" ? before.text : "";
    // Two strings separated by a line break are one, read by the rules of the first.
    if (dialect === "postgres" && before?.kind === "string")
      throw new Error("two texts in it follow each other");
    const isEscaped = dialect === "mysql" || (dialect === "postgres" && prefix === "e");
    return token("string", endOfQuote(sql, start, isEscaped));
  }
  if (sign === '"' || (sign === "`" && dialect !== "postgres")) {
    if (
      sign === '"' &&
      dialect === "postgres" &&
      /(?:^|[^\w$])u&$/i.test(sql.slice(Math.max(0, start - 3), start))
    )
      throw new Error("it has a name in escapes");
    const end = endOfQuote(sql, start, sign === '"' && dialect === "mysql");
    const name = sql.slice(start + 1, end - 1).replaceAll(sign + sign, sign);
    return token("quoted", end, name.toLowerCase());
  }
  if (sign === "[" && dialect === "sqlite") {
    const end = sql.indexOf("]", start);
    if (end < 0) throw new Error("a name in it does not end");
    return token("quoted", end + 1, sql.slice(start + 1, end).toLowerCase());
  }
  if (sign === "$" && dialect === "postgres") {
    const opened = endOf(DOLLAR, sql, start);
    if (opened > start) {
      const end = sql.indexOf(sql.slice(start, opened), opened);
      if (end < 0) throw new Error("a text in it does not end");
      return token("string", end + opened - start);
    }
  }
  const number = /[\d.]/.test(sign) ? endOf(NUMBER, sql, start) : start;
  if (number > start) return token("number", number);
  const word = endOf(WORD, sql, start);
  if (word > start) return token("word", word, sql.slice(start, word).toLowerCase());
  return token("sign", start + 1);
}

/**
 * Returns the end of a quoted text. It may contain a doubled quote and, in some dialects, a quote after a backslash.
 */
function endOfQuote(sql: string, start: number, isEscaped: boolean): number {
  const quote = sql.charAt(start);
  for (let at = start + 1; at < sql.length; at++) {
    if (isEscaped && sql[at] === "\\") at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  throw new Error("a text in it does not end");
}

function endOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : at;
}
