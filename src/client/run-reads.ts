// What a client reads of a run beside its state, as requests below the run's path.
import type { EventPageQuery } from "../runtime/event-page.ts";
import type { JournalQuery } from "../runtime/journal-page.ts";
import type { ModelCallQuery } from "../runtime/model-call-list.ts";
import type { HandleOperation, OperationInput } from "../runtime/run-operations.ts";
import type { RequestOptions } from "./transport.ts";

/** Which steps are wanted, and what of each. @default the first 50, without results */
export type JournalOptions = Partial<JournalQuery>;
/** Which model calls are wanted. @default the first 50 */
export type ModelCallsOptions = Partial<ModelCallQuery>;
/** Which kept events are wanted, and how long to wait for one. @default the first 50 */
export type EventPageOptions = Partial<EventPageQuery>;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Read = RequestOptions & { readonly path: string };

const read = (path: string, query: Query): Read => ({ path, query: { ...query } });

const flag = (value: boolean | undefined): "1" | undefined => (value === true ? "1" : undefined);

/** Each operation that only reads. */
export const READS = {
  journal: ({ values, hash, kinds, states, ...query } = {}) =>
    read("/journal", {
      ...query,
      kinds: kinds?.join(","),
      states: states?.join(","),
      values: values === "cut" ? "cut" : flag(values),
      hash: flag(hash),
    }),
  step: (key, piece = {}) => read("/step", { key, ...piece }),
  calls: (query = {}) => read("/calls", { ...query }),
  modelCall: (key, options = {}) => read("/call", { key, ...options }),
  eventPage: ({ types, slim, waitMs = 0, ...query } = {}) => ({
    ...read("/events", { ...query, types: types?.join(","), slim: flag(slim) }),
    headers: {
      accept: "application/json",
      ...(waitMs > 0 ? { prefer: `wait=${Math.ceil(waitMs / 1000)}` } : undefined),
    },
  }),
} satisfies {
  readonly [Name in HandleOperation]?: (...input: OperationInput<Name>) => Read;
};
