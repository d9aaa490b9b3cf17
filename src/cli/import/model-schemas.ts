// Where the models of a project go: into a crew's definition as data, or into TypeScript.
import type { JsonObject } from "../../base/json.ts";
import type { PythonModel } from "./python-models.ts";
import { objectText, zodText } from "./zod-text.ts";
import { identifier } from "./typescript-text.ts";

type Models = ReadonlyMap<string, PythonModel>;

/** A model and all that it is made of, by name, the model first. */
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

/** Whether a schema of data says all of it. */
export function isData(name: string, models: Models): boolean {
  return ![...closureOf(name, models)].some((each) => models.get(each)?.hasValidator);
}

/** A model's schema by itself: what it is made of stands in `$defs`. */
export function schemaAlone(name: string, models: Models): JsonObject {
  const { schema = {} } = models.get(name) ?? {};
  const closure = closureOf(name, models);
  const isRecursive = [...closure].some((each) => models.get(each)?.uses.has(name));
  const defs = [...closure]
    .filter((each) => each !== name || isRecursive)
    .map((each) => [each, models.get(each)?.schema ?? {}]);
  return defs.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(defs) as JsonObject };
}

/** The constants of zod for these models, those that others are made of first. */
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
