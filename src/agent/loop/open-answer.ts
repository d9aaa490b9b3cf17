// An answer on its way to a record: its object is made when it is known to be wanted.
import type { JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";

/** Answer on its way through guardrails. */
export type OpenAnswer<Recorded> = {
  readonly raw: string;
  readonly record: Recorded;
  /** Place for the later conversion of the record's object; absent if the record has its object or needs no object. */
  readonly openAt?: RunScope;
};

/** Returns the answer with its object, made by `make` if still missing. */
export async function closed<Recorded extends { readonly object?: JsonValue }>(
  { raw, record, openAt }: OpenAnswer<Recorded>,
  make: (place: RunScope, raw: string) => Promise<Recorded>,
): Promise<OpenAnswer<Recorded>> {
  return openAt === undefined ? { raw, record } : { raw, record: await make(openAt, raw) };
}

/** Returns the output with an `object` getter that calls `demand`. */
export function demanding<Output extends object>(output: Output, demand: () => never): Output {
  return Object.defineProperty({ ...output }, "object", { enumerable: true, get: demand });
}
