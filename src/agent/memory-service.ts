import type { LessonStore } from "../base/lesson-store.ts";
import { environmentVariables } from "../base/system.ts";
import { memoryStorage } from "../memory/in-process-records.ts";
import { joinScopePaths, sanitizeScopeName } from "../memory/memory-path.ts";
import type { MemoryService, MemoryStorage } from "../memory/memory-service.ts";
import type { MemoryView } from "../memory/memory-view.ts";
import type { Embedder } from "../vectors/embedder.ts";
import {
  resolveEmbedder,
  type EmbedderEnvironment,
  type EmbedderSpec,
} from "../vectors/embedders/resolve-embedder.ts";
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
  const resolved = (spec: EmbedderSpec | undefined): Embedder =>
    spec === undefined
      ? (usual ??= resolveEmbedder(options.embedder, environment))
      : resolveEmbedder(spec, environment);
  return {
    tenant,
    records,
    vectors,
    get embedder() {
      return resolved(undefined);
    },
    create: ({ path, llm, embedder, settings = {} }) => {
      const { embedder: own = embedder, rootScope, ...given } = settings;
      const [kind = "", ...names] = path;
      const root = [kind, ...names.map(sanitizeScopeName)].join("/");
      return new Memory({
        ...(llm === undefined ? undefined : { llm }),
        ...given,
        storage: { tenant, records, vectors },
        embedder: resolved(own as EmbedderSpec | undefined),
        rootScope: rootScope ?? joinScopePaths(undefined, root),
      });
    },
  };
}

const MAX_LESSONS = 10;
const MAX_SEARCHED = 40;

/** Lessons of people's feedback, kept in a memory: private to their source, so that no other recall comes upon them. */
export function memoryLessons(memory: MemoryView): LessonStore {
  return {
    recall: async (query, source) => {
      const found = await memory.recall(query, { source, limit: MAX_SEARCHED });
      return found
        .filter(({ record }) => record.source === source)
        .slice(0, MAX_LESSONS)
        .map(({ record }) => record.content);
    },
    remember: async (lessons, source) => {
      await memory.rememberMany(lessons, { source, private: true });
      await memory.drainWrites();
    },
  };
}
