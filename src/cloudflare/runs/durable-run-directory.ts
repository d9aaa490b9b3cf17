import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError, type ErrorRecord } from "../../base/error.ts";
import { CALL } from "../../base/method-class.ts";
import type { Clock } from "../../base/clock.ts";
import type { QuotaGate } from "../../parts/quota-gate.ts";
import type { ForkRequest } from "../../runtime/fork-request.ts";
import { forkStart } from "../../runtime/fork.ts";
import type { Page } from "../../runtime/page.ts";
import {
  OperationsDirectory,
  type PruneQuery,
  type RunAddress,
  type RunDirectory,
  type RunPage,
  type RunQuery,
  type WaitQuery,
  type WaitSummary,
} from "../../runtime/run-directory.ts";
import type {
  DirectoryOperation,
  OperationInput,
  OperationResult,
} from "../../runtime/run-operations.ts";
import type { Run, RunStart } from "../../runtime/run.ts";
import type { D1RunIndex } from "./d1-run-index.ts";
import { fromResult } from "../rpc-result.ts";
import { refuseElsewhere, type Announce } from "./announce.ts";
import { cursorOf } from "./event-stream.ts";
import { keepOpen } from "./open-stream.ts";
import { callRun, runObjectName, type RunObjectApi } from "./run-object-api.ts";

/** Used part of a Durable Object namespace: objects by name. */
export interface RunNamespace {
  getByName(name: string): RunObjectApi & { fetch(request: Request): Promise<Response> };
}

type GateOf = (tenant: string) => Pick<QuotaGate, "admitRun"> | undefined;

/**
 * Lease of an announced run, in milliseconds. It also covers the beginning of the run, so the run need not write the
 * lease again.
 */
const ANNOUNCED_LEASE_MS = 5 * 60_000;
/** Time until a woken run is checked again, in milliseconds. */
const LEASE_MS = 60_000;
/** Maximum absence of readers of changes, in milliseconds. */
const DELETIONS_KEPT_MS = 24 * 3_600_000;
/** Maximum number of concurrent calls to objects. */
const WIDTH = 5;

/** All runs, each in its Durable Object, listed in D1. */
export class DurableRunDirectory extends OperationsDirectory implements RunDirectory {
  readonly #objects: RunNamespace;
  readonly #index: D1RunIndex;
  readonly #clock: Clock;
  readonly #gateOf: GateOf;
  readonly #put: Announce;

  /** `gateOf` decides if a tenant may start another run. @default every one may */
  constructor(
    objects: RunNamespace,
    index: D1RunIndex,
    {
      clock,
      gateOf,
      announce,
    }: {
      readonly clock: Clock;
      readonly gateOf?: GateOf;
      readonly announce?: Announce | undefined;
    },
  ) {
    super();
    this.#gateOf = gateOf ?? (() => undefined);
    this.#put =
      announce ??
      (async (row) => {
        await index.put(row).catch(refuseElsewhere);
      });
    this.#objects = objects;
    this.#index = index;
    this.#clock = clock;
  }

  override [CALL]<Name extends DirectoryOperation>(
    operation: Name,
    [tenant, id, ...input]: [...RunAddress, ...OperationInput<Name>],
  ): Promise<OperationResult<Name>> {
    return this.#about(id, callRun(this.#objects, { tenant, id }, [operation, ...input]));
  }

