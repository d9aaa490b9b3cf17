// Input schemas of the code's crews, flows, agents and conversations, as their details show them, for the API document.
import type { JsonObject } from "../../base/json.ts";
import type { Operation } from "../../parts/operation.ts";
import type { Api } from "../../parts/part.ts";

type Reference = { readonly $ref: string };

const KICKOFF = /^\/\w+\/\{name\}\/kickoff$/;

/** Returns the schemas as components, and for each kickoff its subjects' schemas by name. */
export function inputSchemas(api: Pick<Api, "subjects">): {
  readonly components: Readonly<Record<string, JsonObject>>;
  readonly of: (
    operation: Operation,
  ) => { readonly "x-inputs": Readonly<Record<string, Reference>> } | undefined;
} {
  const components: Record<string, JsonObject> = {};
  const byKind = new Map<string, Record<string, Reference>>();
  for (const [kind, subjects] of api.subjects) {
    const references: Record<string, Reference> = {};
    for (const name of subjects.names()) {
      const info = subjects.get(name)?.about?.();
      if (info === undefined) continue;
      const component = componentName(kind, name, components);
      components[component] = asComponent(info.takes ?? info.inputSchema, component);
      references[name] = { $ref: `#/components/schemas/${component}` };
    }
    byKind.set(kind, references);
  }
  return {
    components,
    of: ({ path, subject }) => {
      const references = byKind.get(subject ?? "") ?? {};
      if (!KICKOFF.test(path) || Object.keys(references).length === 0) return undefined;
      return { "x-inputs": references };
    },
  };
}

/** Adjusts references inside the schema to the component's path. */
function asComponent(schema: JsonObject, name: string): JsonObject {
  const text = JSON.stringify(schema);
  return JSON.parse(
    text
      .replaceAll('"#/$defs/', `"#/components/schemas/${name}/$defs/`)
      .replaceAll('"$ref":"#"', `"$ref":"#/components/schemas/${name}"`),
  ) as JsonObject;
}

/** Builds a component name from the permitted letters. Names that differ only in other letters get numbers. */
function componentName(kind: string, name: string, taken: object): string {
  const plain = `Inputs.${kind}.${name.replace(/[^\w.-]/g, "_")}`;
  let unique = plain;
  for (let count = 2; Object.hasOwn(taken, unique); count++) unique = `${plain}.${count}`;
  return unique;
}
