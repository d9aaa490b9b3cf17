// What a tool's `run` is handed beside its input.
//
//   INJ1. Injected values are in no schema: a model neither sees nor writes them, and no argument has the name of one.
//   INJ2. They are made for each execution of a call, in the order of their declaration, once the input fits. None is recorded.
import { invalidDefinition } from "../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import type { ToolContext } from "./tool.ts";

/** Makes a value for a call of a tool. */
export type Injection<Value> = {
  readonly valueFor: (context: ToolContext) => Value | Promise<Value>;
};

/** Injections by the names under which `run` finds their values. */
export type Injections = Readonly<Record<string, Injection<unknown>>>;

/** No injections. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- it adds nothing to a context
export type NoInjections = Readonly<Record<never, never>>;

/** The values of injections. */
export type InjectedValues<Declared> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Injection<infer Value> ? Value : never;
};

/**
 * A value for the tools that depend on it: of a function, which is called once for each execution of a call, or itself. What the
 * function throws is a failure of the tool.
 */
export function depends<Value>(make: (context: ToolContext) => Value): Injection<Awaited<Value>>;
export function depends<Value>(value: Value): Injection<Value>;
export function depends(source: unknown): Injection<unknown> {
  const make = source as (context: ToolContext) => unknown;
  return { valueFor: typeof source === "function" ? (context) => make(context) : () => source };
}

/** `chat` may be injected: within conversations it is what is there anyway. */
const CONTEXT_NAMES = {
  signal: true,
  idempotencyKey: true,
  attempt: true,
  runId: true,
  agentRole: true,
  taskName: true,
  security: true,
  env: true,
  step: true,
  wait: true,
  sleep: true,
  now: true,
  random: true,
  uuid: true,
} as const satisfies Record<InjectionFreeName, true>;

/** The names that no injection may have. */
export type InjectionFreeName = Exclude<keyof ToolContext, "chat">;

/** Throws `invalid_definition` for injections that are none, that hide a field of the context, or that a model could take for an argument. */
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

/** The context with the injected values in it. */
export async function withInjected(
  context: ToolContext,
  injections: Injections,
): Promise<ToolContext> {
  const values: Record<string, unknown> = {};
  for (const [name, injection] of Object.entries(injections))
    values[name] = await injection.valueFor(context);
  return { ...context, ...values };
}