  async start(asked: RunStart, settleMs?: number): Promise<Run> {
    const start = { ...(await this.#admitted(asked)), createdAtMs: this.#clock.now() };
    await this.#announce(start);
    return callRun(this.#objects, start, ["start", start, undefined, settleMs]);
  }

  /** Adds the run's budget to the start. An existing run is admitted unchanged. */
  async #admitted(start: RunStart): Promise<RunStart> {
    try {
      const budget = await this.#gateOf(start.tenant)?.admitRun();
      return budget === undefined ? start : { ...start, budget };
    } catch (refusal) {
      const { tenant, id } = start;
      const isThere = await callRun(this.#objects, { tenant, id }, ["status"]).then(
        () => true,
        () => false,
      );
      if (isThere) return start;
      throw refusal;
    }
  }

  get(tenant: string, id: string): Promise<Run> {
    return this.status(tenant, id);
  }

  list(query: RunQuery): Promise<RunPage> {
    return this.#index.list(query);
  }

  waits(query: WaitQuery): Promise<Page<WaitSummary>> {
    return this.#index.waits(query);
  }

  async fork(tenant: string, id: string, request: ForkRequest): Promise<Run> {
    const { from, replace, definition } = request;
    const record = await this.#about(
      id,
      callRun(this.#objects, { tenant, id }, ["recordBefore", from, replace, definition?.value]),
    );
    const { rows, more } = record;
    const forked = {
      ...forkStart(record, request),
      ...(more === undefined ? undefined : { adopting: more }),
      createdAtMs: this.#clock.now(),
    };
    const { budget } = await this.#admitted(forked);
    if (budget !== undefined) Object.assign(forked, { budget });
    await this.#announce(forked);
    return callRun(this.#objects, forked, ["start", forked, rows]);
  }

  /** Deletes the object first: if the listing still shows the run, a second delete removes it. */
  async delete(tenant: string, id: string): Promise<void> {
    try {
      await this.#about(id, callRun(this.#objects, { tenant, id }, ["forget"]));
    } catch (error) {
      if (EngineError.is(error) && error.code === "not_found") await this.#forget(tenant, id);
      throw error;
    }
    await this.#forget(tenant, id);
  }

  #forget(tenant: string, id: string): Promise<void> {
    return this.#index.forget(tenant, id, this.#clock.now());
  }

  prunable(query: PruneQuery): Promise<readonly string[]> {
    return this.#index.prunable(query);
  }

  async events(tenant: string, id: string, request: Request): Promise<Response> {
    const object = this.#objects.getByName(runObjectName(tenant, id));
    const connect = (asked: Request): Promise<Response> =>
      this.#about(id, streamFrom(object.fetch(asked)));
    const response = await connect(request);
    const isSocket = request.headers.has("upgrade");
    return cursorOf(request).staysOpen && !isSocket
      ? keepOpen(response, request, connect)
      : response;
  }

  async reindex(tenant: string, ids: readonly string[]): Promise<number> {
    const found = await mapAtMost(ids, WIDTH, (id) =>
      callRun(this.#objects, { tenant, id }, ["reindex"]).catch(() => false),
    );
    return found.filter(Boolean).length;
  }

  /**
   * Wakes the runs with an overdue row, which is the only remedy for a lost alarm, and the held runs not yet tried with
   * this version of the code. Returns their number.
   */
  async sweep(codeVersion?: string): Promise<number> {
    const now = this.#clock.now();
    const overdue = await this.#index.overdue(now);
    const held = codeVersion === undefined ? [] : await this.#index.heldWithOther(codeVersion);
    const wake = async ({ tenant, id }: (typeof overdue)[number]): Promise<void> => {
      const exists = await callRun(this.#objects, { tenant, id }, ["poke"]);
      if (exists) await this.#index.postpone(tenant, id, now + LEASE_MS);
      else await this.#index.remove(tenant, id, now);
    };
    // An unreachable run is still overdue at the next sweep.
    await mapAtMost(overdue, WIDTH, (run) => wake(run).catch(() => undefined));
    await mapAtMost(held, WIDTH, (run) =>
      callRun(this.#objects, run, ["poke"]).catch(() => undefined),
    );
    await this.#index.forgetDeletions(now - DELETIONS_KEPT_MS);
    return overdue.length + held.length;
  }

  /**
   * Writes the row of the index before calling the object, so the sweeper finds a run with an interrupted start. If the
   * index fails, the run starts anyway, and its object writes the row again until it succeeds.
   */
  async #announce(start: RunStart & { readonly createdAtMs: number }): Promise<void> {
    const { tenant, id, kind, name, tags, startedBy, origin } = start;
    const now = start.createdAtMs;
    const listed = {
      ...(tags === undefined ? undefined : { tags }),
      ...(startedBy === undefined ? undefined : { startedBy }),
      ...(origin === undefined ? undefined : { originId: origin.runId }),
    };
    const row = {
      tenant,
      id,
      kind,
      name,
      status: "queued",
      createdAtMs: now,
      updatedAtMs: now,
      version: 0,
      listed,
    } as const;
    await this.#put({ ...row, leaseUntilMs: now + ANNOUNCED_LEASE_MS });
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

/**
 * Returns the stream from an object. Throws its error, and fails with `unavailable` if the object cannot be reached.
 */
async function streamFrom(answer: Promise<Response>): Promise<Response> {
  return fromResult(
    answer.then(async (response) =>
      response.status === 500
        ? { ok: false, error: JSON.parse(await response.text()) as ErrorRecord }
        : { ok: true, value: response },
    ),
  );
}

/** Error of a run that was never started. Its host does not know the requested id. */
const NO_SUCH_RUN = "there is no such run";
