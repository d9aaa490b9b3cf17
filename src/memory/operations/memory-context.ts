// Shared parts of the operations on memories.
import type { StartedAnswer } from "../../parts/documented-runs.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { Scope } from "../../parts/key-store.ts";
import type { PartHost } from "../../parts/part.ts";
import { mayRead } from "../../parts/rights.ts";
import { sameRun } from "../../parts/same-run.ts";
import { startedAnswer } from "../../parts/start-run.ts";
import { keyedRunId } from "../../parts/started-run.ts";
import { isTerminal } from "../../runtime/run.ts";
import type { MemoryRecord } from "../memory-record.ts";
import type { TenantMemory } from "../tenant-memory.ts";
import {
  memoryStart,
  reindexJob,
  reindexRunId,
  type MemoryJob,
  type SavedMemories,
} from "./memory-run.ts";
import type { MemoryViewer } from "./memory-viewer.ts";

/** Maximum wait for a save with an `Idempotency-Key`. */
const SAVE_WAIT_MS = 60_000;

type Asking = { readonly tenant: string; readonly scopes: readonly Scope[] };

/** Services of the operations on memories. */
export type MemoryContext = ReturnType<typeof memoryContextOf>;

/** Makes the services of a Worker's operations on memories. */
export function memoryContextOf(host: PartHost, memoryOf: (tenant: string) => TenantMemory) {
  const { runs, randomId } = host;
  async function start(tenant: string, raw: Request, job: MemoryJob): Promise<StartedAnswer> {
    const id = keyedRunId(raw) ?? randomId();
    const started = memoryStart(job);
    return startedAnswer(sameRun(await runs.start({ id, tenant, ...started }), started));
  }

  /** Saves a memory once for each idempotency key (MO3). */
  async function saveOnce(
    { tenant, scopes }: Asking,
    id: string,
    job: Extract<MemoryJob, { do: "save" }>,
  ) {
    const started = memoryStart(job);
    sameRun(await runs.start({ id, tenant, ...started }), started);
    const run = await runs.settled(tenant, id, SAVE_WAIT_MS);
    if (run.kind !== "memory" || run.name !== "save")
      throw new EngineError(
        "conflict",
        `run ${id} does not save memories: use another Idempotency-Key`,
      );
    if (!isTerminal(run.status)) return startedAnswer(run);
    if (run.status !== "completed")
      throw EngineError.fromRecord(
        run.error ?? {
          code: "conflict",
          message: `the save ${id} was cancelled`,
          retryable: false,
        },
      );
    const { saved } = run.output as SavedMemories;
    const { service } = memoryOf(tenant);
    const found = await service.records.get(saved.slice(0, 1));
    return found[0] === undefined ? FORGOTTEN : created(found[0], scopes);
  }

  /** Fails with `not_found` for records that are absent or invisible to the viewer (MO2). */
  async function visible(tenant: string, id: string, viewer: MemoryViewer): Promise<MemoryRecord> {
    const [found] = await memoryOf(tenant).service.records.get([id]);
    if (found !== undefined && viewer.sees(found)) return found;
    throw new EngineError("not_found", `there is no memory ${preview(id)}`);
  }

  /** Starts the run that makes the index again after a change of the embedder, once in ten minutes. */
  async function repair(tenant: string): Promise<void> {
    const state = await memoryOf(tenant).service.records.indexState?.();
    if (state?.isPending !== true) return;
    const id = reindexRunId(host.clock.now());
    await runs.start({ id, tenant, ...memoryStart(reindexJob) });
  }

  return { memoryOf, start, saveOnce, visible, repair };
}

/** Answer for a memory that was forgotten since its save. */
const FORGOTTEN = { status: 204 } as const;

/** A caller without `read` may know that a memory was saved or changed, and no text that was there before. */
export function shownTo(
  record: MemoryRecord,
  scopes: readonly Scope[],
): MemoryRecord | Pick<MemoryRecord, "id"> {
  return mayRead(scopes) ? record : { id: record.id };
}

/** Answer to a save. */
export function created(saved: MemoryRecord, scopes: readonly Scope[]) {
  const headers = { location: `/memory/records/${saved.id}` };
  return { status: 201, json: shownTo(saved, scopes), headers } as const;
}
