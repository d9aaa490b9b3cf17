// All runs of a deployment in this process: real hosts over stores in memory, real event streams.
import { isoTime, type Clock } from "../../src/base/clock.ts";
import { EngineError } from "../../src/base/error.ts";
import { CALL } from "../../src/base/method-class.ts";
import { childDeliveries } from "../../src/cloudflare/child-starter.ts";
import { cursorOf, eventStream } from "../../src/cloudflare/event-stream.ts";
import type { RunObjectApi } from "../../src/cloudflare/run-object-api.ts";
import { toResult } from "../../src/cloudflare/rpc-result.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { StepRecord } from "../../src/journal/journal-store.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import type { Part } from "../../src/parts/part.ts";
import { programsOf } from "../../src/parts/programs.ts";
import { checkForkInputs } from "../../src/runtime/fork.ts";
import { MemoryRunStore } from "../../src/runtime/memory-run-store.ts";
import type { ForkRequest } from "../../src/runtime/fork-request.ts";
import type { Page } from "../../src/runtime/page.ts";
import {
  OperationsDirectory,
  type PruneQuery,
  type RunAddress,
  type RunDirectory,
  type RunQuery,
  type RunSummary,
  type WaitQuery,
  type WaitSummary,
} from "../../src/runtime/run-directory.ts";
import type { AlarmSlot } from "../../src/runtime/run-alarm.ts";
import { RunHost } from "../../src/runtime/run-host.ts";
import {
  runOperation,
  type DirectoryOperation,
  type OperationInput,
  type OperationResult,
} from "../../src/runtime/run-operations.ts";
import { isTerminal, type Run, type RunIndexRow, type RunStart } from "../../src/runtime/run.ts";

export type MemoryRunDirectoryOptions = {
  readonly clock: Clock;
  /** What runs do. */
  readonly parts: readonly Part[];
  readonly model: LanguageModel;
  readonly services?: (tenant: string) => RunServices;
};

export class MemoryRunDirectory extends OperationsDirectory implements RunDirectory {
  readonly #options: MemoryRunDirectoryOptions;
  readonly #hosts = new Map<string, RunHost>();
  readonly #index = new Map<string, RunIndexRow>();

  constructor(options: MemoryRunDirectoryOptions) {
    super();
    this.#options = options;
  }

  /** As the loss of the database. */
  forgetIndex(): void {
    this.#index.clear();
  }

  start(start: RunStart): Promise<Run> {
    return this.#started(start);
  }

  override async [CALL]<Name extends DirectoryOperation>(
    operation: Name,
    [tenant, id, ...input]: [...RunAddress, ...OperationInput<Name>],
  ): Promise<OperationResult<Name>> {
    return runOperation(this.#host(tenant, id), operation, input);
  }

  get(tenant: string, id: string): Promise<Run> {
    return this.status(tenant, id);
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

  async fork(tenant: string, id: string, request: ForkRequest): Promise<Run> {
    const { newId, from, inputs, branch } = request;
    const record = this.#host(tenant, id).reader.recordBefore(from);
    const { start, origin, rows } = record;
    checkForkInputs(record, inputs);
    const named = branch === undefined ? origin : { ...origin, branch };
    return this.#started(
      { ...start, id: newId, inputs: inputs ?? start.inputs, origin: named },
      rows,
    );
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
    return this.#made(start.tenant, start.id).start(start, rows);
  }

  #made(tenant: string, id: string): RunHost {
    const key = `${tenant}/${id}`;
    const host = this.#hosts.get(key) ?? this.#newHost(key);
    this.#hosts.set(key, host);
    return host;
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
        ...childDeliveries({ getByName: (name) => this.#object(name) }, undefined),
      },
      models: () => model,
    });
    return host;
  }

  /** A run as other runs see it. */
  #object(name: string): RunObjectApi {
    const [, tenant = "", id = ""] = /^t:(.*)\/run:(.*)$/.exec(name) ?? [];
    return {
      call: (operation, input) =>
        toResult(() => {
          const host = operation === "begin" ? this.#made(tenant, id) : this.#host(tenant, id);
          return runOperation(host, operation, input);
        }),
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
