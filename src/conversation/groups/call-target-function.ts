// A function as the target of a group.
//
//   CTF1. A function is called once, in a round of its own without a speaker. The next round follows its target.
//   CTF2. At most 16 functions are called between two messages.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { ContextVariables, type ContextChange } from "../context-variables.ts";
import { functionTargetNotes, type MemberNote } from "../targets/handoff-messages.ts";
import { contentText } from "../messages.ts";
import { recalledTarget, recordedTarget } from "../targets/recorded-target.ts";
import { isTarget, type FunctionTargetResult, type TransitionTarget } from "../targets/targets.ts";
import type { GroupRun } from "./group.ts";

const MAX_IN_ROW = 16;

/**
 * Calls a target function. `owner` is the agent of the hand-over. Throws `invalid_input` for a function without a
 * target as its result.
 */
export async function callTargetFunction(
  run: GroupRun,
  place: RunScope,
  {
    target: { run: code, extraArguments },
    owner,
  }: { readonly target: Extract<TransitionTarget, { kind: "function" }>; readonly owner: string },
): Promise<{
  readonly pending: TransitionTarget;
  readonly changes: readonly ContextChange[];
  readonly notes: readonly MemberNote[];
}> {
  const { group, talk, transcript, targets, functionsInRow } = run;
  if (functionsInRow >= MAX_IN_ROW)
    throw new EngineError(
      "invalid_input",
      `more than ${MAX_IN_ROW} target functions lead to one another: one of them has to lead to an agent`,
    );
  const { target, ...rest } = await place.at("function").callOnce(
    async () => {
      const changes: ContextChange[] = [];
      const variables = new ContextVariables(talk.variables(group.manager).toObject(), {
        onChange: (change) => void changes.push(change),
      });
      const last = contentText(transcript.at(-1)?.content);
      const result = checked(await code(last, variables, extraArguments));
      if (result.contextVariables !== undefined) variables.update(result.contextVariables);
      const notes = functionTargetNotes(result, {
        functionName: code.name === "" ? "function" : code.name,
        currentAgent: owner,
        ...(group.userAgent === undefined ? undefined : { userAgent: group.userAgent }),
      });
      return { target: recordedTarget(result.target, targets), changes, notes };
    },
    { label: code.name },
  );
  return { ...rest, pending: recalledTarget(target, targets) };
}

function checked(result: unknown): FunctionTargetResult {
  const target = (result as FunctionTargetResult | undefined)?.target;
  if (isTarget(target)) return result as FunctionTargetResult;
  throw new EngineError(
    "invalid_input",
    `a target function returns { target, messages?, contextVariables? } with a target such as agentTarget("name"), got ${preview(result)}`,
  );
}
