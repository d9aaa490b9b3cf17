import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/system.ts";

/** One agent's results from people's feedback. */
export type TrainedAgent = {
  /** Suggestions for every task. */
  readonly suggestions: readonly string[];
  /** The quality of its answers at the end of the training, from 0 to 10. */
  readonly quality: number;
  readonly finalSummary: string;
};

/** Result of a training. `agents` has the roles from the definition, before placeholders are filled. */
export type Training = {
  /** Name of the stored training. */
  readonly name: string;
  readonly agents: Readonly<Record<string, TrainedAgent>>;
};

/** A training as lists show it. */
export type TrainingSummary = {
  readonly name: string;
  /** The quality of each agent's answers at the end of the training, by role. */
  readonly quality: Readonly<Record<string, number>>;
  /** Milliseconds since the epoch. */
  readonly updatedAtMs: number;
};

/** Stores trainings by name. */
export interface TrainedStore {
  get(name: string): Promise<Training | undefined>;
  /** Stores the training and replaces one of the same name. */
  put(training: Training): Promise<void>;
  /** Returns false if there was no such training. */
  delete(name: string): Promise<boolean>;
  /** Lists trainings by name. */
  list(page: {
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<readonly TrainingSummary[]>;
}

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** The trainings of crews. */
    readonly trained?: TrainedStore;
  }
}

/** Keeps trainings in the memory of this process. */
export class InMemoryTrainedStore implements TrainedStore {
  readonly #trainings = new Map<string, Training & { readonly updatedAtMs: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async get(name: string): Promise<Training | undefined> {
    const found = this.#trainings.get(name);
    return found && { name, agents: found.agents };
  }

  async put(training: Training): Promise<void> {
    this.#trainings.set(training.name, { ...training, updatedAtMs: this.#clock.now() });
  }

  async delete(name: string): Promise<boolean> {
    return this.#trainings.delete(name);
  }

  async list({
    after = "",
    limit,
  }: {
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<readonly TrainingSummary[]> {
    return [...this.#trainings.values()]
      .filter(({ name }) => name > after)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, limit)
      .map(({ name, agents, updatedAtMs }) => ({ name, quality: qualityOf(agents), updatedAtMs }));
  }
}

/** Returns the quality of each agent in a training, for lists. */
export function qualityOf(agents: Training["agents"]): TrainingSummary["quality"] {
  return Object.fromEntries(Object.entries(agents).map(([role, { quality }]) => [role, quality]));
}
