// One task of a run, from its context to its output, as a durable step with its events.
//
//   PT1. A finished task replays as one row, and its callback is called once.
//   PT2. A skipped conditional task is one row with an empty output: no events, no callback, no hooks.
//   PT3. The task's callback is called before the crew's; a function in both places is called once.
import { cameFrom } from "../../base/error-place.ts";
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { changedWork, type AgentWork } from "../../agent/agent-work.ts";
import type { AnswerReview } from "../../agent/loop/answer-review.ts";
import { executeAgent } from "../../agent/loop/execute-agent.ts";
import { mendingWork } from "../../agent/loop/mending-work.ts";
import { humanReview, trainingReview } from "../../agent/loop/human-input.ts";
import { mergePrompts, type Prompts } from "../../agent/prompts/prompts.ts";
import { outputShape } from "../../agent/loop/structured-output.ts";
import { shapeRequest } from "../../model-calls/answer-shape.ts";
import { errorMessage } from "../../base/error.ts";
import { userCode } from "../../base/user-code.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { fingerprintField } from "../../security/security-config.ts";
import { mergeTools } from "../../tools/merge-tools.ts";
import type { Tool } from "../../tools/tool.ts";
import { ConditionalTask } from "./conditional-task.ts";
import { fileParts } from "../../files/file-parts.ts";
import { writeText } from "../crew-files.ts";
import { StepHooks } from "../crew-hooks.ts";
import type { CrewWork, WorkRequest } from "../crew-work.ts";
import { DelegatedWork } from "../delegation/delegated-work.ts";
import type { PreparedAgent } from "../prepared-agent.ts";
import type { RunnableCrew } from "../runnable-crew.ts";
import { taskBrief } from "./task-brief.ts";
import { typedOutput, type TaskOutput, type TaskRecord } from "./task-output.ts";
import { taskPrompt } from "./task-prompt.ts";
import {
  blankOutput,
  guarded,
  openAnswer,
  taskResult,
  type OpenTaskAnswer,
  type TaskUnderWay,
} from "./task-result.ts";
import type { Task } from "./task.ts";
import { WorkBudget } from "../work-budget.ts";
import type { PreparedTask } from "./prepared-task.ts";

/** The input of a task. */
export type TaskStart = {
  readonly context: string;
  /** The output of the task before it in the crew's order. */
  readonly previous: TaskOutput | undefined;
};

/** Does the tasks of one run of a crew. */
export class TaskPerformer {
  readonly #crew: RunnableCrew;
  readonly #work: CrewWork;
  readonly #delegatedWork: DelegatedWork;

  /** `agents` are all possible coworkers. */
  constructor(work: CrewWork, agents: readonly PreparedAgent[]) {
    this.#crew = work.crew;
    this.#work = work;
    this.#delegatedWork = new DelegatedWork(work, agents);
  }

