// Training, tests, chats and replays in this process. Inside a run, all but a replay join the run.
import { EngineError } from "../../base/error.ts";
import { checkInputs } from "../../base/interpolate.ts";
import { preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { servicesHere } from "../../hooks/scoped-services.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { checkForkInputs } from "../../runtime/fork.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { ResumeRequest, RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { Wait } from "../../runtime/run.ts";
import { chatWithCrew } from "./chat-crew.ts";
import { checkChat, type ChatMessage, type ChatReply } from "./chat-messages.ts";
import {
  chatProgram,
  checkIterations,
  actionProgram,
  actionRecord,
  readAction,
  testProgram,
  trainProgram,
  type CrewAction,
  type ActionCrew,
} from "./crew-action.ts";
import { trainingName } from "./lessons.ts";
import { joinedStart, joinedPlace, localStart, type KickoffOptions } from "../local-start.ts";
import { testCrew } from "./test-crew.ts";
import type { TestReport } from "./test-report.ts";
import { trainCrew } from "./train-crew.ts";
import type { Training } from "./training.ts";

/** Options of a training: number of runs and the source of feedback. */
export type TrainOptions = KickoffOptions & {
  /** Number of runs of the crew's tasks. An integer from 1 to 100. */
  readonly iterations: number;
  /** The name under which the training is stored. @default the crew's `trained` or, without one, its name */
  readonly name?: string;
  /**
   * Returns the feedback on an answer; called once for each task of each iteration. The answer is in the wait's
   * `prompt`. Also receives the run's other questions to people, such as approval of a tool call: `{ approve: true }`.
   */
  readonly answer: (wait: Wait) => string | ResumeRequest | Promise<string | ResumeRequest>;
};

/** Options of a test: number of runs and the judging model. */
export type TestOptions = KickoffOptions & {
  /** Number of runs of the crew. An integer from 1 to 100. */
  readonly iterations: number;
  /** Judging model. @default the environment's model */
  readonly evalModel?: ModelSpec;
};

export type ReplayOptions = {
  readonly fromTask: string;
  readonly inputs?: JsonObject;
} & LocalRunOptions;

export async function train(
  crew: ActionCrew,
  { answer, ...options }: TrainOptions & LocalRunOptions,
): Promise<Training> {
  const { action, rest } = trainAction(crew, options);
  const scope = RunScope.current();
  if (scope === undefined && typeof answer !== "function")
    throw new EngineError(
      "invalid_input",
      `answer must be a function that returns a change request, got ${preview(answer)}`,
    );
  if (scope !== undefined) {
    const { place, inputs } = joinedStart(scope, crew, { ...rest, action: "train" });
    return trainCrew(place, crew, { ...action, inputs });
  }
  return startTraining(crew, options).outputAttended(async (wait) => {
    const said = await answer(wait);
    return typeof said === "string" ? { feedback: said } : said;
  });
}

export function startTraining(
  crew: ActionCrew,
  options: Omit<TrainOptions, "answer"> & LocalRunOptions,
): LocalRun<Training> {
  const { action, rest } = trainAction(crew, options);
  return actionRun(crew, { action, program: trainProgram(crew, action) }, rest);
}

export async function test(
  crew: ActionCrew,
  options: TestOptions & LocalRunOptions,
): Promise<TestReport> {
  const { action, rest } = testAction(options);
  const scope = RunScope.current();
  if (scope !== undefined) {
    const { place, inputs } = joinedStart(scope, crew, { ...rest, action: "test" });
    return testCrew(place, crew, { ...action, inputs });
  }
  return startTest(crew, options).outputUnattended();
}

export function startTest(
  crew: ActionCrew,
  options: TestOptions & LocalRunOptions,
): LocalRun<TestReport> {
  const { action, rest } = testAction(options);
  return actionRun(crew, { action, program: testProgram(crew, action) }, rest);
}

export async function chat(
  crew: ActionCrew,
  messages: readonly ChatMessage[],
  options: LocalRunOptions,
): Promise<ChatReply> {
  checkChat(messages);
  const scope = RunScope.current();
  if (scope !== undefined) {
    const place = joinedPlace(scope, crew, "chat");
    return chatWithCrew(place, crew, { messages, files: {} });
  }
  return startChat(crew, messages, options).outputUnattended();
}

export function startChat(
  crew: ActionCrew,
  messages: readonly ChatMessage[],
  options: LocalRunOptions,
): LocalRun<ChatReply> {
  checkChat(messages);
  const action = { action: "chat", messages } as const;
  return actionRun(crew, { action, program: chatProgram(crew, action) }, options);
}

export async function replay(
  crew: ActionCrew,
  run: RunHandle,
  options: ReplayOptions,
): Promise<LocalRun> {
  const { fromTask, inputs: newInputs, ...rest } = options;
  if (newInputs !== undefined) checkInputs(newInputs);
  if (!(run instanceof LocalRun))
    throw new EngineError(
      "invalid_input",
      `only a run of this process can be replayed here: for run ${run.id}, call its Worker (POST /runs/${run.id}/replay)`,
    );
  const record = await run.recordBefore({ fromTask });
  const { start, origin, rows } = record;
  checkForkInputs(record, newInputs);
  const { kind, name, entry } = start;
  const isHeld = newInputs !== undefined && entry?.["action"] !== "chat";
  const again = {
    kind,
    name,
    inputs: isHeld ? crew.heldInputs(newInputs) : (newInputs ?? start.inputs),
    origin,
    ...(entry === undefined ? undefined : { entry }),
  };
  const program = entry === undefined ? crew.program() : actionProgram(crew, readAction(entry));
  const services = servicesHere(rest.services ?? run.options.services ?? {});
  return new LocalRun(again, program, { ...run.options, ...rest, services, adopt: rows });
}

function trainAction(crew: ActionCrew, options: Omit<TrainOptions, "answer"> & LocalRunOptions) {
  const { iterations, name = trainingName(crew), ...rest } = options;
  checkIterations(iterations);
  return { action: { action: "train", iterations, name } as const, rest };
}

function testAction({ iterations, evalModel, ...rest }: TestOptions & LocalRunOptions) {
  checkIterations(iterations);
  return { action: { action: "test", iterations, evalModel } as const, rest };
}

function actionRun<Output extends JsonValue>(
  crew: ActionCrew,
  { action, program }: { readonly action: CrewAction; readonly program: RunProgram<Output> },
  options: KickoffOptions & LocalRunOptions,
): LocalRun<Output> {
  // In a chat the person gives the inputs during the conversation.
  const started = action.action === "chat" ? { name: crew.name } : crew;
  const { begin, local } = localStart(started, options);
  return new LocalRun({ ...begin, entry: actionRecord(action) }, program, local);
}
