// Memory in a Worker: the part for `defineApp({ memory })`.
import { UsageMeter } from "../model-calls/usage-meter.ts";
import type { Part, PartEnv, PartHost, PartPlace } from "../parts/part.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import { memoryService, type MemoryServiceOptions } from "./make-memory-service.ts";
import { memoryCalls } from "./memory-calls.ts";
import { memoryModel, memoryModelFor, type MemoryModel } from "./memory-model.ts";
import { memorySettings, type MemoryOptions } from "./memory-options.ts";
import type { MemoryRecords } from "./memory-records.ts";
import type { MemoryService } from "./memory-service.ts";
import { Memory } from "./memory.ts";
import { memoryOperations } from "./operations/memories.ts";
import {
  memoryRun,
  memoryRunSchemas,
  memoryStart,
  reindexJob,
  reindexRunId,
} from "./operations/memory-run.ts";
import type { TenantMemory } from "./tenant-memory.ts";

/** Options of `memory()` in `defineApp`. */
export type MemoryPartOptions = Omit<
  MemoryOptions,
  "storage" | "clock" | "rootScope" | "readOnly"
> & {
  /**
   * Stores of the vectors. @default the Vectorize index bound as `VECTORIZE`, else the Durable Objects bound as
   * `VECTORS`
   */
  readonly vectors?: (env: PartEnv) => VectorStores;
};

/** Stores of records and vectors. */
type MemoryStores = {
  readonly records: (place: PartPlace) => MemoryRecords;
  /** Vector stores used if the options name no others. */
  readonly vectors: (env: PartEnv) => VectorStores;
  /** Returns tenants whose index is being made for another embedder. */
  readonly pending: (env: PartEnv) => Promise<readonly string[]>;
  /** Returns tenants with full text of an earlier version, at most the number of one visit of the cron. */
  readonly outdated?: (env: PartEnv) => Promise<readonly string[]>;
};

/** Number of records of a tenant whose full text is rewritten at one visit of the cron. */
const RENEWED = 500;

/** Creates the memory part. Fails with `invalid_definition` for invalid options. */
export function memoryPart(options: MemoryPartOptions, stores: MemoryStores): Part {
  const { vectors = stores.vectors, ...settings } = options;
  memorySettings(settings);
  const service = (place: PartPlace): MemoryService => {
    const { tenant, env, environment } = place;
    const storage = { tenant, records: stores.records(place), vectors: vectors(env) };
    return serviceOf({ storage, environment }, settings);
  };
  return {
    name: "memory",
    docs: "memory-api.md",
    migrations: [
      "0008_memory.sql",
      "0010_vectorize.sql",
      "0012_memory_text.sql",
      "0032_recall.sql",
      "0035_memory_index.sql",
    ],
    services: { memory: service },
    kinds: {
      memory: {
        schemas: memoryRunSchemas,
        program: (start) => memoryRun(start, () => new Memory(settings)),
      },
    },
    bind: (host) => {
      const model = modelOf(host);
      const tenantMemory = (tenant: string): TenantMemory => {
        const installed = service(host.placeOf(tenant));
        const embedder = installed.embedder?.(settings.embedder);
        const own = {
          ...settings,
          ...(embedder === undefined ? undefined : { embedder }),
          storage: installed,
          clock: host.clock,
        };
        return {
          service: installed,
          open: (listener) => new Memory(memoryCalls(own, { model, listener })),
        };
      };
      return {
        operations: memoryOperations(host, tenantMemory),
        due: async () => {
          await vectors(host.env).sweep?.();
          const id = reindexRunId(host.clock.now());
          for (const tenant of await stores.pending(host.env))
            await host.runs.start({ id, tenant, ...memoryStart(reindexJob) });
          for (const tenant of (await stores.outdated?.(host.env)) ?? [])
            await stores.records(host.placeOf(tenant)).renewWords(RENEWED).catch(host.report);
        },
      };
    },
  };
}

function serviceOf(
  place: Pick<MemoryServiceOptions, "storage" | "environment">,
  { embedder, ...others }: Omit<MemoryPartOptions, "vectors">,
): MemoryService {
  const made = memoryService({ ...place, ...(embedder === undefined ? undefined : { embedder }) });
  return {
    ...made,
    // The memory's own settings override the deployment's.
    create: (request) => made.create({ ...request, config: { ...others, ...request.config } }),
  };
}

/** Outside a run, the deployment's model is called directly. */
function modelOf({ models }: PartHost): MemoryModel {
  return (question, { place, llm }) =>
    place === undefined
      ? memoryModelFor({ model: models(llm), budget: {}, meter: new UsageMeter() })(question, {
          place,
          llm: undefined,
        })
      : memoryModel(question, { place, llm });
}
