import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { replacePlaceholders } from "../base/template.ts";

const MAX_LENGTH = 1_024;
/** Maximum length of a folder's or a file's name. */
const MAX_NAME_BYTES = 255;

/** Forbidden contents of a path, with the text of the error message. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^\s*$/, "must not be empty"],
  [/\.\./, 'must not contain ".."'],
  [/^[~$]/, 'must not start with "~" or "$"'],
  [/[|<>&;]/, "must not contain any of | < > & ;"],
  [/[\\\u0000-\u001f\u007f]/, "must not contain backslashes or control characters"],
];

/**
 * A path in a file store, relative to its root; one leading slash is dropped. A path with placeholders stays as it is: check it again
 * once they are filled, because inputs come from outside. `field` names it in the error.
 */
export function checkFilePath(
  path: unknown,
  {
    field,
    code,
  }: { readonly field: string; readonly code: "invalid_definition" | "invalid_input" },
): string {
  if (typeof path !== "string") throw badPath("must be a text");
  const refused = REFUSED.find(([pattern]) => pattern.test(path));
  if (refused !== undefined) throw badPath(refused[1]);
  if (path.length > MAX_LENGTH) throw badPath(`must be at most ${MAX_LENGTH} characters long`);
  const literal = replacePlaceholders(path, () => "");
  if (/[{}]/.test(literal)) throw badPath("must have only placeholders like {topic} in braces");
  if (literal !== path || /^https?:/i.test(path)) return path;
  const rest = path.replace(/^\//, "");
  if (rest.replace(/^\.\//, "").split("/").some(isNoName))
    throw badPath('must name a file, in folders that have names, such as "reports/may.md"');
  return rest;

  function badPath(rule: string): EngineError {
    return new EngineError(code, `${field} ${rule}, got ${preview(path)}`);
  }
}

function isNoName(part: string): boolean {
  return part === "" || part === "." || new TextEncoder().encode(part).length > MAX_NAME_BYTES;
}
