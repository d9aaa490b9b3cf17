// Type `Api` of a Worker: inputs and outputs of its crews, flows, agents and conversations.
//
//   APT1. It has no imports, so it compiles beside the types of any runtime.
//   APT2. It contains the definitions of the code, sorted by name. Stored definitions are left out, so they cannot make
//         it stale.
import type { JsonObject } from "../base/json.ts";
import { EngineError, type EdgecrewClient, type Page } from "../client/index.ts";
import { schemaType } from "./schema-type.ts";

/** Returns the source of the module with the type. */
export async function apiTypes(client: EdgecrewClient): Promise<string> {
  const [crews, flows, agents, conversations] = await Promise.all([
    namesOf((cursor) => client.crews.list(cursor)),
    namesOf((cursor) => client.flows.list(cursor)),
    namesOf((cursor) => client.agents.list(cursor)),
    namesOf((cursor) => client.conversations.list(cursor)),
  ]);
  const sections = {
    crews: await each(crews, async (name) => {
      const { inputs, inputSchema, outputSchema } = await client.crews.get(name);
      const taken = ofTexts(inputSchema) ? placeholders(inputs) : schemaType(inputSchema);
      return fields({ inputs: taken, output: schemaType(outputSchema) });
    }),
    flows: await each(flows, async (name) => {
      const { inputSchema, conversational } = await client.flows.get(name);
      return fields({
        inputs: schemaType(inputSchema ?? ANY),
        state: schemaType(inputSchema ?? ANY, { defaultsAreSet: true }),
        result: "unknown",
        ...(conversational === true ? { turns: "true" } : {}),
      });
    }),
    agents: await each(agents, async (name) => {
      const { inputs } = await client.agents.get(name);
      return fields({ inputs: placeholders(inputs), output: "unknown" });
    }),
    conversations: await each(conversations, () =>
      Promise.resolve(fields({ inputs: placeholders([]), result: "unknown" })),
    ),
  };
  return [
    "// Written by `edgecrew types`: changes here are lost.",
    "",
    "/** What an input may be. */",
    "export type JsonValue =",
    "  | string",
    "  | number",
    "  | boolean",
    "  | null",
    "  | ReadonlyArray<JsonValue>",
    "  | { readonly [name: string]: JsonValue };",
    "",
    "/** What can be started here: what each takes, and what it gives. */",
    `export type Api = ${fields(sections)};`,
    "",
  ].join("\n");
}

const ANY: JsonObject = { type: "object", additionalProperties: true };

type Named = { readonly name: string; readonly source?: "code" | "stored" };

/** Returns the sorted names of the code's definitions. Empty for a Worker without that part. */
async function namesOf(
  list: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Named>>,
): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for (let cursor: string | undefined; ;) {
      const page = await list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      for (const { name, source = "code" } of page.items) if (source === "code") names.push(name);
      if (page.nextCursor === undefined) break;
      cursor = page.nextCursor;
    }
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
  }
  return names.toSorted();
}

async function each(
  names: readonly string[],
  type: (name: string) => Promise<string>,
): Promise<string> {
  if (names.length === 0) return "{}";
  const entries: [string, string][] = [];
  for (const name of names) entries.push([name, await type(name)]);
  return fields(Object.fromEntries(entries));
}

/** True if a schema has only placeholders, whose types are unknown. */
function ofTexts(schema: JsonObject | undefined): boolean {
  const properties = Object.values((schema?.["properties"] ?? {}) as Record<string, JsonObject>);
  return properties.every((field) => Object.keys(field).every((name) => name === "default"));
}

/** Writes a type with these required placeholders. Other inputs are allowed, for later placeholders. */
function placeholders(names: readonly string[]): string {
  if (names.length === 0) return "Record<string, JsonValue>";
  const lines = names.map((name) => `  ${JSON.stringify(name)}: JsonValue;`);
  return `{\n${lines.join("\n")}\n  [name: string]: JsonValue;\n}`;
}

function fields(types: Readonly<Record<string, string>>): string {
  const lines = Object.entries(types).map(([name, type]) => `${key(name)}: ${type};`);
  return `{\n${lines.join("\n").replaceAll(/^(?=.)/gm, "  ")}\n}`;
}

const key = (name: string): string => (/^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name));
