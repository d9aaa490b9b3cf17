// Calls of a memory: their storage and settings, the order of saves, and their recording in a run.
//
//   - A memory is a value. The memories are in a storage: the storage of the run's deployment, else the memory's own.
//   UM3. In a run every call is one group of steps. Saves of one writer run one after another, and a recall sees all of
//        them.
//   UM4. Saves run in the background if the place in the run has `writes`, and always outside of runs. In a run without
//        `writes` the caller waits for the save.
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

/** Model and listener of a memory, beside its options. */
type MemoryPorts = {
  /** Model for places without their own. @default a step of the run, or the model itself outside of runs */
  readonly model?: MemoryModel;
  /** Receives the events of calls outside of runs. */
  readonly listener?: MemoryListener | undefined;
};

type Parts = MemoryPorts & {
  readonly settings: MemorySettings;
  readonly storage: MemoryStorage;
  readonly place?: MemoryPlace | undefined;
};

/** One writer for each storage of this process. */
const writers = new WeakMap<object, MemoryWrites>();

/** Creates the calls of a memory. Fails with `invalid_definition` for invalid options. */
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

  /** True if saves continue after their call has returned (UM4). */
  get isInBackground(): boolean {
    return !this.isInRun || this.#parts.place?.writes !== undefined;
  }

  /** Returns these calls with other settings. */
  with(settings: Partial<MemorySettings>): MemoryCalls {
    return new MemoryCalls({ ...this.#parts, settings: { ...this.settings, ...settings } });
  }

  /** Returns these calls at a place of a run. */
  at(place: MemoryPlace): MemoryCalls {
    const { settings } = this;
    const prompts = { ...settings.prompts, ...place.prompts };
    return new MemoryCalls({ ...this.#parts, settings: { ...settings, prompts }, place });
  }

  /** Runs a save after all earlier saves. Branches of a run without a writer are ordered by their writes (SV8). */
  inTurn<T>(save: () => Promise<T>): Promise<T> {
    return this.#writer().add(save);
  }

  /** Waits for pending saves. Never throws. */
  async drain(): Promise<void> {
    const { place, storage } = this.#parts;
    await (this.isInRun ? place?.writes : writers.get(storage.records))?.drain();
  }

  /** A memory's own storage belongs to one tenant. Other tenants may not read it. */
  #ownStorage(tenant = "default"): MemoryStorage {
    if (tenant === "default") return this.#parts.storage;
    throw invalidDefinition(
      `a memory with a storage of its own cannot be shared by tenant "${tenant}" and tenant "default": give defineApp a memory for all tenants, memory() of edgecrew/memory`,
    );
  }

  /** Runs one call: in a run as a group of steps at its place. */
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
        ownsIndex: (service?.embedder?.(undefined) ?? embedder).model === embedder.model,
        records,
        vectors: vectors.open({ tenant, collection: COLLECTION, model: embedder.model }),
        steps: inside,
        ask: (at, question) =>
          (place?.model ?? model)(question, { place: at.scope, llm: settings.llm }),
      }),
    );
  }

  /** Runs a call that reads in one step. */
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
