import type { Effect } from "../journal/step-spec.ts";
import type { JsonObject } from "../base/json.ts";
import type { ApprovalContext, ToolContext } from "../tools/tool-context.ts";
import type { ToolInput } from "../tools/tool-input.ts";

/** Parts of a tool from another framework. */
export type ForeignParts = {
  readonly name?: string | undefined;
  readonly description?: unknown;
  /** Parses the input. Absent if the framework's own code does so: then `schema` only describes and checks it. */
  readonly input?: ToolInput;
  readonly schema?: unknown;
  readonly run: (input: unknown, context: ToolContext) => unknown;
  readonly needsApproval?:
    | boolean
    | ((input: JsonObject, context: ApprovalContext) => boolean | Promise<boolean>);
  readonly resultAsAnswer?: boolean;
  readonly effect?: Effect;
  readonly timeoutMs?: number;
};

/** A framework with convertible tools. */
export type Framework = {
  /** Shape of its tools, for error messages. */
  readonly shape: string;
  readonly recognises: (candidate: Candidate) => boolean;
  readonly read: (candidate: Candidate) => ForeignParts;
};

/** Any object, before its kind is known. */
export type Candidate = Readonly<Record<PropertyKey, unknown>>;

/** Returns a method of a foreign object, bound to it. */
export function methodOf(
  candidate: Candidate,
  name: string,
): (...args: readonly unknown[]) => unknown {
  const method = candidate[name] as (...args: readonly unknown[]) => unknown;
  return (...args) => method.apply(candidate, args as unknown[]);
}

/** True if the object has a function of this name. */
export function hasMethod(candidate: Candidate, name: string): boolean {
  return typeof candidate[name] === "function";
}

/** Returns a text that is not blank, or undefined. */
export function textField(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

type Policy = (...args: readonly unknown[]) => unknown;

/**
 * Reads the approval policy of a framework's tool: yes, no, or a function. `ask` calls the function as the framework
 * does.
 */
export function approval(
  policy: unknown,
  ask: (policy: Policy, input: JsonObject) => unknown,
): Pick<ForeignParts, "needsApproval"> {
  if (typeof policy === "boolean") return { needsApproval: policy };
  if (typeof policy !== "function") return {};
  return { needsApproval: async (input) => Boolean(await ask(policy as Policy, input)) };
}