  /** Does a task at its key below `scope`, or skips it if its condition does not hold. */
  async perform(
    scope: RunScope,
    prepared: PreparedTask,
    { context, previous }: TaskStart,
  ): Promise<TaskRecord> {
    const { task, identity, agent, key } = prepared;
    const { iteration } = this.#crew;
    const perform = async (place: RunScope): Promise<TaskRecord> => {
      if (task instanceof ConditionalTask && previous !== undefined) {
        const what = `the condition of task "${task.label}"`;
        const wanted = place
          .at("condition")
          .callOnce(() => userCode(what, () => task.condition(previous)));
        if (!(await wanted)) return { ...blankOutput(prepared), skipped: true };
      }
      const elapsed = iteration?.kind === "test" ? stopwatch(place) : undefined;
      const named = { taskName: task.label, agentRole: identity.role };
      const inner = place.open("task_started", {
        taskId: place.path,
        ...named,
        context: cut(context, MAX_EVENT_TEXT),
        ...fingerprintField(task),
      });
      try {
        const hooks = new StepHooks(inner, this.#crew, prepared);
        const hooked = await hooks.before(context);
        const output = await hooks.after(await this.#execute(inner, prepared, hooked));
        await this.#notify(inner, task, output);
        await writeOutput(inner, prepared, output);
        place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
        return elapsed === undefined ? output : { ...output, durationMs: elapsed() };
      } catch (error) {
        place.emit("task_failed", { ...named, error: errorMessage(error) });
        throw error;
      }
    };
    const marks = { label: task.label, mark: "checkpoint" } as const;
    const work = scope.at(key).group("task", perform, marks);
    const done = await work.catch((error: unknown) => {
      throw cameFrom(`task "${task.label}" (agent "${identity.role}")`, scope.runId, error);
    });
    iteration?.taskCompleted({ agent, key, output: done });
    return done;
  }

  async #execute(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, description, agent, identity } = prepared;
    const workBudget = new WorkBudget(scope, agent);
    const request = this.#request(prepared, context, workBudget);
    const informed = await this.#work.informed(scope, request, description);
    const work = task.guardrails.length === 0 ? informed : changedWork(informed, { notes: {} });
    const underWay: TaskUnderWay = { prepared, context, work, workBudget };
    const attempt = async (place: RunScope, attempted: AgentWork): Promise<OpenTaskAnswer> => {
      workBudget.approval = undefined;
      return openAnswer(place, await executeAgent(place, attempted), underWay);
    };
    const first = await attempt(scope, work);
    const answer =
      task.guardrails.length === 0
        ? first
        : await guarded(scope, first, {
            underWay,
            again: (place, refused) => attempt(place, mendingWork(work, refused)),
          });
    return {
      ...(await taskResult(answer, underWay)),
      ...(workBudget.approval === undefined ? undefined : { humanFeedback: workBudget.approval }),
      ...(workBudget.trained === undefined ? undefined : { trained: workBudget.trained }),
      ...workBudget.accountsOf(identity.role),
    };
  }

  /** The work of a task for its agent. */
  #request(prepared: PreparedTask, context: string, workBudget: WorkBudget): WorkRequest {
    const { task, description, expectedOutput, agent, model, extras, coworkers } = prepared;
    const { files = [] } = prepared;
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const shape = task.output === undefined ? undefined : outputShape(task.output);
    const delegator = { prompts, task, workBudget, coworkers, depth: 1 };
    const tools = this.#delegatedWork.withTools(toolsOf(prepared), delegator);
    const isHeldByRequest =
      task.responseModel !== undefined &&
      tools.length === 0 &&
      this.#work.sources === undefined && // memory adds tools
      shape !== undefined &&
      shapeRequest(model, shape.schema) !== undefined;
    return {
      worker: prepared,
      task,
      workBudget,
      prompts,
      prompt: taskPrompt(prompts, {
        description: taskBrief(prompts, description, extras),
        expectedOutput,
        context,
        markdown: task.markdown,
        schema: isHeldByRequest ? undefined : shape?.schema,
      }),
      tools,
      attachments: fileParts(files),
      expectedOutput,
      answerSchema: shape?.schema,
      review: this.#review(prepared, prompts, workBudget),
      mail: "task",
    };
  }

  #review(
    { task, identity }: PreparedTask,
    prompts: Prompts,
    workBudget: WorkBudget,
  ): AnswerReview | undefined {
    const isTraining = this.#crew.iteration?.kind === "training";
    const settings = task.humanInput ?? (isTraining ? {} : undefined);
    if (settings === undefined) return undefined;
    const review = {
      identity,
      taskName: task.label,
      prompts,
      settings,
      approved: (feedback: string) => (workBudget.approval = feedback),
      waited:
        workBudget.deadlineAtMs === undefined
          ? undefined
          : (durationMs: number) => workBudget.extend(durationMs),
    };
    return isTraining
      ? trainingReview(review, (trained) => (workBudget.trained = trained))
      : humanReview(review);
  }

  /** Calls the task's callback and the crew's; a function in both places is called once (PT3). */
  async #notify(scope: RunScope, task: Task, output: TaskRecord): Promise<void> {
    if (this.#crew.iteration?.kind === "test") return;
    const { taskCallback } = this.#crew.options;
    const callbacks = new Set([task.callback ?? taskCallback, taskCallback]);
    for (const [index, callback] of [...callbacks].entries()) {
      if (callback === undefined) continue;
      const isOwn = callback === task.callback;
      const what = isOwn ? "the callback of" : `the taskCallback of crew "${this.#crew.name}" for`;
      await scope.at(index === 0 ? "callback" : "crew-callback").callOnce(async () => {
        const typed = typedOutput(output, task.output);
        await userCode(`${what} task "${task.label}"`, () => callback(typed));
      });
    }
  }
}

/** Returns a function for the time since this call, in milliseconds, by the run's clock. */
function stopwatch(place: RunScope): () => number {
  const startedAtMs = place.at("started").now();
  return () => place.at("ended").now() - startedAtMs;
}

/** The tools for a task, without those for delegation. */
function toolsOf({ tools, fileTools = [] }: PreparedTask): readonly Tool[] {
  return fileTools.length === 0 ? tools : mergeTools(tools, fileTools);
}

async function writeOutput(
  scope: RunScope,
  { task, outputFile }: PreparedTask,
  { raw, object }: TaskRecord,
): Promise<void> {
  if (outputFile === undefined) return;
  await writeText(scope.at("output-file"), {
    path: outputFile,
    what: `task "${task.label}" has the outputFile "${outputFile}"`,
    text: object === undefined ? raw : JSON.stringify(object, null, 2),
  });
}
