// Memory in a Worker: what `defineApp({ memory })` takes.
import type { Part, PartEnv, PartHost, PartPlace } from "../parts/part.ts";
import { boundVectors } from "../cloudflare/bound-vectors.ts";
import { D1MemoryRecords } from "../cloudflare/d1-memory-records.ts";
import { memoryService } from "../memory/make-memory-service.ts";
import { memoryCalls } from "../memory/memory-calls.ts";
import { memoryModel, memoryModelFor, type MemoryModel } from "../memory/memory-model.ts";
import { memorySettings, type MemoryOptions } from "../memory/memory-options.ts";
import type { MemoryService } from "../memory/memory-service.ts";
import type { MemoryListener } from "../memory/memory-steps.ts";
import { Memory } from "../memory/memory.ts";
import { UsageMeter } from "../model-calls/model-call.ts";
import type { VectorStores } from "../vectors/vector-store.ts";
import { memoryOperations, memoryShapes } from "./operations.ts";
import { memoryRun, memoryRunSchemas } from "./memory-run.ts";

export type MemoryPartOptions = Omit<
  MemoryOptions,
  "storage" | "clock" | "rootScope" | "readOnly"
> & {
  /** Where vectors are kept. @default the Vectorize index bound as `VECTORIZE`, else the Durable Objects bound as `VECTORS` */
  readonly vectors?: (env: PartEnv) => VectorStores;
};

/** A tenant's memory as the API works with it. */
export type TenantMemory = {
  readonly service: MemoryService;
  /** All of it, outside of runs. */
  readonly open: (listener?: MemoryListener) => Memory;
};

/**
 * Keeps what is remembered in D1 and a vector index, for crews, agents and flows that have `memory`, and for `/memory`. What is said
 * here holds for all of it; their own settings go before. Throws `invalid_definition` for options that cannot work.
 */
export function memory(options: MemoryPartOptions = {}): Part {
  const { vectors = boundVectors, ...settings } = options;
  memorySettings(settings);
  const service = (place: PartPlace): MemoryService => serviceOf(place, { vectors, settings });
  return {
    name: "memory",
    docs: "memory.md",
    migrations: ["0008_memory.sql", "0010_vectorize.sql"],
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
        const { records, vectors: stores, embedder } = installed;
        const made = embedder?.(settings.embedder);
        return {
          service: installed,
          open: (listener) => {
            const own = {
              ...settings,
              ...(made === undefined ? undefined : { embedder: made }),
              storage: { tenant, records, vectors: stores },
              clock: host.clock,
            };
            return new Memory(own, memoryCalls(own, { model, listener }));
          },
        };
      };
      return {
        operations: memoryOperations(host, tenantMemory),
        shapes: memoryShapes,
        due: async () => vectors(host.env).sweep?.(),
      };
    },
  };
}

function serviceOf(
  { tenant, env, environment }: PartPlace,
  {
    vectors,
    settings,
  }: {
    readonly vectors: (env: PartEnv) => VectorStores;
    readonly settings: Omit<MemoryOptions, "storage">;
  },
): MemoryService {
  const storage = {
    tenant,
    records: new D1MemoryRecords(env.DB, tenant),
    vectors: vectors(env),
  };
  const { embedder, ...others } = settings;
  const made = memoryService({
    storage,
    environment,
    ...(embedder === undefined ? undefined : { embedder }),
  });
  return {
    ...made,
    // The deployment's settings hold where whoever has the memory says nothing else.
    create: (request) => made.create({ ...request, config: { ...others, ...request.config } }),
  };
}

/** In a request there is no run that the model could be called for: the deployment's is asked straight away. */
function modelOf({ models }: PartHost): MemoryModel {
  return (question, { place, llm }) =>
    place === undefined
      ? memoryModelFor({ model: models(llm), budget: {}, meter: new UsageMeter() })(question, {
          place,
          llm: undefined,
        })
      : memoryModel(question, { place, llm });
}
