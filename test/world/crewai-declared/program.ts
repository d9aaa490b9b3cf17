// Declared flows as both sides run them, and what they came to.
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";

/** Part of the form that a program is about. */
export type Kind = "expression" | "template" | "inputs" | "router" | "each" | "tool" | "form";

export type Program = {
  readonly id: string;
  readonly kind: Kind;
  readonly flow: JsonObject;
  readonly inputs: JsonObject;
};

/** Infinity and NaN are texts: `Infinity`, `-Infinity`, `NaN`. The state has no id. */
export type Outcome =
  | { readonly status: "completed"; readonly value: JsonValue; readonly state: JsonObject }
  | { readonly status: "failed"; readonly message: string };

/** One thing in which the sides differ. */
export type Difference = {
  readonly program: Program;
  /** `status`: one side completed and the other failed. */
  readonly aspect: "status" | "value" | "state";
  readonly ours: Outcome;
  readonly theirs: Outcome;
};
