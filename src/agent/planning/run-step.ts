// One step of a plan: its own conversation, with the agent's tools.
//
//   RS1. A step sees the task, itself and the results it depends on, but no other step's conversation.
//   RS2. A step that names an available tool but never calls it has failed, regardless of its text.
//   RS3. A model failure fails the step. Budgets, keys and the time limit of the whole work end the work.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { errorMessage } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AgentLoop } from "../loop/agent-loop.ts";
import { observedResult } from "../loop/observation.ts";
import type { AgentWork } from "../agent-work.ts";
import type { Todo } from "../work-notes.ts";
import { callerInstructions } from "../../model-calls/caller-instructions.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";
import type { PlannedStep } from "./create-plan.ts";
import type { EndedStep } from "./observe.ts";
import { isModelTrouble, type Planner } from "./planner.ts";
import { taskExcerpt } from "./todo-text.ts";

export type StepSurroundings = {
  /** Results of the step's dependencies. */
  readonly before: readonly Todo[];
  readonly toolUses: Map<Tool, number>;
};

/** Carries a step out at `place`. */
export async function runStep(
  place: RunScope,
  planner: Planner,
  { step, around }: { readonly step: PlannedStep; readonly around: StepSurroundings },
): Promise<EndedStep> {
  const { stepNumber, description, toolToUse } = step;
  const named = {
    agentRole: planner.work.identity.role,
    stepNumber,
    stepDescription: description,
    ...(toolToUse === undefined ? undefined : { toolToUse }),
  };
  const inner = place.open("plan_step_started", named);
  const { result, error } = await attempt(inner, planner, { step, around });
  const success = error === undefined;
  place.emit("plan_step_completed", {
    ...named,
    success,
    ...(success ? { result: cut(result, MAX_EVENT_TEXT) } : { error }),
  });
  return { stepNumber, description, result, success };
}

type Attempt = { readonly result: string; readonly error?: string };

async function attempt(
  place: RunScope,
  planner: Planner,
  { step, around }: { readonly step: PlannedStep; readonly around: StepSurroundings },
): Promise<Attempt> {
  const { config, work } = planner;
  const { planning } = work.prompts;
  const timeoutAtMs =
    config.stepTimeout === undefined ? Infinity : place.now() + config.stepTimeout * 1000;
  const deadlineAtMs = Math.min(timeoutAtMs, work.deadlineAtMs ?? Infinity);
  const stepWork: AgentWork = {
    ...work,
    answerSchema: undefined,
    history: callerInstructions(place.services),
    toolUses: around.toolUses,
    deadlineAtMs: Number.isFinite(deadlineAtMs) ? deadlineAtMs : undefined,
  };
  const frame = {
    head: fill(planning.stepSystem, work.identity),
    user: stepPrompt(work, step, around.before),
    maxIter: config.maxStepIterations,
  };
  const loop = planner.hands.converse(place, stepWork, frame);
  const begun = loop.messages.length;
  try {
    const result = await loop.run(place);
    if (usedItsTool(work, step, loop.calledTools)) return { result };
    const error = fill(planning.toolNotUsed, { tool: step.toolToUse ?? "" });
    return { result: `${error}\n${result}`, error };
  } catch (error) {
    if (!isModelTrouble(error)) throw error;
    if (error.code === "timeout") {
      const now = place.at("timeout").now();
      if (work.deadlineAtMs !== undefined && now >= work.deadlineAtMs) throw error;
      const gathered = gatheredIn(loop, begun, work.prompts);
      if (now >= timeoutAtMs && gathered !== "" && usedItsTool(work, step, loop.calledTools))
        return { result: gathered };
    }
    const message = errorMessage(error);
    return { result: fill(planning.stepFailed, { error: message }), error: message };
  }
}

/** Collects the results of a conversation cut short. */
function gatheredIn(loop: AgentLoop, begun: number, prompts: Prompts): string {
  return loop.messages
    .slice(begun)
    .flatMap(({ role, content }) => {
      const text = textOfContent(content);
      return (role === "user" ? observedResult(text, prompts) : text) ?? [];
    })
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function usedItsTool(
  { tools }: AgentWork,
  { toolToUse }: PlannedStep,
  called: ReadonlySet<string>,
): boolean {
  if (toolToUse === undefined) return true;
  const box = toolBox(tools);
  const wanted = box.find(toolToUse);
  return wanted === undefined || [...called].some((name) => box.findClosest(name) === wanted);
}

function stepPrompt(
  { prompts, prompt }: AgentWork,
  { stepNumber, description, toolToUse }: PlannedStep,
  before: readonly Todo[],
): string {
  const { planning } = prompts;
  const parts = [
    fill(planning.taskContext, { task: taskExcerpt(prompt) }),
    fill(planning.stepPrompt, { step_number: String(stepNumber), step_description: description }),
  ];
  if (toolToUse !== undefined)
    parts.push(fill(planning.suggestedTool, { tool: sanitizeToolName(toolToUse) }));
  if (before.length > 0) {
    const entries = before.map((todo) => resultEntry(todo, planning));
    parts.push([planning.contextHeader, ...entries].join("\n"));
  }
  parts.push(planning.stepCompletion);
  return parts.join("\n\n");
}

/** A step's result as the prompts of later steps and of the answer contain it. */
export function resultEntry(
  { stepNumber, result = "" }: Todo,
  { contextEntry }: AgentWork["prompts"]["planning"],
): string {
  return fill(contextEntry, { step_number: String(stepNumber), result });
}
