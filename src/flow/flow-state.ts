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
  const given = { ...initial, ...inputs };
  const stateId = typeof given["id"] === "string" && given["id"] !== "" ? given["id"] : id;
  if (schema === undefined) return { ...given, id: stateId };
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw unfit("the inputs do not fit the flow's state", parsed.error, given);
  return { ...(toJson(parsed.data) as JsonObject), id: stateId };
}

/** Throws `invalid_input` when a method left a state that its schema does not allow. */
export function checkState(schema: StateSchema, state: JsonValue, method: string): void {
  if (schema === undefined) return;
  const parsed = schema.safeParse(state);
  if (!parsed.success)
    throw unfit(`method ${method} left a state that does not fit its schema`, parsed.error, state);
}

function unfit(what: string, error: z.ZodError, given: unknown): EngineError {
  const issues = toIssues(error, given);
  const told = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new EngineError("invalid_input", `${what}: ${told}`, { issues });
}
