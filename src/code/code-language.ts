/** Language of runnable code. */
export type CodeLanguage = "javascript" | "typescript" | "python" | "bash";

const NAMES: Readonly<Record<CodeLanguage, readonly string[]>> = {
  javascript: ["javascript", "js", "node", "mjs", "cjs"],
  typescript: ["typescript", "ts", "mts"],
  python: ["python", "py", "python3"],
  bash: ["bash", "sh", "shell", "zsh"],
};

const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([language, names]) =>
    names.map((name) => [name, language as CodeLanguage] as const),
  ),
);

/** Returns the language for a name such as `py` or `Python`. Undefined if no runner exists for it. */
export function codeLanguage(name: string): CodeLanguage | undefined {
  return BY_NAME.get(name.trim().toLowerCase());
}

/** Languages of blocks that a conversation keeps as files instead of running them. */
const KEPT: ReadonlySet<string> = new Set(["html", "css", "json", "md"]);

export function isKeptLanguage(name: string): boolean {
  return KEPT.has(name.trim().toLowerCase());
}

const ENDINGS: Readonly<Record<CodeLanguage, string>> = {
  javascript: "js",
  typescript: "ts",
  python: "py",
  bash: "sh",
};

/** Returns the file extension of a language. */
export function fileEnding(language: string): string {
  const known = codeLanguage(language);
  return known === undefined ? language.trim().toLowerCase() : ENDINGS[known];
}
