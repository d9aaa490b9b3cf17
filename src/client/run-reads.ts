// Read requests below a run's path, in addition to its state.
import type { EventPageQuery } from "../runtime/event-page.ts";
import type { JournalQuery } from "../runtime/journal-page.ts";
import type { ModelCallQuery } from "../runtime/model-call-list.ts";
import type { HandleOperation, OperationInput } from "../runtime/run-operations.ts";
import type { RequestOptions } from "./transport.ts";

/** Filter and fields of steps. @default the first 50, without results */
export type JournalOptions = Partial<JournalQuery>;
/** Filter of model calls. @default the first 50 */
export type ModelCallsOptions = Partial<ModelCallQuery>;
/** Filter of stored events, and time to wait for one. @default the first 50 */
export type EventPageOptions = Partial<EventPageQuery>;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Read = RequestOptions & { readonly path: string };

const read = (path: string, query: Query): Read => ({ path, query: { ...query } });

const flag = (value: boolean | undefined): "1" | undefined => (value === true ? "1" : undefined);

/** The read-only operations. */
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
