import * as z from "zod";
import { EngineError, unreachable } from "../../base/error.ts";
import { preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { toIssues } from "../../base/zod-issues.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import {
  CHAT,
  chatWithCrew,
  type ChatMessage,
  type ChatReply,
  type ChattingCrew,
} from "./chat-crew.ts";
import { testCrew } from "./test-crew.ts";
import type { TestReport } from "./test-report.ts";
import { trainCrew } from "./train-crew.ts";
import type { Training } from "./training.ts";

/** What can be done with a crew beside kicking it off. */
export type CrewEntry =
  | { readonly action: "train"; readonly iterations: number; readonly name: string }
  | {
      readonly action: "test";
      readonly iterations: number;
      readonly evalModel?: ModelSpec | undefined;
    }
  | { readonly action: "chat"; readonly messages: readonly ChatMessage[] };

/** Times that a crew may be run in one training or test. */
export const MAX_ITERATIONS = 100;

/** Throws `invalid_input` for a number of iterations that makes no sense. */
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

/** The entry as a run keeps it: a model of one's own by its id. */
export function entryRecord(entry: CrewEntry): JsonObject {
  if (entry.action !== "test" || entry.evalModel === undefined) return { ...entry } as JsonObject;
  const { evalModel } = entry;
  const isModel = typeof evalModel === "object" && "generate" in evalModel;
  return { ...entry, evalModel: (isModel ? evalModel.id : evalModel) as JsonValue };
}

/** The entry that a run was started with. Throws `invalid_input` for one of another version of this code. */
export function readEntry(record: JsonObject): CrewEntry {
  const parsed = recorded.safeParse(record);
  if (parsed.success) return parsed.data as CrewEntry;
  throw new EngineError("invalid_input", `a run cannot enter its crew as ${preview(record)}`, {
    issues: toIssues(parsed.error, record),
  });
}

export type EnteredCrew = ChattingCrew & { program(): RunProgram };
type TrainEntry = Extract<CrewEntry, { action: "train" }>;
type TestEntry = Extract<CrewEntry, { action: "test" }>;
type ChatEntry = Extract<CrewEntry, { action: "chat" }>;

/** What a run does that enters the crew in this way. `foundAs` is the name that results of tests are kept under. */
export function entryProgram(
  crew: EnteredCrew,
  entry: CrewEntry,
  foundAs = crew.name,
): RunProgram<Training | TestReport | ChatReply> {
  switch (entry.action) {
    case "train":
      return trainProgram(crew, entry);
    case "test":
      return testProgram(crew, entry, foundAs);
    case "chat":
      return chatProgram(crew, entry);
    default:
      return unreachable(entry);
  }
}

export function trainProgram(crew: EnteredCrew, entry: TrainEntry): RunProgram<Training> {
  const whole = crew.program();
  return {
    ...whole,
    run: (scope, inputs) => trainCrew(scope, crew, { ...entry, inputs }),
    tasks: repeated(whole.tasks, entry.iterations),
  };
}

export function testProgram(
  crew: EnteredCrew,
  entry: TestEntry,
  foundAs = crew.name,
): RunProgram<TestReport> {
  const whole = crew.program();
  return {
    ...whole,
    run: (scope, inputs) => testCrew(scope, crew, { ...entry, inputs, foundAs }),
    tasks: repeated(whole.tasks, entry.iterations),
  };
}

export function chatProgram(crew: EnteredCrew, entry: ChatEntry): RunProgram<ChatReply> {
  return {
    ...crew.program(),
    run: (scope) => chatWithCrew(scope, crew, entry.messages),
    tasks: [],
    requiredInputs: [],
  };
}

/** The tasks of each iteration, as `research (2)`. */
function repeated(tasks: RunProgram["tasks"], count: number): RunProgram["tasks"] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((iteration) =>
    tasks.map(({ key, name, agent }) => ({
      key: `iteration:${iteration}/${key}`,
      name: `${name} (${iteration})`,
      agent,
    })),
  );
}
