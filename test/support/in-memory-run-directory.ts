// All runs of a deployment in this process: the real directory, index, hosts and event streams, over stores in memory.
import type { Clock } from "../../src/base/clock.ts";
import { childDeliveries } from "../../src/cloudflare/runs/child-starter.ts";
import { D1RunIndex } from "../../src/cloudflare/runs/d1-run-index.ts";
import {
  DurableRunDirectory,
  type RunNamespace,
} from "../../src/cloudflare/runs/durable-run-directory.ts";
import { cursorOf, eventStream } from "../../src/cloudflare/runs/event-stream.ts";
import { toResult } from "../../src/cloudflare/rpc-result.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import type { Part } from "../../src/parts/part.ts";
import { programsOf } from "../../src/parts/programs.ts";
import { InMemoryRunStore } from "../../src/runtime/in-memory-run-store.ts";
import type { RunHostPorts } from "../../src/runtime/run-host.ts";
import type { AlarmSlot } from "../../src/runtime/run-alarm.ts";
import type { OutboxSink } from "../../src/runtime/deliveries/outbox.ts";
import type { RunCare } from "../../src/runtime/run-care.ts";
import { RunHost } from "../../src/runtime/run-host.ts";
import { isTerminal } from "../../src/runtime/run.ts";
import { runOperation } from "../../src/runtime/run-operations.ts";
import type { sqliteD1 } from "./sqlite-d1.ts";

export type InMemoryRunDirectoryOptions = {
  readonly clock: Clock;
  readonly database: ReturnType<typeof sqliteD1>;
  /** What runs do. */
  readonly parts: readonly Part[];
  readonly model: LanguageModel;
  /** @default `model`, whatever is named */
  readonly models?: RunHostPorts["models"];
  readonly services?: (tenant: string) => RunServices;
  readonly care?: RunCare;
  /** Delivers webhooks. @default they are dropped */
  readonly webhook?: NonNullable<OutboxSink["webhook"]>;
  readonly host?: Pick<RunHostPorts, "report" | "listeners">;
};

/** The real directory and index, over runs and a database in this process. */
export class InMemoryRunDirectory extends DurableRunDirectory {
  readonly #database: ReturnType<typeof sqliteD1>;

  constructor(options: InMemoryRunDirectoryOptions) {
    const index = new D1RunIndex(options.database, options.parts);
    super(new MemoryRunObjects(options, index), index, {
      clock: options.clock,
      gateOf: (tenant) => options.services?.(tenant).quotas,
    });
    this.#database = options.database;
  }

  /** As the loss of the database. */
  forgetIndex(): void {
    this.#database.sqlite.exec("DELETE FROM runs; DELETE FROM waits");
  }
}

/** A namespace of Durable Objects: a host of a run by name, there as soon as it is named. */
class MemoryRunObjects implements RunNamespace {
  readonly #options: InMemoryRunDirectoryOptions;
  readonly #index: D1RunIndex;
  readonly #hosts = new Map<string, RunHost>();

  constructor(options: InMemoryRunDirectoryOptions, index: D1RunIndex) {
    this.#options = options;
    this.#index = index;
  }

  getByName(name: string): ReturnType<RunNamespace["getByName"]> {
    const host = this.#host(name);
    return {
      call: (operation, input) =>
        toResult(async () => {
          const result = await runOperation(host, operation, input);
          if (operation === "forget") this.#hosts.delete(name);
          return result;
        }),
      fetch: async (request) => {
        const answer = await toResult(() => {
          host.reader.record(); // throws for a run that never was
          return eventStream(host, cursorOf(request));
        });
        return answer.ok ? answer.value : Response.json(answer.error, { status: 500 });
      },
    };
  }

  #host(name: string): RunHost {
    const host = this.#hosts.get(name) ?? this.#newHost();
    this.#hosts.set(name, host);
    return host;
  }

  #newHost(): RunHost {
    const {
      clock,
      parts,
      model,
      models = () => model,
      services = () => ({}),
      care = {},
      webhook,
      host: more,
    } = this.#options;
    const host: RunHost = new RunHost({
      store: new InMemoryRunStore(),
      alarm: alarm(clock, () => host.alarm()),
      clock,
      program: programsOf(parts),
      services: ({ tenant }) => services(tenant),
      care,
      outbox: {
        index: async (row) => {
          const isNew = await this.#index.put(row);
          if (!isNew || !isTerminal(row.status)) return;
          const ended = host.reader.ended();
          for (const part of parts) part.runs?.ended?.({ DB: this.#options.database }, ended);
        },
        ...childDeliveries(this, undefined),
        ...(webhook === undefined ? undefined : { webhook }),
      },
      models,
      withSums: this.#index.withSums,
      withText: this.#index.withText,
      ...more,
    });
    return host;
  }
}

/** What a timer can hold. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Rings by itself on the clock, never twice at once. */
function alarm(clock: Clock, ring: () => Promise<void>): AlarmSlot {
  let dueAtMs: number | null = null;
  let disarm: (() => void) | undefined;
  let ringing = false;
  const arm = (): void => {
    disarm?.();
    if (dueAtMs === null || ringing) return;
    disarm = clock.after(Math.min(Math.max(0, dueAtMs - clock.now()), MAX_DELAY_MS), () => {
      if (dueAtMs !== null && dueAtMs > clock.now()) return arm();
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
