// Completions of the editor: fields of definitions, tools, agents of this text, models.
import type { Json, TargetKind } from "../../api-types.ts";
import { transport } from "../../api.ts";
import { isObject } from "../../parts/form-fields.ts";

export type Suggestions = {
  readonly keys: readonly string[];
  readonly values: readonly {
    readonly name: string;
    /** Kind of the value. */
    readonly detail: string;
    /** Description of the value. */
    readonly text?: string;
  }[];
  /** Meanings of fields by name, as far as the API describes them. */
  readonly texts: Readonly<Record<string, string>>;
};

type Description = {
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};
type Tools = {
  readonly items: readonly { readonly name: string; readonly description?: string }[];
};

/** Loads fields and tools of this Worker, once. */
export async function readSuggestions(kind: TargetKind): Promise<Suggestions> {
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  const [description, tools] = await Promise.all([
    transport.json<Description>("/openapi.json"),
    transport.json<Tools>("/tools", { query: { limit: 200 } }),
  ]);
  const texts = new Map<string, string>();
  collectKeys(description.components.schemas[`${title}Definition`] ?? {}, texts);
  return {
    keys: [...texts.keys()].toSorted(),
    values: tools.items.map(({ name, description: text = "" }) => ({ name, detail: "tool", text })),
    texts: Object.fromEntries([...texts].filter(([, text]) => text !== "")),
  };
}

/** Collects the names of all properties at any depth, with their descriptions if present. */
export function collectKeys(schema: Json, keys: Map<string, string>): void {
  if (Array.isArray(schema)) for (const each of schema as readonly Json[]) collectKeys(each, keys);
  else if (isObject(schema))
    for (const [name, each] of Object.entries(schema)) {
      if (name === "properties" && isObject(each))
        for (const [key, property] of Object.entries(each)) {
          const text = isObject(property) ? property["description"] : undefined;
          keys.set(key, typeof text === "string" ? text : (keys.get(key) ?? ""));
        }
      if (typeof each === "object" && each !== null) collectKeys(each, keys);
    }
}

/** Returns the keys of agents and the models in the text. */
export function namesIn(text: string): Suggestions["values"] {
  const names = new Map<string, string>();
  let isAgents = false;
  for (const line of text.split("\n")) {
    if (/^"?agents"?:/.test(line)) isAgents = true;
    else if (/^\S/.test(line)) isAgents = false;
    const agent = isAgents ? /^ {2}([\w-]+):/.exec(line)?.[1] : undefined;
    if (agent !== undefined) names.set(agent, "agent");
    const model = /\b(?:llm|model)"?:\s*"?([\w.-]+\/[\w./:-]+)/.exec(line)?.[1];
    if (model !== undefined) names.set(model, "model");
  }
  return [...names].map(([name, detail]) => ({ name, detail }));
}
