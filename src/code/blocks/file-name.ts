import { md5Hex } from "../../base/digest.ts";
import { fileEnding } from "../code-language.ts";

const NAMED = /^\s*(?:#|\/\/|\/\*|<!--)\s*filename:\s*([^\n]*?)\s*(?:\*\/|-->)?\s*$/;

/**
 * The file that code asks to be kept as: in its first line, as `# filename: report.py` or in a comment of another form. Any other
 * comment names no file, which AG2 would take it for.
 */
export function writtenFileName(code: string): string | undefined {
  const [first = ""] = code.split("\n", 1);
  const [, name = ""] = NAMED.exec(first) ?? [];
  return name === "" ? undefined : name;
}

/** What code without a name is kept as: the same name for the same code. */
export function defaultFileName(code: string, language: string): string {
  return `tmp_code_${md5Hex(code)}.${fileEnding(language)}`;
}
