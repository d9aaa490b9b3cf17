/** Services of the deployment for its runs, beside models. Features add theirs by declaration merging. */
export interface RunServices {
  /**
   * Debugger of runs in this process: called before each step and group with the `seq` of the last event. The run
   * continues when it resolves.
   */
  readonly stepping?: (seq: number) => Promise<void>;
}

/** Returns `services` with `added` over them. Getters stay getters, so values are still looked up on demand. */
export function withServices(services: RunServices, added: RunServices): RunServices {
  if (Reflect.ownKeys(added).length === 0) return services;
  const all = {
    ...Object.getOwnPropertyDescriptors(services),
    ...Object.getOwnPropertyDescriptors(added),
  };
  return Object.defineProperties({}, all);
}
