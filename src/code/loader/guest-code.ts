// Code as a module of an isolate: as the body of a function, or as it is.
//
// While a module is evaluated the runtime lets it neither wait, nor set timers, nor see its files. So a script is the body of a
// function, also one that begins with imports; only what exports something is a module.

/** The body of a function, in which code may `return`; or a module, whose default export is the value or gives it. */
export type CodeForm = "body" | "module";

/** On one line, so that the lines of the code keep their numbers. */
const BEFORE = "export default async (input, tools) => { ";
const AFTER = "\n}";

const BLANK = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/|(["'])use strict\1;?)+/y;
const IMPORT = /import\b\s*(?:([\w$*{}\s,]{1,2000}?)\s*\bfrom\b\s*)?(["'])([^"'\n]+)\2[ \t]*;?/y;
const CLAUSE = /^([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?$/;
const EXPORT = /^[ \t]*export\b(?![ \t]*[(.:=,)])/m;

/** The forms to be tried, the likelier one first: a text within the code may look like a line of a module. */
export function formsOf(code: string): readonly [CodeForm, CodeForm] {
  return EXPORT.test(code) ? ["module", "body"] : ["body", "module"];
}

/** The text of the user's module. */
export function moduleText(code: string, form: CodeForm): string {
  return form === "module" ? code : `${BEFORE}${withImportsInside(code)}${AFTER}`;
}

/** The imports that a script begins with in the form that a function may have, each with as many lines as before. */
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

/** A stack as the code's author sees it: without frames of the harness, and with the columns of what was written. */
export function authorsStack(text: string, form: CodeForm): string {
  const own = text.replace(/\n[ \t]+at [^\n]*\bmain\.js:\d+:\d+\)?(?= \{\n|\n|\)|$)/g, "");
  if (form === "module") return own;
  return own.replace(/\buser\.js:1:(\d+)/g, (place, column: string) => {
    const original = Number(column) - BEFORE.length;
    return original > 0 ? `user.js:1:${original}` : place;
  });
}
