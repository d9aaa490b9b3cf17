// Targets returned by tools, in the record of a call.
//
//   RCT1. A target made of names is recorded unchanged. A target with agents or functions is recorded by its name in
//         the executing agent's `targets`, and looked up there again.
//   RCT2. An unregistered target with agents or functions ends the run: after a restart it could not be found.
import { EngineError } from "../../base/error.ts";
import { targetLabel, type RunnableTarget, type TransitionTarget } from "./targets.ts";

/** Targets with agents or functions, by names that stay stable across deployments. */
export type RegisteredTargets = Readonly<Record<string, TransitionTarget>>;

/** A target as JSON. */
export type RecordedTarget =
  | Exclude<TransitionTarget, RunnableTarget>
  | { readonly kind: "registered"; readonly name: string };

/** Returns the record of a target. Throws `invalid_definition` for one that cannot be found again. */
export function recordedTarget(
  target: TransitionTarget,
  registered: RegisteredTargets,
): RecordedTarget {
  if (target.kind !== "nestedChat" && target.kind !== "groupChat" && target.kind !== "function")
    return target;
  const name = Object.keys(registered).find((each) => registered[each] === target);
  if (name !== undefined) return { kind: "registered", name };
  throw new EngineError(
    "invalid_definition",
    `a tool or a function returned a ${targetLabel(target)} target that its agent does not know: make it once, name it in the agent's \`targets\` and return that one, or put it in the agent's handoffs; registered are: ${namesOf(registered)}`,
  );
}

/** Returns the target of a record. Throws `journal_mismatch` if it is no longer registered. */
export function recalledTarget(
  recorded: RecordedTarget,
  registered: RegisteredTargets,
): TransitionTarget {
  if (recorded.kind !== "registered") return recorded;
  const { name } = recorded;
  const target = Object.hasOwn(registered, name) ? registered[name] : undefined;
  if (target !== undefined) return target;
  throw new EngineError(
    "journal_mismatch",
    `a tool handed over to the target "${name}", which is in the agent's \`targets\` no more; there are: ${namesOf(registered)}`,
  );
}

function namesOf(registered: RegisteredTargets): string {
  return Object.keys(registered).join(", ") || "none";
}
