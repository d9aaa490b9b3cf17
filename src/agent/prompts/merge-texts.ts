import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, typeName } from "../../base/json.ts";
import { isForeignKey, isForeignSection } from "./prompt-file.ts";

type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Merges texts by section and key. Throws `invalid_definition` and names an unknown key or a value other than text. */
export function mergeTexts(overrides: Readonly<Record<string, unknown>>, base: Texts): Texts {
  const merged: Record<string, Readonly<Record<string, string>>> = { ...base };
  for (const [sectionName, texts] of Object.entries(overrides)) {
    const section = camelCase(sectionName);
    const known = Object.hasOwn(merged, section) ? merged[section] : undefined;
    if (known === undefined && !isForeignSection(sectionName))
      throw unknownName(`section "${sectionName}"`, Object.keys(merged));
    if (!isJsonObject(texts))
      throw wrongType(`prompts.${sectionName}`, { expected: "an object of texts", value: texts });
    const checked = checkedTexts(sectionName, texts, known ?? {});
    if (known !== undefined) merged[section] = { ...known, ...checked };
  }
  return merged;
}

function checkedTexts(
  section: string,
  texts: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([keyName, text]) => {
      const key = camelCase(keyName);
      const isOurs = Object.hasOwn(known, key);
      if (!isOurs && isForeignKey(section, keyName)) {
        checkForeign(`prompts.${section}.${keyName}`, text);
        return [];
      }
      if (!isOurs)
        throw unknownName(`key "${keyName}" in section "${section}"`, Object.keys(known));
      if (typeof text !== "string")
        throw wrongType(`prompts.${section}.${keyName}`, { expected: "a text", value: text });
      return [[key, text]];
    }),
  );
}

/** Checks a text, or texts by name, as for a tool with several. */
function checkForeign(path: string, value: unknown): void {
  const texts = isJsonObject(value) ? Object.values(value) : [value];
  if (texts.every((text) => typeof text === "string")) return;
  throw wrongType(path, { expected: "a text, or an object of texts", value });
}

function unknownName(what: string, known: readonly string[]): EngineError {
  return new EngineError(
    "invalid_definition",
    `prompts have no ${what}; expected one of: ${known.join(", ")}`,
  );
}

function wrongType(
  path: string,
  { expected, value }: { expected: string; value: unknown },
): EngineError {
  return new EngineError(
    "invalid_definition",
    `${path} must be ${expected}, got ${typeName(value)} ${preview(value)}`,
  );
}
