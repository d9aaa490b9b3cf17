/** A language that code can be run in. */
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

/** The language that a name stands for, such as `py` or `Python`; undefined for one that is not run. */
export function codeLanguage(name: string): CodeLanguage | undefined {
  return BY_NAME.get(name.trim().toLowerCase());
}

/** What is code in a conversation, and is kept as a file instead of being run. */
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

/** What the names of its files end with. */
export function fileEnding(language: string): string {
  const known = codeLanguage(language);
  return known === undefined ? language.trim().toLowerCase() : ENDINGS[known];
}
