// An answer on its way to a record: its object is made when it is known to be wanted.
import type { JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";

/** An answer that guardrails judge. */
export type OpenAnswer<Recorded> = {
  readonly raw: string;
  readonly record: Recorded;
  /** Place at which the object of the record is still to be made; absent when it has one, or is to have none. */
  readonly openAt?: RunScope;
};

/** The answer with its object, made by `make` where it is still to be made. */
export async function closed<Recorded extends { readonly object?: JsonValue }>(
  { raw, record, openAt }: OpenAnswer<Recorded>,
  make: (place: RunScope, raw: string) => Promise<Recorded>,
): Promise<OpenAnswer<Recorded>> {
  return openAt === undefined ? { raw, record } : { raw, record: await make(openAt, raw) };
}

/** The output with an `object` that is demanded when it is read. */
export function demanding<Output extends object>(output: Output, demand: () => never): Output {
  return Object.defineProperty({ ...output }, "object", { enumerable: true, get: demand });
}
