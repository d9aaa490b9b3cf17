// Memory and knowledge as `defineApp` takes them: each brings services of the runs, runs of its own kind, and a part of the API. A
// Worker without them carries nothing of it.
import type { Clock } from "../base/clock.ts";
import type { FileStore } from "../files/file-store.ts";
import type { ModelCatalog } from "../llm/model-catalog.ts";
import type { ModelEnvironment } from "../llm/resolve-model.ts";
import type { ApiPart } from "../runtime/api-part.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { BatchDatabase } from "./d1.ts";

/** The bindings that memory and knowledge use. */
export type PartEnv = {
  readonly DB: BatchDatabase;
  readonly VECTORS?: unknown;
  readonly VECTORIZE?: unknown;
};

/** Where a tenant's service is made. */
export type PartPlace = {
  readonly tenant: string;
  readonly env: PartEnv;
  /** What models and embedders are made from. */
  readonly environment: ModelEnvironment;
  readonly outbound: OutboundPolicy;
  /** Undefined where the deployment has no file store. */
  readonly files: FileStore | undefined;
};

/** What the API of a part needs of the Worker. */
export type PartHost = {
  readonly env: PartEnv;
  readonly placeOf: (tenant: string) => PartPlace;
  readonly runs: RunDirectory;
  readonly models: ModelCatalog;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly maxBodyBytes: number;
};

export type BoundPart = {
  readonly api: ApiPart;
  /** What is to be done every minute. */
  readonly due: () => Promise<void>;
};

export type AppPart<Kind extends "memory" | "knowledge" = "memory" | "knowledge"> = {
  /** Of its runs, and the name under which runs find its service. */
  readonly kind: Kind;
  readonly service: (place: PartPlace) => object;
  readonly program: (start: RunStart) => RunProgram;
  readonly bind: (host: PartHost) => BoundPart;
};
