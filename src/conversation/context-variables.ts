// Variables shared by the members of a conversation. Models see them only in texts that name them.
//
//   CXV1. A value is JSON, copied and frozen when it is set: later changes to the original object have no effect.
//   CXV2. Each change is reported once, after it has happened. Calls without a change are not reported.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { EngineError } from "../base/error.ts";
import { isPlainObject, jsonFaults, kindOf } from "../base/json-faults.ts";
import { pointerPart } from "../base/json-pointer.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import { replacePlaceholders } from "../base/template.ts";

/** Newly set variables, or names of removed ones. */
export type ContextChange =
  | { readonly kind: "set"; readonly values: JsonObject }
  | { readonly kind: "removed"; readonly names: readonly string[] };

/** Settings of a set of context variables. */
export type ContextVariablesOptions = {
  /** Receives each change, for recording. */
  readonly onChange?: (change: ContextChange) => void;
};

const OPTIONS = definitionOptions<ContextVariablesOptions>("new ContextVariables()", {
  onChange: true,
});

/** The variables of a conversation: one instance is shared by all members, their tools and the manager. */
export class ContextVariables implements Iterable<readonly [string, JsonValue]> {
  readonly #values = new Map<string, JsonValue>();
  readonly #onChange: ((change: ContextChange) => void) | undefined;

  /** Throws `invalid_input` for a value outside of JSON, with its path. */
  constructor(
    values: Readonly<Record<string, unknown>> = {},
    options: ContextVariablesOptions = {},
  ) {
    refuseUnknownOptions(options, OPTIONS, new.target !== ContextVariables);
    this.#assign(checkedVariables(values));
    this.#onChange = options.onChange;
  }

  /** Number of variables. */
  get size(): number {
    return this.#values.size;
  }

  /** Returns the value of a variable; `fallback` if it is not set. */
  get(name: string): JsonValue | undefined;
  get<Fallback>(name: string, fallback: Fallback): JsonValue | Fallback;
  get(name: string, fallback?: unknown): unknown {
    return this.#values.has(name) ? this.#values.get(name) : fallback;
  }

  /** Returns the value of a variable. Throws `invalid_input` if it is not set. */
  require(name: string): JsonValue {
    const value = this.#values.get(name);
    if (value === undefined) throw missingVariable(name, [...this.#values.keys()]);
    return value;
  }

  /** True if a variable is set, also to null. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Sets one variable. Throws `invalid_input` for a value outside of JSON, with its path. */
  set(name: string, value: unknown): void {
    this.update(Object.fromEntries([[name, value]]));
  }

  /** Sets several variables as one change. If one is invalid, all stay unchanged. Throws as `set`. */
  update(values: Readonly<Record<string, unknown>>): void {
    const checked = checkedVariables(values);
    if (Object.keys(checked).length === 0) return;
    this.#assign(checked);
    this.#onChange?.({ kind: "set", values: checked });
  }

  /** Removes a variable. Returns false if it is not set. */
  remove(name: string): boolean {
    const isRemoved = this.#values.delete(name);
    if (isRemoved) this.#onChange?.({ kind: "removed", names: [name] });
    return isRemoved;
  }

  /** Removes all variables. */
  clear(): void {
    const names = [...this.#values.keys()];
    this.#values.clear();
    if (names.length > 0) this.#onChange?.({ kind: "removed", names });
  }

  /** Returns the names, in the order in which they were first set. */
  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  /** Returns the values, in the order of their names. */
  values(): IterableIterator<JsonValue> {
    return this.#values.values();
  }

  /** Returns names with their values. */
  entries(): IterableIterator<[string, JsonValue]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): IterableIterator<[string, JsonValue]> {
    return this.entries();
  }

  /** Returns the current variables as a plain object. */
  toObject(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  /** Returns an independent copy of the variables. */
  copy(): ContextVariables {
    return new ContextVariables(this.toObject());
  }

  /** Same as `toObject`, for serialization as JSON. */
  toJSON(): JsonObject {
    return this.toObject();
  }

  #assign(values: JsonObject): void {
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
  }
}

/** Applies a recorded change. */
export function applyChange(variables: ContextVariables, change: ContextChange): void {
  if (change.kind === "set") variables.update(change.values);
  else for (const name of change.names) variables.remove(name);
}

/**
 * Fills the `{name}` placeholders of a text with context variables: texts unchanged, other values as JSON. Other braces
 * are ordinary text. Without any variable the text stays unchanged. Throws `invalid_input` for a placeholder without a
 * variable.
 */
export function fillContextText(template: string, variables: JsonObject): string {
  const names = Object.keys(variables);
  if (names.length === 0) return template;
  return replacePlaceholders(template, (name) => {
    if (!Object.hasOwn(variables, name)) throw missingVariable(name, names);
    const value = variables[name] ?? null;
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

/** Returns the variables that code names: the object itself, or new ones from names and values. Throws as `checkedVariables`. */
export function variablesOf(
  variables: ContextVariables | JsonObject | undefined,
): ContextVariables {
  return variables instanceof ContextVariables ? variables : new ContextVariables(variables);
}

/** Checks and copies variables. Throws `invalid_input` with one issue for each value outside of JSON. */
export function checkedVariables(values: unknown): JsonObject {
  if (values instanceof ContextVariables) return values.toObject();
  if (!isPlainObject(values))
    throw new EngineError(
      "invalid_input",
      `context variables must be an object of names and values, got ${kindOf(values)}`,
    );
  const issues = Object.entries(values).flatMap(([name, value]) =>
    jsonFaults(value, `/${pointerPart(name)}`),
  );
  const [first] = issues;
  if (first !== undefined)
    throw new EngineError("invalid_input", `context variable ${first.path} ${first.message}`, {
      issues,
    });
  return frozen(toJson(values)) as JsonObject;
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

function missingVariable(name: string, names: readonly string[]): EngineError {
  return new EngineError(
    "invalid_input",
    `the context variable "${name}" is not set; there are: ${names.join(", ") || "none"}`,
  );
}
