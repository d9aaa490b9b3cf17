// Training, testing, chatting and replaying in this process. Each joins the run that is under way, where there is one.
import { EngineError } from "../../base/error.ts";
import { checkInputs } from "../../base/interpolate.ts";
import { preview, type JsonObject, type JsonValue } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { servicesHere } from "../../hooks/scoped-hooks.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { checkForkInputs } from "../../runtime/fork.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { ResumeRequest, RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import type { Wait } from "../../runtime/run.ts";
import { chatWithCrew, checkChat, type ChatMessage, type ChatReply } from "./chat-crew.ts";
import {
  chatProgram,
  checkIterations,
  entryProgram,
  entryRecord,
  readEntry,
  testProgram,
  trainProgram,
  type CrewEntry,
  type EnteredCrew,
} from "./entry.ts";
import { trainingName } from "./lessons.ts";
import { kickoffInputs, joinedPlace, localStart, type KickoffOptions } from "../local-start.ts";
import { testCrew } from "./test-crew.ts";
import type { TestReport } from "./test-report.ts";
import { trainCrew } from "./train-crew.ts";
import type { Training } from "./training.ts";

export type TrainOptions = KickoffOptions & {
  /** How often the crew does its tasks. An integer from 1 to 100. */
  readonly iterations: number;
  /** The name under which the training is stored. @default the crew's `trained` or, without one, its name */
  readonly name?: string;
  /**
   * Says what to change in an answer; called once for each task of each iteration. The answer itself is in the wait's `prompt`.
   * What else the run asks people comes here, too, such as whether a tool may be called: `{ approve: true }`.
   */
  readonly answer: (wait: Wait) => string | ResumeRequest | Promise<string | ResumeRequest>;
};

export type TestOptions = KickoffOptions & {
  /** How often the crew is run. An integer from 1 to 100. */
  readonly iterations: number;
  /** The model that judges. @default the environment's model */
  readonly evalModel?: ModelSpec;
};

export type ReplayOptions = {
  readonly fromTask: string;
  readonly inputs?: JsonObject;
} & LocalRunOptions;

export async function train(
  crew: EnteredCrew,
  { answer, ...options }: TrainOptions & LocalRunOptions,
): Promise<Training> {
  const { entry, rest } = trainEntry(crew, options);
  const scope = RunScope.current();
  if (scope === undefined && typeof answer !== "function")
    throw new EngineError(
      "invalid_input",
      `answer must be a function that says what to change in an answer, got ${preview(answer)}`,
    );
  if (scope !== undefined) {
    const plan = { ...entry, inputs: kickoffInputs(rest) };
    return trainCrew(joinedPlace(scope, crew, "train"), crew, plan);
  }
  return startTraining(crew, options).outputAttended(async (wait) => {
    const said = await answer(wait);
    return typeof said === "string" ? { feedback: said } : said;
  });
}

export function startTraining(
  crew: EnteredCrew,
  options: Omit<TrainOptions, "answer"> & LocalRunOptions,
): LocalRun<Training> {
  const { entry, rest } = trainEntry(crew, options);
  return entered(crew, { entry, program: trainProgram(crew, entry) }, rest);
}

export async function test(
  crew: EnteredCrew,
  options: TestOptions & LocalRunOptions,
): Promise<TestReport> {
  const { entry, rest } = testEntry(options);
  const scope = RunScope.current();
  if (scope !== undefined) {
    const plan = { ...entry, inputs: kickoffInputs(rest) };
    return testCrew(joinedPlace(scope, crew, "test"), crew, plan);
  }
  return startTest(crew, options).outputUnattended();
}

export function startTest(
  crew: EnteredCrew,
  options: TestOptions & LocalRunOptions,
): LocalRun<TestReport> {
  const { entry, rest } = testEntry(options);
  return entered(crew, { entry, program: testProgram(crew, entry) }, rest);
}

export async function chat(
  crew: EnteredCrew,
  messages: readonly ChatMessage[],
  options: LocalRunOptions,
): Promise<ChatReply> {
  checkChat(messages);
  const scope = RunScope.current();
  if (scope !== undefined) return chatWithCrew(joinedPlace(scope, crew, "chat"), crew, messages);
  return startChat(crew, messages, options).outputUnattended();
}

export function startChat(
  crew: EnteredCrew,
  messages: readonly ChatMessage[],
  options: LocalRunOptions,
): LocalRun<ChatReply> {
  checkChat(messages);
  const entry = { action: "chat", messages } as const;
  return entered(crew, { entry, program: chatProgram(crew, entry) }, options);
}

export async function replay(
  crew: EnteredCrew,
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
  const again = {
    kind,
    name,
    inputs: newInputs ?? start.inputs,
    origin,
    ...(entry === undefined ? undefined : { entry }),
  };
  const program = entry === undefined ? crew.program() : entryProgram(crew, readEntry(entry));
  const services = servicesHere(rest.services ?? run.options.services ?? {});
  return new LocalRun(again, program, { ...run.options, ...rest, services, adopt: rows });
}

function trainEntry(crew: EnteredCrew, options: Omit<TrainOptions, "answer"> & LocalRunOptions) {
  const { iterations, name = trainingName(crew), ...rest } = options;
  checkIterations(iterations);
  return { entry: { action: "train", iterations, name } as const, rest };
}

function testEntry({ iterations, evalModel, ...rest }: TestOptions & LocalRunOptions) {
  checkIterations(iterations);
  return { entry: { action: "test", iterations, evalModel } as const, rest };
}

function entered<Output extends JsonValue>(
  crew: EnteredCrew,
  { entry, program }: { readonly entry: CrewEntry; readonly program: RunProgram<Output> },
  options: KickoffOptions & LocalRunOptions,
): LocalRun<Output> {
  const { begin, local } = localStart(crew, options);
  return new LocalRun({ ...begin, entry: entryRecord(entry) }, program, local);
}
