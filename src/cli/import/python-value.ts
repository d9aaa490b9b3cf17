// Values of a Python source.
import type { JsonValue } from "../../base/json.ts";
import type { PythonNode, PythonSource } from "./python-source.ts";

/** Place of a value. */
export type Placed = { readonly node: PythonNode; readonly source: PythonSource };

export type PythonValue = Placed &
  (
    | { readonly kind: "plain"; readonly value: JsonValue }
    | { readonly kind: "list"; readonly items: readonly PythonValue[] }
    | { readonly kind: "dict"; readonly entries: ReadonlyArray<readonly [string, PythonValue]> }
    /** `Process.sequential`. */
    | { readonly kind: "name"; readonly name: string }
    /** `self.agents_config["writer"]`; `tasks_config["write"]["description"]` has a field. */
    | {
        readonly kind: "entry";
        readonly of: string;
        readonly key: string;
        readonly field?: string | undefined;
      }
    /** An f-string, or texts joined with `+`: literal texts, and values between them. */
    | { readonly kind: "format"; readonly parts: readonly (string | PythonValue)[] }
    /** A text that the caller gives: `input("Topic?")`, a parameter, an argument of the command line. */
    | { readonly kind: "input"; readonly name: string }
    /** `Agents().writer()`, `"a {x}".format(x=1)`. */
    | MethodValue
    /** A variable of the environment: `os.getenv("MODEL", "gpt-5")`. */
    | {
        readonly kind: "variable";
        readonly name: string;
        readonly fallback: PythonValue | undefined;
      }
    /** `a or b`. */
    | { readonly kind: "either"; readonly sides: readonly [PythonValue, PythonValue] }
    /** `a if x else b`. */
    | {
        readonly kind: "choice";
        readonly test: PythonValue;
        readonly sides: readonly [PythonValue, PythonValue];
      }
    /** `not x`. */
    | { readonly kind: "not"; readonly of: PythonValue }
    /** One of several names of an assignment: `a, b = make()`. */
    | { readonly kind: "member"; readonly of: PythonValue; readonly index: number }
    /** `*more`, or a list in a concatenation. */
    | { readonly kind: "items"; readonly of: PythonValue }
    | CallValue
    | { readonly kind: "unread" }
  );

export type PythonCall = Placed & CallValue;

const KINDS: Readonly<Record<string, "agent" | "task">> = {
  Agent: "agent",
  Task: "task",
  ConditionalTask: "task",
};

/** Returns the kind of part that a call makes. Undefined for another call. */
export function partKind({ name }: PythonCall): "agent" | "task" | undefined {
  const last = name.split(".").at(-1) ?? "";
  return Object.hasOwn(KINDS, last) ? KINDS[last] : undefined;
}

type CallValue = {
  readonly kind: "call";
  readonly name: string;
  readonly args: readonly PythonValue[];
  readonly keywords: readonly Keyword[];
};

type MethodValue = {
  readonly kind: "method";
  readonly of: PythonValue;
  readonly name: string;
  readonly args: readonly PythonValue[];
  readonly keywords: readonly Keyword[];
};

/** A named argument; the name of `**` is that of the spread value. */
export type Keyword = { readonly name: string; readonly value: PythonValue };

/** Returns a value without code as JSON, otherwise undefined. */
export function asJson(value: PythonValue): JsonValue | undefined {
  switch (value.kind) {
    case "plain":
      return value.value;
    case "list": {
      const items = value.items.map(asJson);
      return items.includes(undefined) ? undefined : (items as JsonValue[]);
    }
    case "dict": {
      const entries = value.entries.map(([key, each]) => [key, asJson(each)] as const);
      return entries.some(([, each]) => each === undefined)
        ? undefined
        : (Object.fromEntries(entries) as JsonValue);
    }
    default:
      return undefined;
  }
}
