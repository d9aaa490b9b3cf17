// The calls of a memory: what each works with, in what order saves come, and how a run records them.
//
//   - A memory is a value: it describes. What it remembers is in its storage: that of the run's deployment, else its own.
//   UM3. In a run every call is one group of steps. Saves of one writer come one after another, and a recall sees all of them.
//   UM4. Background: with `writes` of its place (in a run), or in this process (outside). In a run without them saving is waited for.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { environmentVariables } from "../base/system.ts";
import { RunScope } from "../events/run-scope.ts";
import { resolveEmbedder } from "../vectors/embedders/resolve-embedder.ts";
import { inMemoryStorage } from "./in-memory-records.ts";
import { memoryModel, type MemoryModel } from "./memory-model.ts";
import {
  fittedSettings,
  memorySettings,
  type MemoryOptions,
  type MemorySettings,
} from "./memory-options.ts";
import type { MemoryStorage } from "./memory-records.ts";
import { plainSteps, runSteps, type MemoryListener } from "./memory-steps.ts";
import type { MemoryPlace } from "./memory-view.ts";
import type { MemoryWork } from "./memory-work.ts";
import { MemoryWrites } from "./memory-writes.ts";

const COLLECTION = "memory";

/** What a memory asks and notifies, beside what its options say. */
type MemoryPorts = {
  /** Where its place in a run names none. @default a step of the run, or the model itself outside of runs */
  readonly model?: MemoryModel;
  /** Called with the events of what is done outside of runs. */
  readonly listener?: MemoryListener | undefined;
};

type Parts = MemoryPorts & {
  readonly settings: MemorySettings;
  readonly storage: MemoryStorage;
  readonly place?: MemoryPlace | undefined;
};

/** One writer for each storage of this process. */
const writers = new WeakMap<object, MemoryWrites>();

/** Throws `invalid_definition` for options that cannot work. */
export function memoryCalls(options: MemoryOptions, ports: MemoryPorts = {}): MemoryCalls {
  const settings = memorySettings(options);
  return new MemoryCalls({ ...ports, settings, storage: options.storage ?? inMemoryStorage() });
}

export class MemoryCalls {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get settings(): MemorySettings {
    return this.#parts.settings;
  }

  get isInRun(): boolean {
    return this.#scope() !== undefined;
  }

  /** Whether saves go on while their caller does (UM4). */
  get isInBackground(): boolean {
    return !this.isInRun || this.#parts.place?.writes !== undefined;
  }

  /** The same with other settings. */
  with(settings: Partial<MemorySettings>): MemoryCalls {
    return new MemoryCalls({ ...this.#parts, settings: { ...this.settings, ...settings } });
  }

  /** The same at a place of a run. */
  at(place: MemoryPlace): MemoryCalls {
    const { settings } = this;
    const prompts = { ...settings.prompts, ...place.prompts };
    return new MemoryCalls({ ...this.#parts, settings: { ...settings, prompts }, place });
  }

  /** Saves once all earlier saves are through. Branches of a run that have no writer are put in order by what they write (SV8). */
  inTurn<T>(save: () => Promise<T>): Promise<T> {
    return this.#writer().add(save);
  }

  /** Waits for what is being saved. Never throws. */
  async drain(): Promise<void> {
    const { place, storage } = this.#parts;
    await (this.isInRun ? place?.writes : writers.get(storage.records))?.drain();
  }

  /** A storage of one's own is one tenant's: no other tenant may read what is kept there. */
  #ownStorage(tenant = "default"): MemoryStorage {
    if (tenant === "default") return this.#parts.storage;
    throw invalidDefinition(
      `a memory with a storage of its own cannot be shared by tenant "${tenant}" and tenant "default": give defineApp a memory for all tenants, memory() of edgecrew/memory`,
    );
  }

  /** Does one call: in a run as a group of steps at its place. */
  call<T>(name: string, run: (work: MemoryWork) => Promise<T>): Promise<T> {
    const { settings, model = memoryModel, place, listener } = this.#parts;
    const scope = this.#scope();
    const service = scope?.services.memory;
    const { tenant, records, vectors } = service ?? this.#ownStorage(scope?.services.tenant);
    const embedder =
      service?.embedder?.(settings.embedder) ??
      resolveEmbedder(settings.embedder, {
        variables: scope?.services.variables ?? environmentVariables(),
      });
    const steps = scope === undefined ? plainSteps(settings.clock, listener) : runSteps(scope);
    return steps.whole(`memory-${name}`, (inside) =>
      run({
        settings: fittedSettings(settings, embedder),
        embedder,
        records,
        vectors: vectors.open({ tenant, collection: COLLECTION, model: embedder.model }),
        steps: inside,
        ask: (at, question) =>
          (place?.model ?? model)(question, { place: at.scope, llm: settings.llm }),
      }),
    );
  }

  /** A call that reads in one step. */
  read<T>(name: string, read: (work: MemoryWork) => Promise<T>): Promise<T> {
    return this.call(name, (work) => work.steps.step("read", () => read(work)));
  }

  #scope(): RunScope | undefined {
    return this.#parts.place?.scope ?? RunScope.current();
  }

  #writer(): MemoryWrites {
    const { place, storage } = this.#parts;
    if (this.isInRun) return place?.writes ?? new MemoryWrites();
    let writer = writers.get(storage.records);
    if (writer === undefined) writers.set(storage.records, (writer = new MemoryWrites()));
    return writer;
  }
}
