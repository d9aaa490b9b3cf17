// Hooks of simulated flows: what they make of what methods are handed and of what these give, as data, and what may come of it.
import * as fc from "fast-check";
import type { JsonValue } from "../../src/base/json.ts";
import { HookAborted, on, type Hook } from "../../src/hooks/hook.ts";
import { joinKey } from "../../src/journal/step-key.ts";
import type { Actions } from "./action.ts";
import { methodName, type FlowNode, type MethodNode } from "./flow.ts";

export type FlowHooks = {
  /** What methods are handed: something that is picked, or what a person says; `fails` leaves it as it is. */
  readonly before: "picks" | "asks" | "fails" | null;
  /** Whether what a plain method gives is changed. */
  readonly after: boolean;
  /** The method, counted round and round, that never begins. */
  readonly refuses: number | null;
};

/** The world outside hooks. */
export interface HookOutside extends Pick<Actions, "pick"> {
  /** The hooks at this place are called. */
  hooksRun(key: string): void;
}

const PICKS = 1000;
const REFUSAL = "refused";

export function hooksOf(node: FlowNode, outside: HookOutside): readonly Hook[] {
  const { hooks = null } = node;
  if (hooks === null) return [];
  const { before, after } = hooks;
  const own: Hook[] = [];
  if (isHooked(node))
    own.push(
      on("pre_step", async (context) => {
        if (context.kind !== "flow_method") return;
        outside.hooksRun(joinKey(context.path, "hook:pre_step"));
        if (refused(node) === context.stepName) throw new HookAborted(REFUSAL);
        if (before === "picks") context.payload = { _0: `picked ${outside.pick(PICKS)}` };
        if (before === "asks") {
          const { value = null } = await context.requestHumanInput("What is it handed?");
          context.payload = { _0: value };
        }
        if (before !== "fails") return;
        context.payload = { _0: "not this" };
        throw new Error("a hook that fails");
      }),
    );
  if (after)
    own.push(
      on("post_step", (context) => {
        if (context.kind !== "flow_method") return;
        outside.hooksRun(joinKey(context.path, "hook:post_step"));
        const method = node.methods.find((_, index) => methodName(index) === context.stepName);
        if (method !== undefined) context.payload = hookedResult(node, method, context.payload);
      }),
    );
  return own;
}

/** Whether hooks run before each method. */
export function isHooked({ hooks = null }: FlowNode): boolean {
  return hooks !== null && (hooks.before !== null || hooks.refuses !== null);
}

/** What a method gives after the hooks. Labels and reviews are left as they are. */
export function hookedResult<T extends JsonValue>(
  { hooks = null }: FlowNode,
  { labels, review }: MethodNode,
  given: T,
): T | string {
  const isPlain = labels === null && review === null && typeof given === "string";
  return hooks?.after === true && isPlain ? `${given}+` : given;
}

/** True when an execution of a method that something was to be handed may have been handed this. */
export function mayBeHanded(
  { hooks = null }: FlowNode,
  { raw, handed }: { readonly raw: JsonValue; readonly handed: JsonValue },
  mayBeSaid: (value: JsonValue) => boolean,
): boolean {
  if (hooks?.before === "picks") return typeof handed === "string" && /^picked \d+$/.test(handed);
  if (hooks?.before === "asks") return mayBeSaid(handed);
  return JSON.stringify(raw) === JSON.stringify(handed);
}

/** The name of the method that hooks refuse. */
export function refused({ hooks = null, methods }: FlowNode): string | undefined {
  if (hooks === null || hooks.refuses === null) return undefined;
  return methodName(hooks.refuses % methods.length);
}

export function isRefusal({ code, message }: { code: string; message: string }): boolean {
  return code === "hook_aborted" && message === REFUSAL;
}

/** Where hooks ask what the execution at this place is handed. */
export function askedByHooks(methodKey: string): string {
  return joinKey(methodKey, "hook:pre_step/human-input");
}

export const flowHooks: fc.Arbitrary<FlowHooks | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({
      before: fc.constantFrom(
        null,
        "picks" as const,
        "picks" as const,
        "asks" as const,
        "fails" as const,
      ),
      after: fc.boolean(),
      refuses: fc.option(fc.nat({ max: 9 }), { freq: 5 }),
    }),
  },
);
