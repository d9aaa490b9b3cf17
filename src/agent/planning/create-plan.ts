// Creation of a plan: drafts until one is ready.
//
//   CP1. A planning model with tools returns the plan as a call with steps. Its plain text is a plan without steps, as
//        is every plan of a model without tools.
//   CP2. A draft is ready if the call marks it, or if the text contains the ready sentence word for word.
//   CP3. After a model failure there is one more request in plain text. After a second failure the work is done without
//        a plan.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import * as z from "zod";
import { errorMessage } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Message, ModelResponse, ToolSpec } from "../../llm/language-model.ts";
import { parseToolArguments } from "../../tools/tool-arguments.ts";
import { typedValue } from "../../tools/typed-values.ts";
import { toolBox } from "../../tools/tool-box.ts";
import { withAttachments } from "../prompts/first-messages.ts";
import { describeTools, fill } from "../prompts/prompts.ts";
import { isModelTrouble, taskIdOf, type Planner } from "./planner.ts";

export type PlannedStep = {
  readonly stepNumber: number;
  readonly description: string;
  readonly toolToUse: string | undefined;
  readonly dependsOn: readonly number[];
};

export type Plan = {
  readonly text: string;
  /** Empty for a plan of text alone. */
  readonly steps: readonly PlannedStep[];
  readonly ready: boolean;
  /** True when no plan could be made: the work is done without one. */
  readonly failed: boolean;
};

export type PlanRequest = {
  /** The task, as the prompt of the planner states it. */
  readonly description: string;
  /** Number of the first step, and the numbers of completed steps: further steps may depend on them. */
  readonly firstNumber: number;
  readonly doneNumbers: readonly number[];
};

const CREATE_PLAN = "create_reasoning_plan";

const FAILED_PLAN: Plan = { text: "", steps: [], ready: true, failed: true };

/** A call with a missing or null field is still a plan. */
const callSchema = z.object({
  plan: z.string().catch(""),
  steps: z
    .array(
      z.object({
        step_number: z.number().optional().catch(undefined),
        description: z.string().min(1),
        tool_to_use: z.string().nullish().catch(undefined),
        depends_on: z.array(z.number()).catch([]),
      }),
    )
    .catch([]),
  ready: z.boolean().catch(false),
});

export async function createPlan(
  place: RunScope,
  planner: Planner,
  request: PlanRequest,
): Promise<Plan> {
  const { maxAttempts } = planner.config;
  let plan: Plan | undefined;
  for (let attempt = 1; attempt <= maxAttempts && plan?.ready !== true; attempt++)
    plan = await draft(place, planner, { ...request, attempt, before: plan });
  if (plan === undefined) return FAILED_PLAN;
  if (!plan.ready) {
    place.emit("agent_warning", {
      agentRole: planner.work.identity.role,
      message: `the plan is taken as it is: it was not ready after ${maxAttempts} attempts`,
    });
  }
  return plan;
}

type Draft = PlanRequest & { readonly attempt: number; readonly before: Plan | undefined };

async function draft(scope: RunScope, planner: Planner, request: Draft): Promise<Plan> {
  const { work } = planner;
  const { attempt } = request;
  const place = scope.at(`attempt:${attempt}`);
  const named = { agentRole: work.identity.role, taskId: taskIdOf(work), attempt };
  const inner = place.open("agent_reasoning_started", named);
  try {
    const plan = await ask(inner, planner, request);
    const { ready } = plan;
    place.emit("agent_reasoning_completed", {
      ...named,
      plan: cut(plan.text, MAX_EVENT_TEXT),
      ready,
    });
    return plan;
  } catch (error) {
    if (!isModelTrouble(error)) throw error;
    place.emit("agent_reasoning_failed", { ...named, error: errorMessage(error) });
    return FAILED_PLAN;
  }
}

async function ask(place: RunScope, planner: Planner, request: Draft): Promise<Plan> {
  const { thinker, hands } = planner;
  const messages = messagesFor(planner, request);
  if (thinker.model.capabilities.tools) {
    try {
      const tools = [createPlanTool(planner, request)];
      const response = await hands.ask(place, thinker, { messages, tools });
      const plan = planOfCall(response, planner, request) ?? planOfText(response.text, planner);
      if (plan !== undefined) return plan;
    } catch (error) {
      if (!isModelTrouble(error)) throw error;
    }
  }
  const { text } = await hands.ask(place.at("text"), thinker, { messages });
  return planOfText(text, planner) ?? FAILED_PLAN;
}

