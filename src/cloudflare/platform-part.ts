// Services of Cloudflare for runs: stores in D1 and R2, and the state of other runs. Its migrations include the tables
// of the core.
import { systemClock } from "../base/system.ts";
import { EngineError } from "../base/error.ts";
import type { Part, PartEnv } from "../parts/part.ts";
import { isTerminal } from "../runtime/run.ts";
import { boundBrowser, boundDatabases } from "./bound-services.ts";
import { reencryptOperation } from "./reencrypt-operation.ts";
import { fileDeliveryServices, type FileDeliverySetting } from "./file-delivery.ts";
import { D1DefinitionStore } from "./stores/d1-definition-store.ts";
import { D1EvaluationStore } from "./stores/d1-evaluation-store.ts";
import { D1TrainedStore } from "./stores/d1-trained-store.ts";
import { d1ModelCache } from "./stores/d1-model-cache.ts";
import type { ModelCacheSetting } from "./stores/kv-model-cache.ts";
import type { FlowStatesSetting } from "./stores/durable-flow-store.ts";
import { runFiles } from "../files/run-files.ts";
import { runFileStores, type FilesSetting } from "./stores/file-store-setting.ts";
import { runNamespace } from "./runs/run-namespace.ts";
import { callRun } from "./runs/run-object-api.ts";
import { TOOL_BINDINGS } from "./tool-bindings.ts";

export type PlatformSettings = {
  readonly files?: FilesSetting | undefined;
  readonly flowStates?: FlowStatesSetting | undefined;
  readonly modelCache?: ModelCacheSetting | undefined;
  readonly fileDelivery?: FileDeliverySetting | undefined;
};

const NO_FILES = { services: {}, runs: {}, due: undefined };

/** Creates the platform's own services for runs. A wrong setting is reported only to the runs that need it. */
export function platformPart({
  files,
  flowStates,
  modelCache = d1ModelCache,
  fileDelivery = {},
}: PlatformSettings): Part {
  const { services, runs, due } = files === undefined ? NO_FILES : runFiles(runFileStores(files));
  return {
    name: "cloudflare",
    docs: "http-api.md",
    migrations: [
      "0001_foundation.sql",
      "0002_child_runs.sql",
      "0003_files.sql",
      "0005_waits.sql",
      "0011_held_runs.sql",
      "0013_key_expiry.sql",
      "0017_model_cache.sql",
      "0018_provider_files.sql",
      "0019_files.sql",
      "0021_sweeper.sql",
      "0024_placements.sql",
      "0025_run_index.sql",
      "0027_definition_versions.sql",
    ],
    runs,
    services: {
      trained: ({ env, tenant }) => new D1TrainedStore(env.DB, tenant, systemClock),
      evaluations: ({ env, tenant }) => new D1EvaluationStore(env.DB, tenant),
      modelCache: ({ env, tenant }) => modelCache(env, tenant),
      ...fileDeliveryServices(fileDelivery),
      network: ({ outbound }) => ({ outbound }),
      browser: ({ env }) => boundBrowser(env),
      databases: ({ env }) => boundDatabases(env),
      ...TOOL_BINDINGS,
      storedDefinitions: ({ env, tenant }) => {
        const definitions = new D1DefinitionStore(env.DB);
        return (kind, name) => definitions.get(tenant, kind, name);
      },
      runEnded:
        ({ env, tenant }) =>
        (id) =>
          hasEnded(env, tenant, id),
      ...(flowStates === undefined
        ? undefined
        : { flowStates: ({ env, tenant }) => flowStates(env, tenant) }),
      ...services,
    },
    bind: (host) => ({
      operations: [reencryptOperation(host)],
      ...(due === undefined ? undefined : { due: () => due(host) }),
    }),
  };
}

async function hasEnded(env: PartEnv, tenant: string, id: string): Promise<boolean | undefined> {
  try {
    return isTerminal((await callRun(runNamespace(env), { tenant, id }, ["status"])).status);
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}
