// Public descriptions of subjects, for parts.
import type { JsonObject } from "../base/json.ts";
import { nameWords } from "../text/index.ts";
import type { SubjectSkill } from "./part.ts";

const MAX_ID_LENGTH = 64;

/** Returns the JSON Schema of inputs for placeholders. */
export function placeholderSchema(names: readonly string[]): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    ...(names.length === 0 ? undefined : { required: [...names] }),
    additionalProperties: true,
  };
}

/** Returns the JSON Schema of inputs for placeholders of texts, which accept any value. */
export function textInputSchema(
  names: readonly string[],
  {
    required = names,
    defaults = {},
  }: { readonly required?: readonly string[]; readonly defaults?: JsonObject } = {},
): JsonObject {
  const field = (name: string): JsonObject =>
    Object.hasOwn(defaults, name) ? { default: defaults[name] ?? null } : {};
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, field(name)])),
    ...(required.length === 0 ? undefined : { required: [...required] }),
  };
}

/** Skills with ids made of their names, each unique. */
export function skillsOf(skills: ReadonlyArray<Omit<SubjectSkill, "id">>): readonly SubjectSkill[] {
  const used = new Set<string>();
  return skills.map((skill) => {
    const base = nameWords(skill.name).join("_").slice(0, MAX_ID_LENGTH) || "skill";
    let id = base;
    for (let count = 2; used.has(id); count++) id = `${base}_${count}`;
    used.add(id);
    return { id, ...skill };
  });
}

/** A text as a tag: in lower case, with dashes. */
export function tagOf(text: string): string {
  return nameWords(text).join("-").slice(0, MAX_ID_LENGTH) || "general";
}
