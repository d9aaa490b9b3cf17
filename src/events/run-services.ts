/** What a run can use of the deployment that it runs in, beside models. Features add theirs by declaration merging. */
export interface RunServices {
  /**
   * Whoever steps through a run in this process: called before each step and group, with the `seq` of the last event, and let
   * through when it resolves.
   */
  readonly stepping?: (seq: number) => Promise<void>;
}

/** `services` and over them `added`. What is looked up only when asked for stays so. */
export function withServices(services: RunServices, added: RunServices): RunServices {
  if (Reflect.ownKeys(added).length === 0) return services;
  const all = {
    ...Object.getOwnPropertyDescriptors(services),
    ...Object.getOwnPropertyDescriptors(added),
  };
  return Object.defineProperties({}, all);
}
