// All parts, in the order of the table.
import type { WorldPart } from "./part.ts";

/** Loads each part when it is asked for: a part may import much. */
export const PARTS: Readonly<Record<string, () => Promise<WorldPart>>> = {
  "crewai-declared": async () => (await import("./crewai-declared/part.ts")).part,
  "crewai-flows": async () => (await import("./crewai-flows/part.ts")).part,
  "crewai-crews": async () => (await import("./crewai-crews/part.ts")).part,
  ag2: async () => (await import("./ag2/part.ts")).part,
  openapi: async () => (await import("./openapi/part.ts")).part,
  "generated-clients": async () => (await import("./generated-clients/part.ts")).part,
  prompts: async () => (await import("./prompts/part.ts")).part,
  "real-model": async () => (await import("./real-model/part.ts")).part,
  "python-sdks": async () => (await import("./python-sdks/part.ts")).part,
  "a2a-clients": async () => (await import("./a2a-clients/part.ts")).part,
  "a2a-servers": async () => (await import("./a2a-servers/part.ts")).part,
  "model-sdks": async () => (await import("./model-sdks/part.ts")).part,
  "js-clients": async () => (await import("./js-clients/part.ts")).part,
  documents: async () => (await import("./documents/part.ts")).part,
  "front-ends": async () => (await import("./front-ends/part.ts")).part,
  "a2a-kit": async () => (await import("./a2a-kit/part.ts")).part,
  tables: async () => (await import("./tables/part.ts")).part,
};

/** The parts of the given names; all when there are none. */
export async function findParts(names: readonly string[]): Promise<readonly WorldPart[]> {
  const unknown = names.filter((name) => PARTS[name] === undefined);
  if (unknown.length > 0)
    throw new Error(
      `there is no part ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}`,
    );
  const wanted = names.length > 0 ? names : Object.keys(PARTS);
  return Promise.all(wanted.map((name) => (PARTS[name] as () => Promise<WorldPart>)()));
}
