// Decides the form of a project's models: data in a crew's definition, or TypeScript.
import type { JsonObject } from "../../base/json.ts";
import type { PythonModel } from "./python-models.ts";
import { objectText, zodText } from "./zod-text.ts";
import { identifier } from "./typescript-text.ts";

type Models = ReadonlyMap<string, PythonModel>;

/** Returns a model and all used models by name, the model first. */
export function closureOf(name: string, models: Models): ReadonlySet<string> {
  const found = new Set<string>();
  const left = [name];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const model = models.get(next);
    if (model === undefined || found.has(next)) continue;
    found.add(next);
    left.push(...model.uses);
  }
  return found;
}

/** True if a schema as data expresses the whole model. */
export function isData(name: string, models: Models): boolean {
  return ![...closureOf(name, models)].some((each) => models.get(each)?.hasValidator);
}

/** Returns a model's complete schema. Models that it uses are in `$defs`. */
export function schemaAlone(name: string, models: Models): JsonObject {
  const { schema = {} } = models.get(name) ?? {};
  const closure = closureOf(name, models);
  const isRecursive = [...closure].some((each) => models.get(each)?.uses.has(name));
  const defs = [...closure]
    .filter((each) => each !== name || isRecursive)
    .map((each) => [each, models.get(each)?.schema ?? {}]);
  return defs.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(defs) as JsonObject };
}

/** Returns zod constants for these models. Used models come before those that use them. */
export function zodConstants(names: Iterable<string>, models: Models): readonly string[] {
  const wanted = new Set([...names].flatMap((name) => [...closureOf(name, models)]));
  const ordered = inOrder([...wanted], models);
  return ordered.map((name, index) => {
    const { schema = {} } = models.get(name) ?? {};
    const later = new Set(ordered.slice(index));
    const options = { isLater: (each: string) => later.has(each) };
    const { description, ...fields } = schema;
    const isObject = "properties" in schema;
    const about =
      isObject && description !== undefined ? `.describe(${JSON.stringify(description)})` : "";
    const text = isObject ? `${objectText(fields, options)}${about}` : zodText(schema, options);
    const own = identifier(name);
    return own === name
      ? `export const ${name} = ${text};`
      : `const ${own} = ${text};\nexport { ${own} as ${name} };`;
  });
}

function inOrder(names: readonly string[], models: Models): readonly string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name) || open.has(name)) return;
    open.add(name);
    for (const used of models.get(name)?.uses ?? []) if (names.includes(used)) visit(used);
    done.add(name);
  };
  for (const name of names) visit(name);
  return [...done];
}
