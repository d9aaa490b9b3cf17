import { EngineError } from "../../../base/error.ts";
import { resolveEmbedder, type EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";
import type { ToolIo } from "../base/tool-io.ts";

export type { EmbedderSpec };

/** Default embedder of CrewAI's tool. */
const USUAL = "openai/text-embedding-3-large";

/** Returns the vector of a question. Throws the embedder's errors. */
export async function queryVector(
  io: ToolIo,
  spec: EmbedderSpec = USUAL,
  text: string,
): Promise<readonly number[]> {
  const { knowledge, variables = {}, network } = io.services;
  const environment = { variables, ...(network?.fetch && { fetch: network.fetch }) };
  const embedder = knowledge?.resolve?.(spec) ?? resolveEmbedder(spec, environment);
  const { signal } = io.context;
  const [vector] = await embedder.embed([text], { signal, purpose: "query" });
  if (vector !== undefined) return [...vector];
  throw new EngineError("internal", `the embedder ${embedder.id} gave no vector`);
}
