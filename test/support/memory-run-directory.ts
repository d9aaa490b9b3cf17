// All runs of a deployment in this process: real hosts over stores in memory, real event streams.
import { isoTime, type Clock } from "../../src/base/clock.ts";
import { EngineError } from "../../src/base/error.ts";
import { childCouriers, type RunObjects } from "../../src/cloudflare/child-starter.ts";
import { cursorOf, eventStream } from "../../src/cloudflare/event-stream.ts";
import { toResult } from "../../src/cloudflare/rpc-result.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import type { Part } from "../../src/parts/part.ts";
import { programsOf } from "../../src/parts/programs.ts";
import { checkForkInputs } from "../../src/runtime/fork.ts";
import { MemoryRunStore } from "../../src/runtime/memory-run-store.ts";
import type { Checkpoint } from "../../src/runtime/checkpoints.ts";
import type {
  ForkRequest,
  Page,
  PruneQuery,
  RunDirectory,
  RunQuery,
  RunSummary,
  WaitQuery,
  WaitSummary,
} from "../../src/runtime/run-directory.ts";
import type { EventReceipt, OutsideEvent } from "../../src/runtime/outside-events.ts";
import type { ResumeRequest } from "../../src/runtime/run-handle.ts";
import { RunHost, type AlarmSlot } from "../../src/runtime/run-host.ts";
import {
  isTerminal,
  type Run,
  type RunIndexRow,
  type RunStart,
  type Step,
} from "../../src/runtime/run.ts";

export type MemoryRunDirectoryOptions = {
  readonly clock: Clock;
  /** What runs do. */
  readonly parts: readonly Part[];
  readonly model: LanguageModel;
  readonly services?: (tenant: string) => RunServices;
};

export class MemoryRunDirectory implements RunDirectory {
  readonly #options: MemoryRunDirectoryOptions;
  readonly #hosts = new Map<string, RunHost>();
  readonly #index = new Map<string, RunIndexRow>();

  constructor(options: MemoryRunDirectoryOptions) {
    this.#options = options;
  }

  /** As the loss of the database. */
  forgetIndex(): void {
    this.#index.clear();
  }

  start(start: RunStart): Promise<Run> {
    return this.#started(start);
  }

  async get(tenant: string, id: string): Promise<Run> {
    return this.#host(tenant, id).status();
  }

  async settled(tenant: string, id: string, timeoutMs: number): Promise<Run> {
    return this.#host(tenant, id).settled(timeoutMs);
  }

