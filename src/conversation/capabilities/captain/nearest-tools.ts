import type { RunScope } from "../../../events/run-scope.ts";
import type { Tool } from "../../../tools/tool.ts";
import { embedAll } from "../../../vectors/embed-each.ts";
import type { EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";
import { ExactVectors } from "../../../vectors/exact-vectors.ts";
import { embedderFor } from "../embedder-for.ts";

/** Returns the library's tools nearest to a task, up to a limit. The vectors of both are steps at `place`. */
export async function nearestTools(
  place: RunScope,
  library: readonly Tool[],
  {
    task,
    limit,
    embedder: spec,
  }: {
    readonly task: string;
    readonly limit: number;
    readonly embedder: EmbedderSpec | undefined;
  },
): Promise<readonly Tool[]> {
  if (library.length <= limit) return library;
  const embedder = embedderFor(place.services.knowledge, spec);
  const texts = library.map(({ name, description }) => `${name}: ${description}`);
  const vectors = await embedAll(embedder, texts, { place: place.at("library") });
  const [asked] = await embedAll(embedder, [task], { place: place.at("task"), purpose: "query" });
  if (asked === undefined) return library.slice(0, limit);
  const index = new ExactVectors({
    tenant: "captain",
    collection: "tools",
    model: embedder.model,
  });
  await index.upsert(vectors.map((vector, at) => ({ id: `${at}`, vector })));
  const found = await index.query(asked, { limit });
  const ids = new Set(found.map(({ id }) => id));
  return library.filter((_, at) => ids.has(`${at}`));
}
