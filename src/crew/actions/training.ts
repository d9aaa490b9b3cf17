/** What people's feedback taught one agent. */
export type TrainedAgent = {
  /** What it shall do in every task from now on. */
  readonly suggestions: readonly string[];
  /** How good its answers had become, 0 to 10. */
  readonly quality: number;
  readonly finalSummary: string;
};

/** What a crew was taught, by the roles of its agents as they are written in the definition. */
export type Training = {
  /** What it is kept under. */
  readonly name: string;
  readonly agents: Readonly<Record<string, TrainedAgent>>;
};

/** Trainings by their names. */
export interface TrainedStore {
  get(name: string): Promise<Training | undefined>;
  /** Writes the training whole, in place of one of the same name. */
  put(training: Training): Promise<void>;
  /** False when there was none. */
  delete(name: string): Promise<boolean>;
}

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** What crews were taught. */
    readonly trained?: TrainedStore;
  }
}

/** Trainings in this process. */
export class InMemoryTrainedStore implements TrainedStore {
  readonly #trainings = new Map<string, Training>();

  async get(name: string): Promise<Training | undefined> {
    return this.#trainings.get(name);
  }

  async put(training: Training): Promise<void> {
    this.#trainings.set(training.name, training);
  }

  async delete(name: string): Promise<boolean> {
    return this.#trainings.delete(name);
  }
}
