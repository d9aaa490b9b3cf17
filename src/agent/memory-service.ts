import { environmentVariables } from "../base/system.ts";
import { memoryStorage } from "../memory/in-process-records.ts";
import { joinScopePaths, sanitizeScopeName } from "../memory/memory-path.ts";
import type { MemoryService, MemoryStorage } from "../memory/memory-service.ts";
import type { Embedder } from "../vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
import { memoryKit } from "./memory-at-work.ts";
import { Memory } from "./memory.ts";

export type MemoryServiceOptions = {
  /** Where one tenant's memory is kept. @default in this process, as long as the service */
  readonly storage?: MemoryStorage;
  /** For memories that name none. @default the environment's: `EMBEDDER`, OpenAI's where there is a key, else the offline one */
  readonly embedder?: EmbedderSpec;
  /** What embedders are made from. @default the process's environment variables */
  readonly environment?: EmbedderEnvironment;
};

/** What runs are given under `services.memory`, so that `memory: true` means something. One for each tenant. */
export function memoryService(options: MemoryServiceOptions = {}): Required<MemoryService> {
  const { storage = memoryStorage(), environment = { variables: environmentVariables() } } =
    options;
  const { tenant, records, vectors } = storage;
  let usual: Embedder | undefined;
  const embedder = (spec: EmbedderSpec | undefined): Embedder =>
    spec === undefined
      ? (usual ??= resolveEmbedder(options.embedder, environment))
      : resolveEmbedder(spec, environment);
  return {
    tenant,
    records,
    vectors,
    embedder,
    kit: memoryKit,
    create: ({ path: [kind = "", ...names], llm, embedder: spec, settings = {} }) =>
      new Memory({
        ...(llm === undefined ? undefined : { llm }),
        rootScope: joinScopePaths(kind, names.map(sanitizeScopeName).join("/")),
        storage: { tenant, records, vectors },
        ...settings,
        // Outside of runs, too: there nobody else would resolve it.
        embedder: embedder(settings.embedder ?? spec),
      }),
  };
}
