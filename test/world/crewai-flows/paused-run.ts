// A run that is left at each question: another host takes it over with nothing but what is on record.
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { systemClock } from "../../../src/base/system.ts";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { EngineError } from "../../../src/base/error.ts";
import { fromRecorded } from "../../../src/base/recorded.ts";
import type { BuiltFlow } from "../../../src/flow/index.ts";
import { restoreEntry } from "../../../src/flow/restore-entry.ts";
import { InMemoryRunStore } from "../../../src/runtime/in-memory-run-store.ts";
import { RunHost } from "../../../src/runtime/run-host.ts";

export type PausedRunOptions = {
  readonly inputs: object;
  readonly services: object;
  readonly restoreFromStateId?: string;
};

/** An alarm that nobody hears: a run that waits is not driven by it. */
const SILENT = { get: async () => null, set: async () => undefined, delete: async () => undefined };

export class PausedRun<State> {
  readonly #flow: BuiltFlow<State>;
  readonly #options: PausedRunOptions;
  readonly #store = new InMemoryRunStore();
  #host: RunHost | undefined;

  constructor(flow: BuiltFlow<State>, options: PausedRunOptions) {
    this.#flow = flow;
    this.#options = options;
  }

  /** Drives the run until it waits for an answer, and gives the key of the wait; undefined when it has ended. */
  async next(): Promise<string | undefined> {
    const host = this.#host ?? (await this.#begun());
    await host.alarm();
    const { status, waits } = await host.status();
    const [wait] = waits;
    this.#host = host;
    if (wait === undefined && status !== "completed" && status !== "failed")
      throw new Error(`the run is ${status} and has no open wait`);
    return wait?.key;
  }

  /** Answers with a new host. */
  async resume(key: string, feedback: string): Promise<void> {
    this.#host = this.#hosted();
    await this.#host.resume({ key, feedback });
  }

  async output(): Promise<{ value: JsonValue; state: JsonValue }> {
    const run = await this.#host?.status();
    if (run?.status === "completed") return fromRecorded(run.output) as never;
    throw new EngineError("internal", run?.error?.message ?? "the run has no output");
  }

  async #begun(): Promise<RunHost> {
    const host = this.#hosted();
    const { inputs, restoreFromStateId: from } = this.#options;
    await host.begin({
      kind: "flow",
      name: this.#flow.name,
      inputs: inputs as JsonObject,
      ...(from === undefined ? {} : { entry: restoreEntry(from) }),
      id: crypto.randomUUID(),
      tenant: "local",
      trace: { traceId: "0".repeat(32), spanId: "0".repeat(16) },
    } as never);
    return host;
  }

  #hosted(): RunHost {
    const { restoreFromStateId: from, services } = this.#options;
    const entry = from === undefined ? undefined : restoreEntry(from);
    return new RunHost({
      store: this.#store,
      alarm: SILENT,
      clock: systemClock,
      program: () => this.#flow.program(entry),
      outbox: {},
      models: modelCatalog({ variables: {} }),
      services: () => services,
    });
  }
}
