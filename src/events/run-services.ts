/** What a run can use of the deployment that it runs in, beside models. Features add theirs by declaration merging. */
export interface RunServices {}

/** `services` and over them `added`. What is looked up only when asked for stays so. */
export function withServices(services: RunServices, added: RunServices): RunServices {
  const all = {
    ...Object.getOwnPropertyDescriptors(services),
    ...Object.getOwnPropertyDescriptors(added),
  };
  return Object.defineProperties({}, all);
}
