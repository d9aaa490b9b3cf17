// All runs of a deployment in this process: the real directory, index, hosts and event streams, over stores in memory.
import type { Agent } from "../../src/agent/agent.ts";
import type { Clock } from "../../src/base/clock.ts";
import { EngineError } from "../../src/base/error.ts";
import { childCouriers } from "../../src/cloudflare/child-starter.ts";
import { D1RunIndex } from "../../src/cloudflare/d1-run-index.ts";
import {
  DurableRunDirectory,
  type RunNamespace,
} from "../../src/cloudflare/durable-run-directory.ts";
import { cursorOf, eventStream } from "../../src/cloudflare/event-stream.ts";
import type { AppPart } from "../../src/cloudflare/app-part.ts";
import { toResult } from "../../src/cloudflare/rpc-result.ts";
import { crewFromDefinition, readCrewDefinition } from "../../src/crew/crew-definition.ts";
import { crewProgram } from "../../src/crew/crew-programs.ts";
import type { Crew } from "../../src/crew/crew.ts";
import type { DeclarativeFlows } from "../../src/flow/declarative-flows.ts";
import type { BuiltFlow } from "../../src/flow/flow.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import { MemoryRunStore } from "../../src/runtime/memory-run-store.ts";
import { RunHost, type AlarmSlot } from "../../src/runtime/run-host.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { sqliteD1 } from "./sqlite-d1.ts";

export type MemoryRunDirectoryOptions = {
  readonly clock: Clock;
  readonly database: ReturnType<typeof sqliteD1>;
  readonly crews: Readonly<Record<string, Crew>>;
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly flows?: Readonly<Record<string, BuiltFlow>>;
  readonly declarativeFlows?: DeclarativeFlows | undefined;
  readonly tools: readonly Tool[];
  readonly model: LanguageModel;
  readonly services?: (tenant: string) => RunServices;
  /** Memory and knowledge: their runs. */
  readonly appParts?: readonly AppPart[];
};

/** The real directory and index, over runs and a database in this process. */
export class MemoryRunDirectory extends DurableRunDirectory {
  readonly #database: ReturnType<typeof sqliteD1>;

  constructor(options: MemoryRunDirectoryOptions) {
    const index = new D1RunIndex(options.database);
    super(new MemoryRunObjects(options, index), index, options.clock);
    this.#database = options.database;
  }

  /** As the loss of the database. */
  forgetIndex(): void {
    this.#database.sqlite.exec("DELETE FROM runs; DELETE FROM waits");
  }
}

/** A namespace of Durable Objects: a host of a run by name, there as soon as it is named. */
class MemoryRunObjects implements RunNamespace {
  readonly #options: MemoryRunDirectoryOptions;
  readonly #index: D1RunIndex;
  readonly #hosts = new Map<string, RunHost>();

  constructor(options: MemoryRunDirectoryOptions, index: D1RunIndex) {
    this.#options = options;
    this.#index = index;
  }

  getByName(name: string): ReturnType<RunNamespace["getByName"]> {
    const host = this.#host(name);
    return {
      start: (start, adopt) => toResult(() => host.start(start, adopt)),
      begin: (start) => toResult(() => host.begin(start)),
      childStarts: (ids) => toResult(() => host.childStarts(ids)),
      childrenBegun: (ids) => toResult(() => host.childrenBegun(ids)),
      childEnded: (report) => toResult(() => host.childEnded(report)),
      status: () => toResult(() => host.status()),
      settled: (timeoutMs) => toResult(() => host.settled(timeoutMs)),
      steps: (options) => toResult(() => host.steps(options)),
      resume: (answer) => toResult(() => host.resume(answer)),
      sendEvent: (event) => toResult(() => host.sendEvent(event)),
      cancel: (reason) => toResult(() => host.cancel(reason)),
      pause: () => toResult(() => host.pause()),
      unpause: () => toResult(() => host.unpause()),
      recordBefore: (point) => toResult(() => host.recordBefore(point)),
      checkpoints: (options) => toResult(() => host.checkpoints(options)),
      forget: () =>
        toResult(async () => {
          await host.forget();
          this.#hosts.delete(name);
        }),
      poke: () => toResult(() => host.poke()),
      reindex: () => toResult(() => host.reindex()),
      fetch: async (request) => {
        const answer = await toResult(() => {
          host.hasToldAll(0); // throws for a run that never was
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
      crews,
      agents = {},
      flows = {},
      declarativeFlows,
      tools,
      model,
      services = () => ({}),
    } = this.#options;
    const host: RunHost = new RunHost({
      store: new MemoryRunStore(),
      alarm: alarm(clock, () => host.alarm()),
      clock,
      program: (start) => {
        const { kind, name, definition } = start;
        const part = this.#options.appParts?.find((each) => each.kind === kind);
        if (part !== undefined) return part.program(start);
        if (kind === "agent" && agents[name] !== undefined) return agents[name].program();
        if (kind === "flow" && definition !== undefined && declarativeFlows !== undefined)
          return declarativeFlows
            .read(definition, { name, registry: { tools, crews } })
            .flow.program(start.entry);
        if (kind === "flow" && flows[name] !== undefined) return flows[name].program(start.entry);
        const crew =
          definition === undefined
            ? crews[name]
            : crewFromDefinition(readCrewDefinition(definition), { tools });
        if (crew === undefined) throw new EngineError("not_found", `crew "${name}" is gone`);
        return crewProgram(crew, start);
      },
      services: ({ tenant }) => services(tenant),
      outbox: {
        index: (row) => this.#index.put(row),
        ...childCouriers(this, undefined),
      },
      models: () => model,
    });
    return host;
  }
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
