import { md5Hex } from "../../base/digest.ts";
import { fileEnding } from "../code-language.ts";

const NAMED = /^\s*(?:#|\/\/|\/\*|<!--)\s*filename:\s*([^\n]*?)\s*(?:\*\/|-->)?\s*$/;

/**
 * Returns the file name in the first line of the code: `# filename: report.py`, or the same in another form of comment.
 * AG2 also takes other comments for names; this function does not.
 */
export function writtenFileName(code: string): string | undefined {
  const [first = ""] = code.split("\n", 1);
  const [, name = ""] = NAMED.exec(first) ?? [];
  return name === "" ? undefined : name;
}

/** Returns the file name for code without one. The same code always gets the same name. */
export function defaultFileName(code: string, language: string): string {
  return `tmp_code_${md5Hex(code)}.${fileEnding(language)}`;
}
