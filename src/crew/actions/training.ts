/** What one agent learned from people's feedback. */
export type TrainedAgent = {
  /** What the agent should do in every task. */
  readonly suggestions: readonly string[];
  /** The quality of its answers at the end of the training, from 0 to 10. */
  readonly quality: number;
  readonly finalSummary: string;
};

/** The result of a training. `agents` has the roles as they are in the definition, before placeholders are filled. */
export type Training = {
  /** The name that the training is stored under. */
  readonly name: string;
  readonly agents: Readonly<Record<string, TrainedAgent>>;
};

/** Stores trainings by name. */
export interface TrainedStore {
  get(name: string): Promise<Training | undefined>;
  /** Stores the training and replaces one of the same name. */
  put(training: Training): Promise<void>;
  /** Returns false if there was none. */
  delete(name: string): Promise<boolean>;
}

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** The trainings of crews. */
    readonly trained?: TrainedStore;
  }
}

/** Keeps trainings in the memory of this process. */
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