function messagesFor({ work, config }: Planner, { description, before }: Draft): Message[] {
  const { identity, prompts } = work;
  const { reasoning } = prompts;
  const box = toolBox(work.tools);
  const values = {
    ...identity,
    description,
    expected_output: work.expectedOutput ?? reasoning.noExpectedOutput,
    tools: box.size === 0 ? reasoning.noTools : describeTools(box.specs),
    max_steps: String(config.maxSteps),
    current_plan: before === undefined ? "" : planText(before),
  };
  const system = [fill(config.systemPrompt ?? reasoning.initialPlan, values)];
  if (before !== undefined) system.push(reasoning.refinePlan);
  const template =
    before === undefined
      ? (config.planPrompt ?? reasoning.createPlanPrompt)
      : (config.refinePrompt ?? reasoning.refinePlanPrompt);
  const form = fill(reasoning.textForm, {
    ready_sentence: reasoning.readySentence,
    not_ready_sentence: reasoning.notReadySentence,
  });
  return [
    { role: "system", content: system.join("\n\n") },
    ...(work.history ?? []),
    {
      role: "user",
      content: withAttachments(`${fill(template, values)}\n\n${form}`, work.attachments),
    },
  ];
}

function createPlanTool({ work }: Planner, { firstNumber }: PlanRequest): ToolSpec {
  const { reasoning } = work.prompts;
  const step: JsonObject = {
    type: "object",
    properties: {
      step_number: { type: "integer" },
      description: { type: "string" },
      tool_to_use: { type: ["string", "null"], description: reasoning.toolToUseArgument },
      depends_on: {
        type: "array",
        items: { type: "integer" },
        description: reasoning.dependsOnArgument,
      },
    },
    required: ["step_number", "description", "tool_to_use", "depends_on"],
    additionalProperties: false,
  };
  const steps = fill(reasoning.stepsArgument, { first_number: String(firstNumber) });
  return {
    name: CREATE_PLAN,
    description: reasoning.createReasoningPlan,
    parameters: {
      type: "object",
      properties: {
        plan: { type: "string", description: reasoning.planArgument },
        steps: { type: "array", items: step, description: steps },
        ready: { type: "boolean", description: reasoning.readyArgument },
      },
      required: ["plan", "steps", "ready"],
      additionalProperties: false,
    },
  };
}

function planOfCall(
  { toolCalls, finishReason }: ModelResponse,
  planner: Planner,
  request: PlanRequest,
): Plan | undefined {
  const call = toolCalls.find(({ name }) => name === CREATE_PLAN) ?? toolCalls[0];
  if (call === undefined || finishReason === "length") return undefined;
  const parsed = parseToolArguments(call.arguments, "native");
  if (parsed.kind === "error") return undefined;
  const { parameters } = createPlanTool(planner, request);
  const read = callSchema.safeParse(typedValue(parameters, parsed.value));
  if (!read.success) return undefined;
  const { plan, ready, steps } = read.data;
  if (plan.trim() === "" && steps.length === 0) return undefined;
  return {
    text: plan.trim(),
    ready,
    steps: numbered(steps.slice(0, planner.config.maxSteps), request),
    failed: false,
  };
}

/**
 * Numbers the steps in their order from `firstNumber` without a gap. A dependency refers to a step of this plan, else
 * to a completed one; other numbers are dropped.
 */
function numbered(
  steps: z.infer<typeof callSchema>["steps"],
  { firstNumber, doneNumbers }: PlanRequest,
): readonly PlannedStep[] {
  const numbers = new Map<number, number>();
  for (const [index, { step_number: stepNumber = firstNumber + index }] of steps.entries())
    if (!numbers.has(stepNumber)) numbers.set(stepNumber, firstNumber + index);
  return steps.map(({ description, tool_to_use: tool, depends_on: named }, index) => ({
    stepNumber: firstNumber + index,
    description,
    toolToUse: tool == null || tool.trim() === "" ? undefined : tool,
    dependsOn: [
      ...new Set(
        named.flatMap(
          (number) => numbers.get(number) ?? (doneNumbers.includes(number) ? number : []),
        ),
      ),
    ],
  }));
}

function planOfText(text: string, { work }: Planner): Plan | undefined {
  if (text.trim() === "") return undefined;
  const ready = text.includes(work.prompts.reasoning.readySentence);
  return { text: text.trim(), ready, steps: [], failed: false };
}

/** A plan as people and models read it. */
export function planText({ text, steps }: Plan): string {
  const lines = steps.map(({ stepNumber, description }) => `${stepNumber}. ${description}`);
  return [text, ...lines].filter((line) => line !== "").join("\n");
}
