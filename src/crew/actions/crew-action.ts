import * as z from "zod";
import { EngineError, unreachable } from "../../base/error.ts";
import { preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toIssues } from "../../base/zod-issues.ts";
import { markAsData } from "../../llm/definition-rules.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import { chatWithCrew, type ChattingCrew } from "./chat-crew.ts";
import { CHAT, type ChatMessage, type ChatReply } from "./chat-messages.ts";
import { testCrew } from "./test-crew.ts";
import type { TestReport } from "./test-report.ts";
import { trainCrew } from "./train-crew.ts";
import type { Training } from "./training.ts";

/** Action of a crew's run other than a kickoff. Stored with the run as `RunStart.entry`. */
export type CrewAction =
  | { readonly action: "train"; readonly iterations: number; readonly name: string }
  | {
      readonly action: "test";
      readonly iterations: number;
      readonly evalModel?: ModelSpec | undefined;
    }
  | { readonly action: "chat"; readonly messages: readonly ChatMessage[] };

/** The largest number of iterations of one training or test. */
export const MAX_ITERATIONS = 100;

/** Throws `invalid_input` unless the number of iterations is an integer from 1 to the maximum. */
export function checkIterations(iterations: number): void {
  if (Number.isInteger(iterations) && iterations >= 1 && iterations <= MAX_ITERATIONS) return;
  throw new EngineError(
    "invalid_input",
    `iterations must be an integer from 1 to ${MAX_ITERATIONS}, got ${String(iterations)}`,
  );
}

const iterations = z.int().min(1).max(MAX_ITERATIONS);
const recorded = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("train"), iterations, name: z.string().min(1) }),
  z.strictObject({ action: z.literal("test"), iterations, evalModel: z.json().optional() }),
  z.strictObject({ action: z.literal("chat"), messages: CHAT }),
]);

/** The action as `RunStart.entry` stores it. A model object is stored as its id. */
export function actionRecord(action: CrewAction): JsonObject {
  if (action.action !== "test" || action.evalModel === undefined)
    return { ...action } as JsonObject;
  const { evalModel } = action;
  const isModel = typeof evalModel === "object" && "generate" in evalModel;
  return { ...action, evalModel: (isModel ? evalModel.id : evalModel) as JsonValue };
}

/** Reads a stored action. Throws `invalid_input` for a record unknown to this version of the code. */
export function readAction(record: JsonObject): CrewAction {
  const parsed = recorded.safeParse(record);
  if (parsed.success) return markAsData(parsed.data) as CrewAction;
  throw new EngineError("invalid_input", `a run cannot enter its crew as ${preview(record)}`, {
    issues: toIssues(parsed.error, record),
  });
}

/** Crew for actions. */
export type ActionCrew = ChattingCrew & {
  program(): RunProgram;
  heldInputs(inputs: JsonObject): JsonObject;
};
type TrainAction = Extract<CrewAction, { action: "train" }>;
type TestAction = Extract<CrewAction, { action: "test" }>;
type ChatAction = Extract<CrewAction, { action: "chat" }>;

/** Returns the program of a run for this action. Test results are stored under `foundAs`. */
export function actionProgram(
  crew: ActionCrew,
  action: CrewAction,
  foundAs = crew.name,
): RunProgram<Training | TestReport | ChatReply> {
  switch (action.action) {
    case "train":
      return trainProgram(crew, action);
    case "test":
      return testProgram(crew, action, foundAs);
    case "chat":
      return chatProgram(crew, action);
    default:
      return unreachable(action);
  }
}

export function trainProgram(crew: ActionCrew, action: TrainAction): RunProgram<Training> {
  const whole = crew.program();
  return {
    ...whole,
    run: (scope, inputs) =>
      trainCrew(scope, crew, {
        ...action,
        inputs,
      }),
    tasks: repeated(whole.tasks, action.iterations),
  };
}

export function testProgram(
  crew: ActionCrew,
  action: TestAction,
  foundAs = crew.name,
): RunProgram<TestReport> {
  const whole = crew.program();
  return {
    ...whole,
    run: (scope, inputs) =>
      testCrew(scope, crew, {
        ...action,
        inputs,
        foundAs,
      }),
    tasks: repeated(whole.tasks, action.iterations),
  };
}

export function chatProgram(crew: ActionCrew, action: ChatAction): RunProgram<ChatReply> {
  return {
    ...crew.program(),
    run: (scope, files) =>
      chatWithCrew(scope, crew, {
        messages: action.messages,
        files,
      }),
    tasks: [],
    requiredInputs: [],
  };
}

/** The tasks of each iteration; their names are of the form `research (2)`. */
function repeated(tasks: RunProgram["tasks"], count: number): RunProgram["tasks"] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((iteration) =>
    tasks.map(({ key, name, agent }) => ({
      key: `iteration:${iteration}/${key}`,
      name: `${name} (${iteration})`,
      agent,
    })),
  );
}
