// Judgement of a model on the step just ended and on the rest of the plan.
//
//   OB1. A failed model call counts as a successful step: trouble in judging is no reason to abandon a plan.
//   OB2. An unreadable judgement counts as a failure of the step, and the plan as no longer valid.
import * as z from "zod";
import { errorMessage } from "../../base/error.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ModelRequest } from "../../llm/language-model.ts";
import { fromZod } from "../../tools/json-schema.ts";
import { parseToolArguments } from "../../tools/tool-arguments.ts";
import { typedValue } from "../../tools/typed-values.ts";
import type { Todo } from "../work-notes.ts";
import { fill } from "../prompts/prompts.ts";
import { isModelTrouble, type Planner } from "./planner.ts";
import { taskExcerpt, todoLines } from "./todo-text.ts";

export type Refinement = { readonly stepNumber: number; readonly newDescription: string };

export type Observation = {
  readonly success: boolean;
  readonly needsFullReplan: boolean;
  readonly replanReason?: string;
  readonly goalAlreadyAchieved: boolean;
  readonly refinements: readonly Refinement[];
};

/** Step with its result. */
export type EndedStep = {
  readonly stepNumber: number;
  readonly description: string;
  readonly result: string;
  readonly success: boolean;
};

const observationSchema = z.object({
  step_completed_successfully: z.boolean(),
  key_information_learned: z.string().catch("").default(""),
  remaining_plan_still_valid: z.boolean().catch(true).default(true),
  suggested_refinements: z
    .array(z.object({ step_number: z.int(), new_description: z.string().min(1) }))
    .nullish()
    .catch([]),
  needs_full_replan: z.boolean().catch(false).default(false),
  replan_reason: z.string().nullish().catch(undefined),
  goal_already_achieved: z.boolean().catch(false).default(false),
});

let madeSchema: NonNullable<ModelRequest["responseSchema"]> | undefined;

/** Schema sent to the model. Created on first use, to keep the start of a Worker fast. */
function responseSchema(): NonNullable<ModelRequest["responseSchema"]> {
  return (madeSchema ??= { name: "observation", schema: fromZod(observationSchema) });
}

/** Judgement without a model: only the success of the step. */
export function heuristicObservation({ success }: EndedStep): Observation {
  return { success, needsFullReplan: false, goalAlreadyAchieved: false, refinements: [] };
}

export async function observe(
  place: RunScope,
  planner: Planner,
  seen: { readonly step: EndedStep; readonly todos: readonly Todo[] },
): Promise<Observation> {
  const { work, thinker, hands } = planner;
  const { stepNumber, description } = seen.step;
  const named = { agentRole: work.identity.role, stepNumber, stepDescription: description };
  const inner = place.open("step_observation_started", named);
  let text: string;
  try {
    const schema = thinker.model.capabilities.responseSchema
      ? { responseSchema: responseSchema() }
      : undefined;
    const messages = messagesFor(planner, seen);
    text = (await hands.ask(inner, thinker, { messages, ...schema, purpose: "observe" })).text;
  } catch (error) {
    if (!isModelTrouble(error)) throw error;
    place.emit("step_observation_failed", { ...named, error: errorMessage(error) });
    return { success: true, needsFullReplan: false, goalAlreadyAchieved: false, refinements: [] };
  }
  const parsed = parseToolArguments(text, "text");
  const read = observationSchema.safeParse(
    parsed.kind === "ok" ? typedValue(responseSchema().schema, parsed.value) : undefined,
  );
  const found: z.infer<typeof observationSchema> = read.success
    ? read.data
    : {
        step_completed_successfully: false,
        key_information_learned: "",
        remaining_plan_still_valid: false,
        suggested_refinements: [],
        needs_full_replan: true,
        replan_reason: null,
        goal_already_achieved: false,
      };
  const refinements = (found.suggested_refinements ?? []).map((each) => ({
    stepNumber: each.step_number,
    newDescription: each.new_description,
  }));
  const reason = found.replan_reason ? { replanReason: found.replan_reason } : undefined;
  place.emit("step_observation_completed", {
    ...named,
    stepCompletedSuccessfully: found.step_completed_successfully,
    keyInformationLearned: found.key_information_learned,
    remainingPlanStillValid: found.remaining_plan_still_valid,
    suggestedRefinements: refinements,
    needsFullReplan: found.needs_full_replan,
    ...reason,
    goalAlreadyAchieved: found.goal_already_achieved,
  });
  return {
    success: found.step_completed_successfully,
    needsFullReplan: found.needs_full_replan,
    ...reason,
    goalAlreadyAchieved: found.goal_already_achieved,
    refinements,
  };
}

function messagesFor(
  { work }: Planner,
  { step, todos }: { readonly step: EndedStep; readonly todos: readonly Todo[] },
) {
  const { planning } = work.prompts;
  const others = todos.filter(({ stepNumber }) => stepNumber !== step.stepNumber);
  const user = fill(planning.observationPrompt, {
    task: taskExcerpt(work.prompt),
    completed: todoLines(
      others.filter(({ status }) => status !== "pending"),
      planning,
    ),
    step: `${step.stepNumber}. ${step.description}`,
    result: step.result,
    remaining: todoLines(
      others.filter(({ status }) => status === "pending"),
      planning,
    ),
    output_format: JSON.stringify(responseSchema().schema, null, 2),
  });
  return [
    { role: "system", content: planning.observationSystem },
    { role: "user", content: user },
  ] as const;
}
