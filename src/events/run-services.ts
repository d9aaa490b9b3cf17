/** What a run can use of the deployment that it runs in, beside models. Features add theirs by declaration merging. */
export interface RunServices {
  /** Where knowledge is kept for the run's tenant; a `KnowledgeService` of `src/knowledge`. */
  readonly knowledge?: InstalledKnowledge;
  /** Where memories are kept for the run's tenant; a `MemoryService` of `src/memory`. */
  readonly memory?: InstalledMemory;
}

/** `services` and over them `added`. What is looked up only when asked for stays so. */
export function withServices(services: RunServices, added: RunServices): RunServices {
  const all = {
    ...Object.getOwnPropertyDescriptors(services),
    ...Object.getOwnPropertyDescriptors(added),
  };
  return Object.defineProperties({}, all);
}

/** A tenant's knowledge as a deployment hands it to its runs. */
export type InstalledKnowledge = {
  readonly tenant: string;
  readonly store: object;
  readonly vectors: object;
  readonly embedder: object;
  /** How agents use it. */
  readonly kit?: object;
};

/** A tenant's memory as a deployment hands it to its runs. */
export type InstalledMemory = {
  readonly tenant: string;
  readonly records: object;
  readonly vectors: object;
  readonly embedder?: unknown;
  readonly create?: (order: never) => object;
  /** How agents and flows use it. */
  readonly kit?: object;
};
