// Values injected into a tool's `run` beside its input.
//
//   INJ1. Injected values are in no schema: a model neither sees nor writes them, and no argument has the name of one.
//   INJ2. They are created for each execution of a call, in the order of their declaration, after the input is checked.
//         They are never recorded.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import type { ToolContext } from "./tool-context.ts";

/** Creates a value for a call of a tool. */
export type Injection<Value> = {
  readonly valueFor: (context: ToolContext) => Value | Promise<Value>;
};

/** Injections by their names in `run`. */
export type Injections = Readonly<Record<string, Injection<unknown>>>;

/** No injections. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a context without injections
export type NoInjections = Readonly<Record<never, never>>;

/** Values of injections. */
export type InjectedValues<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Injection<infer Value> ? Value : never;
};

/**
 * Declares an injected value: the value itself, or a function, called once for each execution of a call. An error of
 * the function is a failure of the tool.
 */
export function depends<Value>(make: (context: ToolContext) => Value): Injection<Awaited<Value>>;
export function depends<Value>(value: Value): Injection<Value>;
export function depends(source: unknown): Injection<unknown> {
  const make = source as (context: ToolContext) => unknown;
  return { valueFor: typeof source === "function" ? (context) => make(context) : () => source };
}

/** `chat` may be injected: in conversations it has the value it would have anyway. */
const CONTEXT_NAMES = {
  signal: true,
  idempotencyKey: true,
  attempt: true,
  runId: true,
  agentRole: true,
  taskName: true,
  security: true,
  memory: true,
  env: true,
  step: true,
  wait: true,
  sleep: true,
  emit: true,
  now: true,
  random: true,
  uuid: true,
} as const satisfies Record<InjectionFreeName, true>;

/** Names no injection may have. */
export type InjectionFreeName = Exclude<keyof ToolContext, "chat">;

/**
 * Fails with `invalid_definition` for values other than injections, for names hiding a field of the context, and for
 * names of arguments.
 */
export function checkInjections(
  injections: Injections,
  { toolName, parameters }: { readonly toolName: string; readonly parameters: JsonObject },
): void {
  const { properties } = parameters;
  const written = isJsonObject(properties) ? properties : {};
  for (const [name, injection] of Object.entries(injections)) {
    if (Object.hasOwn(CONTEXT_NAMES, name))
      throw invalidDefinition(
        `tool "${toolName}": inject.${name} has the name of a field that every context has; choose another`,
      );
    if (Object.hasOwn(written, name))
      throw invalidDefinition(
        `tool "${toolName}": inject.${name} has the name of an argument that the model writes; choose another`,
      );
    if (typeof injection?.valueFor !== "function")
      throw invalidDefinition(
        `tool "${toolName}": inject.${name} must be made with depends() or another injection, got ${preview(injection)}`,
      );
  }
}

/** Adds the injected values to the context. */
export async function withInjected(
  context: ToolContext,
  injections: Injections,
): Promise<ToolContext> {
  const values: Record<string, unknown> = {};
  for (const [name, injection] of Object.entries(injections))
    values[name] = await injection.valueFor(context);
  return { ...context, ...values };
}
