import { environmentVariables } from "../base/system.ts";
import { inMemoryStorage } from "./in-memory-records.ts";
import { joinScopePaths, sanitizeScopeName, storedScopePath } from "./memory-path.ts";
import type { Embedder } from "../vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
import type { MemoryStorage } from "./memory-records.ts";
import type { MemoryService } from "./memory-service.ts";
import { Memory } from "./memory.ts";

/** Storage and embedder of a memory service. */
export type MemoryServiceOptions = {
  /** Storage of one tenant's memory. @default in this process, as long as the service */
  readonly storage?: MemoryStorage;
  /**
   * Embedder of memories without their own. @default the environment's: `EMBEDDER`, OpenAI's where there is a key, else
   * the offline one
   */
  readonly embedder?: EmbedderSpec;
  /** Variables for making embedders. @default the process's environment variables */
  readonly environment?: EmbedderEnvironment;
};

/** Creates the memory service of one tenant for `services.memory` of its runs. It makes `memory: true` work. */
export function memoryService(options: MemoryServiceOptions = {}): Required<MemoryService> {
  const { storage = inMemoryStorage(), environment = { variables: environmentVariables() } } =
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
    create: ({ path: [kind = "", ...names], llm, embedder: spec, config = {}, person }) => {
      const { scope: _, ...settings } = config;
      const rootScope = storedScopePath(
        joinScopePaths(kind, names.map(sanitizeScopeName).join("/")),
      );
      const memory = new Memory({
        ...(llm === undefined ? undefined : { llm }),
        ...(person === undefined ? { rootScope } : undefined),
        storage: { tenant, records, vectors },
        ...settings,
        // Also outside of runs, where no run resolves the embedder.
        embedder: embedder(settings.embedder ?? spec),
      });
      return person === undefined ? memory : memory.person(person);
    },
  };
}
