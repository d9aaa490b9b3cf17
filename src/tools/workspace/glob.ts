import { linearPattern } from "../../base/linear-pattern.ts";

const MAX_LENGTH = 512;
/** Characters with a special meaning in regular expressions. */
const SPECIAL = /[\\^$.|+()[\]{}]/g;

/**
 * Creates a matcher for a pattern of paths: `*` and `?` match letters of one segment, `**` any number of segments,
 * `[abc]` one of some letters, and `{a,b}` one of some texts. A pattern without a slash matches in all folders. Returns
 * undefined for an invalid pattern. The time for a path grows linearly with its length.
 */
export function globMatcher(pattern: string): ((path: string) => boolean) | undefined {
  if (pattern === "" || pattern.length > MAX_LENGTH) return undefined;
  const anywhere = pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`;
  const source = expression(anywhere);
  const compiled = source === undefined ? undefined : linearPattern(`^(?:${source})$`);
  return compiled?.test;
}

function expression(pattern: string): string | undefined {
  let source = "";
  let braces = 0;
  for (let at = 0; at < pattern.length;) {
    const letter = pattern[at] ?? "";
    if (pattern.startsWith("**/", at)) {
      source += "(?:[^/]+/)*";
      at += 3;
    } else if (pattern.startsWith("**", at)) {
      source += ".*";
      at += 2;
    } else if (letter === "[") {
      const end = pattern.indexOf("]", at + 2);
      if (end === -1) return undefined;
      const [, not = "", letters = ""] = /^([!^]?)(.*)$/s.exec(pattern.slice(at + 1, end)) ?? [];
      source += `[${not === "" ? "" : "^/"}${letters.replace(/[\\\]^[]/g, "\\$&")}]`;
      at = end + 1;
    } else {
      if (letter === "{") braces++;
      if (letter === "}" && --braces < 0) return undefined;
      source += piece(letter, braces > 0);
      at++;
    }
  }
  return braces === 0 ? source : undefined;
}

function piece(letter: string, inBraces: boolean): string {
  if (letter === "*") return "[^/]*";
  if (letter === "?") return "[^/]";
  if (letter === "{") return "(?:";
  if (letter === "}") return ")";
  if (letter === "," && inBraces) return "|";
  return letter.replace(SPECIAL, "\\$&");
}
