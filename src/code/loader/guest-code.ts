// Makes a module of an isolate from code: either as the body of a function, or unchanged.
//
// During the evaluation of a module the runtime allows no waiting, no timers and no access to files. So a script
// becomes the body of a function, even if it begins with imports. Only code with exports is a module.

/**
 * `body`: the body of a function, in which code may `return`. `module`: its default export is the value, or a function
 * that returns it.
 */
export type CodeForm = "body" | "module";

/** One line, so the lines of the code keep their numbers. */
const BEFORE = "export default async (input, tools) => { ";
const AFTER = "\n}";

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/|(["'])use strict\1;?)+/y;
const IMPORT = /import\b\s*(?:([\w$*{}\s,]{1,2000}?)\s*\bfrom\b\s*)?(["'])([^"'\n]+)\2[ \t]*;?/y;
const CLAUSE = /^([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?$/;
const EXPORT = /^[ \t]*export\b(?![ \t]*[(.:=,)])/m;

/** Returns the forms to try, the likelier one first: a text within the code may look like a line of a module. */
export function formsOf(code: string): readonly [CodeForm, CodeForm] {
  return EXPORT.test(code) ? ["module", "body"] : ["body", "module"];
}

/** The text of the user's module. */
export function moduleText(code: string, form: CodeForm): string {
  return form === "module" ? code : `${BEFORE}${withImportsInside(code)}${AFTER}`;
}

/** Turns the imports at the beginning of a script into `await import(…)`. The number of lines stays the same. */
function withImportsInside(code: string): string {
  let made = "";
  for (let at = 0; ;) {
    BLANK.lastIndex = at;
    const [blank = ""] = BLANK.exec(code) ?? [];
    IMPORT.lastIndex = at + blank.length;
    const [statement = "", clause = "", quote = "", from = ""] = IMPORT.exec(code) ?? [];
    if (statement === "" || !CLAUSE.test(clause)) return made + code.slice(at);
    const inside = importInside(clause, `await import(${quote}${from}${quote})`);
    const lines = lineCount(statement) - lineCount(inside);
    made += `${blank}${inside}${"\n".repeat(lines)}`;
    at += blank.length + statement.length;
  }
}

const lineCount = (text: string): number => text.split("\n").length;

function importInside(clause: string, imported: string): string {
  const [, whole, all, named] = CLAUSE.exec(clause) ?? [];
  const names = [
    ...(whole === undefined ? [] : [`default: ${whole}`]),
    ...(named === undefined ? [] : [named.replace(/([\w$]+)\s+as\s+/g, "$1: ")]),
  ];
  if (all === undefined && names.length === 0) return `${imported};`;
  if (all === undefined) return `const { ${names.join(", ")} } = ${imported};`;
  return names.length === 0
    ? `const ${all} = ${imported};`
    : `const ${all} = ${imported}, { ${names.join(", ")} } = ${all};`;
}

/**
 * Rewrites a stack for the author of the code: without frames of the harness, and with the columns of the original
 * code.
 */
export function authorsStack(text: string, form: CodeForm): string {
  const own = text.replace(/\n[ \t]+at [^\n]*\bmain\.js:\d+:\d+\)?(?= \{\n|\n|\)|$)/g, "");
  if (form === "module") return own;
  return own.replace(/\buser\.js:1:(\d+)/g, (place, column: string) => {
    const original = Number(column) - BEFORE.length;
    return original > 0 ? `user.js:1:${original}` : place;
  });
}