  async list({
    tenant,
    kind,
    name,
    status,
    parent,
    cursor,
    limit,
  }: RunQuery): Promise<Page<RunSummary>> {
    const from = cursor === undefined ? 0 : placeOf(cursor);
    const rows = [...this.#index.values()]
      .filter(
        (row) =>
          row.tenant === tenant &&
          (kind ?? row.kind) === row.kind &&
          (name ?? row.name) === row.name &&
          (status ?? row.status) === row.status &&
          (parent ?? row.parent?.id) === row.parent?.id,
      )
      .toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
    const items = rows.slice(from, from + limit).map((row) => ({
      id: row.id,
      kind: row.kind,
      name: row.name,
      status: row.status,
      createdAt: isoTime(row.createdAtMs),
      updatedAt: isoTime(row.updatedAtMs),
      ...(row.parent === undefined ? undefined : { parent: row.parent }),
    }));
    return from + limit < rows.length ? { items, nextCursor: `at-${from + limit}` } : { items };
  }

  async waits({ tenant, cursor, limit }: WaitQuery): Promise<Page<WaitSummary>> {
    const from = cursor === undefined ? 0 : placeOf(cursor);
    const all = [...this.#index.values()]
      .filter((row) => row.tenant === tenant)
      .flatMap(({ id, kind, name, waits = [] }) =>
        waits.map((open) => ({ ...open, run: { id, kind, name } })),
      )
      .toSorted((a, b) => a.openedAtMs - b.openedAtMs || (a.run.id < b.run.id ? -1 : 1));
    const items = all
      .slice(from, from + limit)
      .map(({ wait, openedAtMs, run }) => ({ ...wait, openedAt: isoTime(openedAtMs), run }));
    return from + limit < all.length ? { items, nextCursor: `at-${from + limit}` } : { items };
  }

  async steps(
    tenant: string,
    id: string,
    options: { cursor?: string | undefined; limit: number; values: boolean },
  ): Promise<Page<Step>> {
    return this.#host(tenant, id).steps(options);
  }

  async resume(tenant: string, id: string, answer: ResumeRequest): Promise<Run> {
    return this.#host(tenant, id).resume(answer);
  }

  async sendEvent(tenant: string, id: string, event: OutsideEvent): Promise<EventReceipt> {
    return this.#host(tenant, id).sendEvent(event);
  }

  async cancel(tenant: string, id: string, reason: string | undefined): Promise<Run> {
    return this.#host(tenant, id).cancel(reason);
  }

  async pause(tenant: string, id: string): Promise<Run> {
    return this.#host(tenant, id).pause();
  }

  async unpause(tenant: string, id: string): Promise<Run> {
    return this.#host(tenant, id).unpause();
  }

  async fork(tenant: string, id: string, request: ForkRequest): Promise<Run> {
    const { newId, from, inputs, branch } = request;
    const record = this.#host(tenant, id).recordBefore(from);
    const { start, origin, rows } = record;
    checkForkInputs(record, inputs);
    const named = branch === undefined ? origin : { ...origin, branch };
    return this.#started(
      { ...start, id: newId, inputs: inputs ?? start.inputs, origin: named },
      rows,
    );
  }

  async checkpoints(
    tenant: string,
    id: string,
    options: { values: boolean },
  ): Promise<readonly Checkpoint[]> {
    return this.#host(tenant, id).checkpoints(options);
  }

  async delete(tenant: string, id: string): Promise<void> {
    await this.#host(tenant, id).forget();
    this.#hosts.delete(`${tenant}/${id}`);
    this.#index.delete(`${tenant}/${id}`);
  }

  async prunable({ tenant, beforeMs, keep, limit }: PruneQuery): Promise<readonly string[]> {
    return [...this.#index.values()]
      .filter((row) => row.tenant === tenant && isTerminal(row.status))
      .toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
      .toReversed()
      .slice(keep)
      .toReversed()
      .filter(({ updatedAtMs }) => updatedAtMs < beforeMs)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async events(tenant: string, id: string, request: Request): Promise<Response> {
    return eventStream(this.#host(tenant, id), cursorOf(request));
  }

  async reindex(tenant: string, ids: readonly string[]): Promise<number> {
    const hosts = ids.flatMap((id) => this.#hosts.get(`${tenant}/${id}`) ?? []);
    for (const host of hosts) await host.reindex();
    return hosts.length;
  }

  async #started(start: RunStart, rows: readonly StepRecord[] = []): Promise<Run> {
    const key = `${start.tenant}/${start.id}`;
    const host = this.#hosts.get(key) ?? this.#newHost(key);
    this.#hosts.set(key, host);
    return host.start(start, rows);
  }

  #newHost(key: string): RunHost {
    const { clock, parts, model, services = () => ({}) } = this.#options;
    const host: RunHost = new RunHost({
      store: new MemoryRunStore(),
      alarm: alarm(clock, () => host.alarm()),
      clock,
      program: programsOf(parts),
      services: ({ tenant }) => services(tenant),
      outbox: {
        index: async (row) => void this.#index.set(key, row),
        ...childCouriers({ getByName: (name) => this.#object(name) }, undefined),
      },
      models: () => model,
    });
    return host;
  }

  /** A run as other runs see it. */
  #object(name: string): ReturnType<RunObjects["getByName"]> {
    const [, tenant = "", id = ""] = /^t:(.*)\/run:(.*)$/.exec(name) ?? [];
    const host = (): RunHost => this.#host(tenant, id);
    return {
      begin: (start) => toResult(async () => void (await this.#started(start))),
      childStarts: (ids) => toResult(() => host().childStarts(ids)),
      childrenBegun: (ids) => toResult(() => host().childrenBegun(ids)),
      childEnded: (report) => toResult(() => host().childEnded(report)),
      cancel: (reason) => toResult(() => host().cancel(reason)),
    };
  }

  #host(tenant: string, id: string): RunHost {
    const host = this.#hosts.get(`${tenant}/${id}`);
    if (host === undefined) throw new EngineError("not_found", `there is no run ${id}`);
    return host;
  }
}

function placeOf(cursor: string): number {
  const place = /^at-(\d+)$/.exec(cursor)?.[1];
  if (place === undefined)
    throw new EngineError(
      "invalid_input",
      "cursor must be the nextCursor of an earlier page, got something else",
    );
  return Number(place);
}

/** Rings by itself on the clock, never twice at once. */
function alarm(clock: Clock, ring: () => Promise<void>): AlarmSlot {
  let dueAtMs: number | null = null;
  let disarm: (() => void) | undefined;
  let ringing = false;
  const arm = (): void => {
    disarm?.();
    if (dueAtMs === null || ringing) return;
    disarm = clock.after(Math.max(0, dueAtMs - clock.now()), () => {
      dueAtMs = null;
      ringing = true;
      void ring().finally(() => {
        ringing = false;
        arm();
      });
    });
  };
  return {
    get: async () => dueAtMs,
    set: async (atMs) => {
      dueAtMs = atMs;
      arm();
    },
    delete: async () => {
      dueAtMs = null;
      disarm?.();
    },
  };
}
