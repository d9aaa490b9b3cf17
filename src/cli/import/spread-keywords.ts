import type { Keyword, PythonValue } from "./python-value.ts";

/** Returns named arguments with their values. Those of a spread dict are among them: `LLM(**settings)`. */
export function spreadKeywords(
  keywords: readonly Keyword[],
  valueOf: (value: PythonValue, name: string) => PythonValue,
): readonly Keyword[] {
  return keywords.flatMap(({ name, value }) => {
    const found = valueOf(value, name);
    return name === "**" && found.kind === "dict"
      ? found.entries.map(([key, each]) => ({ name: key, value: each }))
      : [{ name, value: found }];
  });
}
