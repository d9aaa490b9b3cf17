// The state of one execution of a flow: this file makes the first state and checks every later one against the schema.
import type * as z from "zod";
import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { fromRecorded, toRecorded } from "../base/recorded.ts";
import { laxInputs } from "./lax-inputs.ts";
import { toIssues } from "../base/zod-issues.ts";

/** A zod object describes the state; undefined allows any fields. */
export type StateSchema = z.ZodType<object> | undefined;

/**
 * Returns the state at the start: the inputs override `initial`, texts are converted for typed fields (see
 * lax-inputs.ts). Throws `invalid_input` with one issue for each field that does not fit.
 */
export function initialState(
  { schema, initial }: { schema: StateSchema; initial: JsonObject },
  inputs: JsonObject,
  id: string,
): JsonObject {
  const plain = { ...(fromRecorded(initial) as JsonObject), ...inputs };
  const ownId = stateId(plain) ?? id;
  if (schema === undefined) return { ...recordedState(plain), id: ownId };
  const merged = laxInputs(schema, plain, inputs);
  const parsed = schema.safeParse(merged);
  if (!parsed.success) throw unfitInputs(parsed.error, merged);
  return { ...recordedState(parsed.data), id: ownId };
}

function recordedState(state: object): JsonObject {
  return toRecorded(state, "state") as JsonObject;
}

/** Returns the id in a state or in inputs; undefined for an absent or empty one. */
export function stateId({ id }: JsonObject): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * Throws `invalid_input` with one issue for each input that does not fit. If the flow restores a state, only the fields
 * of `initial` and `inputs` are checked.
 */
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
  const merged = laxInputs(schema, { ...initial, ...inputs }, inputs);
  const parsed = schema.safeParse(merged);
  if (parsed.success) return;
  const issues = parsed.error.issues.filter(({ path: [field] }) =>
    Object.hasOwn(merged, field ?? ""),
  );
  if (issues.length === 0) return;
  throw unfitInputs({ issues } as z.ZodError, merged);
}

/** Throws `invalid_input` if a method left a state its schema does not allow. */
export function checkState(schema: StateSchema, state: JsonValue, method: string): void {
  if (schema === undefined) return;
  const restored = fromRecorded(state);
  const parsed = schema.safeParse(restored);
  if (!parsed.success)
    throw unfit(
      `method ${method} left a state that does not fit its schema`,
      parsed.error,
      restored,
    );
}

/** Returns the error with paths of a request, whose field `inputs` has the inputs. */
function unfitInputs(error: z.ZodError, inputs: JsonObject): EngineError {
  const issues = toIssues(error, inputs).map(({ path, message }) => ({
    path: `/inputs${path}`,
    message,
  }));
  return withIssues("the inputs do not fit the flow's state", issues);
}

function unfit(what: string, error: z.ZodError, value: unknown): EngineError {
  return withIssues(what, toIssues(error, value));
}

function withIssues(what: string, issues: readonly Issue[]): EngineError {
  const details = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new EngineError("invalid_input", `${what}: ${details}`, { issues });
}
