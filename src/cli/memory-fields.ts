// Options for the fields of a memory, the same for every command that writes one.
import type { ChangeMemoryBody } from "../memory/operations/schemas.ts";
import type { JsonObject } from "../base/json.ts";
import { wrongUse } from "./cli-failure.ts";

export const FIELD_OPTIONS = {
  scope: { about: "path of the memory", value: "path" },
  category: { about: "repeatable; replaces those chosen by a model", value: "name", many: true },
  importance: { about: "0 to 1", value: "number" },
  metadata: { about: "repeatable; a field of your own", value: "name=text", many: true },
  source: { about: "owner of the memory", value: "source" },
  private: { about: "for its source alone" },
} as const;

/** Option for the memory of a person. */
export const PERSON_OPTION = {
  person: { about: "the memory of this person", value: "id" },
} as const;

type Fields = {
  readonly scope?: string | undefined;
  readonly category: readonly string[];
  readonly importance?: string | undefined;
  readonly metadata: readonly string[];
  readonly source?: string | undefined;
  readonly private?: boolean | undefined;
};

/** Returns the given fields. Throws exit code 2 for invalid ones. */
export function memoryFields(options: Fields): ChangeMemoryBody {
  const { scope, category, metadata, source } = options;
  const importance = numberOf(options.importance);
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(category.length === 0 ? {} : { categories: [...category] }),
    ...(importance === undefined ? {} : { importance }),
    ...(metadata.length === 0 ? {} : { metadata: metadataOf(metadata) }),
    ...(source === undefined ? {} : { source }),
    ...(options.private ? { private: true } : {}),
  };
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw wrongUse(`--importance: expected a number from 0 to 1, got ${JSON.stringify(text)}`);
}

function metadataOf(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw wrongUse(`--metadata: expected name=text, got ${JSON.stringify(pair)}`);
    }),
  );
}
