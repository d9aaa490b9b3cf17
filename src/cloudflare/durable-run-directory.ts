import { EngineError, type ErrorRecord } from "../base/error.ts";
import type { Clock } from "../base/clock.ts";
import { mapAtMost } from "../base/concurrency.ts";
import type { Checkpoint } from "../runtime/checkpoints.ts";
import { checkForkInputs } from "../runtime/fork.ts";
import type {
  ForkRequest,
  Page,
  PruneQuery,
  RunDirectory,
  RunQuery,
  RunSummary,
  WaitQuery,
  WaitSummary,
} from "../runtime/run-directory.ts";
import type { EventReceipt, OutsideEvent } from "../runtime/outside-events.ts";
import type { ResumeRequest } from "../runtime/run-handle.ts";
import type { Run, RunStart, Step } from "../runtime/run.ts";
import type { D1RunIndex } from "./d1-run-index.ts";
import { fromResult } from "./rpc-result.ts";
import { runObjectName, type RunObjectApi } from "./run-object-api.ts";

/** The part of a Durable Object namespace that is needed: objects by name. */
export interface RunNamespace {
  getByName(name: string): RunObjectApi & { fetch(request: Request): Promise<Response> };
}

const LEASE_MS = 60_000;
/** Objects that are called at once. */
const WIDTH = 5;

/** All runs, each in its Durable Object, listed in D1. */
export class DurableRunDirectory implements RunDirectory {
  readonly #objects: RunNamespace;
  readonly #index: D1RunIndex;
  readonly #clock: Clock;

  constructor(objects: RunNamespace, index: D1RunIndex, clock: Clock) {
    this.#objects = objects;
    this.#index = index;
    this.#clock = clock;
  }

  async start(start: RunStart): Promise<Run> {
    await this.#announce(start);
    return fromResult(this.#object(start.tenant, start.id).start(start));
  }

  get(tenant: string, id: string): Promise<Run> {
    return this.#about(id, fromResult(this.#object(tenant, id).status()));
  }

  settled(tenant: string, id: string, timeoutMs: number): Promise<Run> {
    return this.#about(id, fromResult(this.#object(tenant, id).settled(timeoutMs)));
  }

  list(query: RunQuery): Promise<Page<RunSummary>> {
    return this.#index.list(query);
  }

  waits(query: WaitQuery): Promise<Page<WaitSummary>> {
    return this.#index.waits(query);
  }

  steps(
    tenant: string,
    id: string,
    options: { cursor?: string | undefined; limit: number; values: boolean },
  ): Promise<Page<Step>> {
    return this.#about(id, fromResult(this.#object(tenant, id).steps(options)));
  }

  resume(tenant: string, id: string, answer: ResumeRequest): Promise<Run> {
    return this.#about(id, fromResult(this.#object(tenant, id).resume(answer)));
  }

  sendEvent(tenant: string, id: string, event: OutsideEvent): Promise<EventReceipt> {
    return this.#about(id, fromResult(this.#object(tenant, id).sendEvent(event)));
  }

  cancel(tenant: string, id: string, reason: string | undefined): Promise<Run> {
    return this.#about(id, fromResult(this.#object(tenant, id).cancel(reason)));
  }

  pause(tenant: string, id: string): Promise<Run> {
    return this.#about(id, fromResult(this.#object(tenant, id).pause()));
  }

  unpause(tenant: string, id: string): Promise<Run> {
    return this.#about(id, fromResult(this.#object(tenant, id).unpause()));
  }

  async fork(tenant: string, id: string, request: ForkRequest): Promise<Run> {
    const { newId, from, inputs, branch } = request;
    const record = await this.#about(id, fromResult(this.#object(tenant, id).recordBefore(from)));
    const { start, origin, rows } = record;
    checkForkInputs(record, inputs);
    const forked: RunStart = {
      ...start,
      id: newId,
      inputs: inputs ?? start.inputs,
      origin: { ...origin, ...(branch === undefined ? undefined : { branch }) },
    };
    await this.#announce(forked);
    return fromResult(this.#object(tenant, newId).start(forked, rows));
  }

  checkpoints(
    tenant: string,
    id: string,
    options: { values: boolean },
  ): Promise<readonly Checkpoint[]> {
    return this.#about(id, fromResult(this.#object(tenant, id).checkpoints(options)));
  }

  /** The object first: a listing that shows too much is put right by deleting again. */
  async delete(tenant: string, id: string): Promise<void> {
    const forgotten = this.#about(id, fromResult(this.#object(tenant, id).forget()));
    try {
      await forgotten;
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") await this.#index.forget(tenant, id);
      throw error;
    }
    await this.#index.forget(tenant, id);
  }

  prunable(query: PruneQuery): Promise<readonly string[]> {
    return this.#index.prunable(query);
  }

  events(tenant: string, id: string, request: Request): Promise<Response> {
    return this.#about(id, streamFrom(this.#object(tenant, id).fetch(request)));
  }

  async reindex(tenant: string, ids: readonly string[]): Promise<number> {
    const found = await mapAtMost(ids, WIDTH, (id) =>
      fromResult(this.#object(tenant, id).reindex()).catch(() => false),
    );
    return found.filter(Boolean).length;
  }

  /** Looks after the runs that should have told something by now: the only cure for a lost alarm. Returns how many. */
  async sweep(): Promise<number> {
    const now = this.#clock.now();
    const overdue = await this.#index.overdue(now);
    const wake = async ({ tenant, id }: (typeof overdue)[number]): Promise<void> => {
      const exists = await fromResult(this.#object(tenant, id).poke());
      if (exists) await this.#index.postpone(tenant, id, now + LEASE_MS);
      else await this.#index.remove(tenant, id);
    };
    // One that cannot be reached now is still overdue at the next sweep.
    await mapAtMost(overdue, WIDTH, (run) => wake(run).catch(() => undefined));
    return overdue.length;
  }

  /**
   * Tells the index before the object is asked, so that the sweeper finds a run whose start was cut off. Without the index
   * a run starts all the same: its object tells it again until it listens.
   */
  async #announce({ tenant, id, kind, name }: RunStart): Promise<void> {
    const now = this.#clock.now();
    const row = {
      tenant,
      id,
      kind,
      name,
      status: "queued",
      createdAtMs: now,
      updatedAtMs: now,
      version: 0,
    } as const;
    await this.#index.put({ ...row, leaseUntilMs: now + LEASE_MS }).catch(() => undefined);
  }

  #object(tenant: string, id: string): ReturnType<RunNamespace["getByName"]> {
    return this.#objects.getByName(runObjectName(tenant, id));
  }

  async #about<T>(id: string, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found" && error.message === NO_SUCH_RUN)
        throw new EngineError("not_found", `there is no run ${id}`);
      throw error;
    }
  }
}

/** The stream that an object answers with; throws its error, and `unavailable` when it could not be reached. */
async function streamFrom(answer: Promise<Response>): Promise<Response> {
  return fromResult(
    answer.then(async (response) =>
      response.status === 500
        ? { ok: false, error: await response.json<ErrorRecord>() }
        : { ok: true, value: response },
    ),
  );
}

/** What a run host says that was never started; it does not know by which id it was asked for. */
const NO_SUCH_RUN = "there is no such run";
