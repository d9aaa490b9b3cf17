// The state of one execution of a flow: what it is at first, and that it stays what its schema says.
import type * as z from "zod";
import { EngineError } from "../base/error.ts";
import { toJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { toIssues } from "../base/zod-issues.ts";

/** How the state looks: nothing is known of it, or a zod object says so. */
export type StateSchema = z.ZodType<object> | undefined;

/** The state at the start: `initial`, and over it the inputs. Throws `invalid_input` with one issue for each field that does not fit. */
export function initialState(
  { schema, initial }: { schema: StateSchema; initial: JsonObject },
  inputs: JsonObject,
  id: string,
): JsonObject {
  const merged = { ...initial, ...inputs };
  const ownId = stateId(merged) ?? id;
  if (schema === undefined) return { ...merged, id: ownId };
  const parsed = schema.safeParse(merged);
  if (!parsed.success) throw unfit("the inputs do not fit the flow's state", parsed.error, merged);
  return { ...(toJson(parsed.data) as JsonObject), id: ownId };
}

/** The id in a state or in inputs; undefined when there is none that counts. */
export function stateId({ id }: JsonObject): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** Throws `invalid_input` with one issue for each input that does not fit. Of a restored state only what is given is looked at. */
export function checkStart(
  flow: { schema: StateSchema; initial: JsonObject },
  inputs: JsonObject,
  { restores }: { readonly restores: boolean },
): void {
  const { schema, initial } = flow;
  if (!restores || schema === undefined) {
    initialState(flow, inputs, "");
    return;
  }
  const merged = { ...initial, ...inputs };
  const parsed = schema.safeParse(merged);
  if (parsed.success) return;
  const issues = parsed.error.issues.filter(({ path: [field] }) =>
    Object.hasOwn(merged, field ?? ""),
  );
  if (issues.length === 0) return;
  throw unfit("the inputs do not fit the flow's state", { issues } as z.ZodError, merged);
}

/** Throws `invalid_input` when a method left a state that its schema does not allow. */
export function checkState(schema: StateSchema, state: JsonValue, method: string): void {
  if (schema === undefined) return;
  const parsed = schema.safeParse(state);
  if (!parsed.success)
    throw unfit(`method ${method} left a state that does not fit its schema`, parsed.error, state);
}

function unfit(what: string, error: z.ZodError, value: unknown): EngineError {
  const issues = toIssues(error, value);
  const details = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new EngineError("invalid_input", `${what}: ${details}`, { issues });
}
