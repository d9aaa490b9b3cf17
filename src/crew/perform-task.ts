// One task of a run: from the context it is given to its output, as a durable step with its events.
//
//   PT1. A finished task replays as one row, and its callback is called once.
//   PT2. A conditional task that is skipped is one row with an empty output: no events, no callback, no hooks.
//   PT3. Delegated work shares the budget, the cache, the time limit and the failure policy of the task; its usage and
//        its failures count for the task. The hooks are those of the agent that does it.
import type { AgentIdentity, AgentWork } from "../agent/agent-work.ts";
import type { Agent } from "../agent/agent.ts";
import type { AnswerReview } from "../agent/answer-review.ts";
import { executeAgent } from "../agent/execute-agent.ts";
import { humanReview, trainingReview } from "../agent/human-input.ts";
import { fill, mergePrompts, type Prompts } from "../agent/prompts.ts";
import { RateLimiter } from "../agent/rate-limiter.ts";
import { outputShape, shapeRequest } from "../agent/structured-output.ts";
import { EngineError, errorMessage, type ErrorCode } from "../base/error.ts";
import { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import { toldFingerprint, type ToolSecurity } from "../security/security-config.ts";
import { cut } from "../tools/call-tool.ts";
import { readFileTool } from "../tools/builtin/read-file.ts";
import { ToolCache } from "../tools/tool-cache.ts";
import { ToolReport, type ToolWork } from "../tools/tool-report.ts";
import type { Tool } from "../tools/tool.ts";
import { ConditionalTask } from "./conditional-task.ts";
import { writeText } from "./crew-files.ts";
import { agentHooks, StepHooks } from "./crew-hooks.ts";
import { mayDelegate } from "./exercise.ts";
import {
  delegationTools,
  MAX_DELEGATION_DEPTH,
  mergeTools,
  type Assignment,
} from "./delegation.ts";
import type { RunnableCrew } from "./prepare-crew.ts";
import { taskBrief, type TaskExtras } from "./task-brief.ts";
import { typedOutput, type TaskOutput, type TaskRecord } from "./task-output.ts";
import { taskPrompt } from "./task-prompt.ts";
import { blankOutput, guarded, taskResult, type TaskUnderWay } from "./task-result.ts";
import type { Task } from "./task.ts";
import { WorkCourse } from "./work-course.ts";

/** An agent with the run's inputs in its texts, and its model. */
export type PreparedAgent = {
  readonly agent: Agent;
  readonly identity: AgentIdentity;
  readonly model: LanguageModel;
};

/** A task with the run's inputs in its texts. */
export type PreparedTask = PreparedAgent & {
  readonly task: Task;
  readonly key: string;
  readonly description: string;
  readonly expectedOutput: string;
  readonly outputFile: string | undefined;
  /** Those that are named for it; without those that files and coworkers bring. */
  readonly tools: readonly Tool[];
  /** Whom its agent may give work to. */
  readonly coworkers: readonly PreparedAgent[];
  readonly extras: TaskExtras;
};

/** What a task begins with. */
export type TaskStart = {
  readonly context: string;
  /** The output right before it in the crew's order. */
  readonly previous: TaskOutput | undefined;
};

/** One piece of work, as `workOf` makes it up. */
type WorkOptions = Pick<
  AgentWork,
  "prompt" | "prompts" | "tools" | "expectedOutput" | "answerSchema" | "review"
> & {
  /** What it is done for. */
  readonly task?: Task;
  readonly course: WorkCourse;
};

/** Work of which parts may be given to coworkers, and how deep it is. */
type Delegator = Pick<WorkOptions, "prompts" | "course"> & {
  readonly task: Task;
  readonly coworkers: readonly PreparedAgent[];
  readonly depth: number;
};

/** What hooks and failure policies stop is stopped: whoever delegated it is not asked what to do instead. */
const ENDS_ALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "hook_aborted",
  "tool_failure_raised",
]);

/** Longer texts are kept whole in the journal and cut where events show them. */
export const MAX_EVENT_TEXT = 16_384;

/** Does the tasks of one run of a crew, and holds what they share: the tool cache and the rate limits. */
export class TaskPerformer {
  readonly #crew: RunnableCrew;
  readonly #agents: readonly PreparedAgent[];
  readonly #cache: ToolCache | undefined;
  readonly #limiter: RateLimiter | undefined;
  readonly #ownLimiters = new Map<Agent, RateLimiter>();

  /** `agents`: all that work can be delegated to. */
  constructor(crew: RunnableCrew, agents: readonly PreparedAgent[]) {
    this.#crew = crew;
    this.#agents = agents;
    this.#cache = crew.options.cache === true ? new ToolCache() : undefined;
    this.#limiter =
      crew.options.maxRpm === undefined ? undefined : new RateLimiter(crew.options.maxRpm);
  }

  /** Does a task at its key below `scope`, unless its condition is against it. */
  async perform(
    scope: RunScope,
    prepared: PreparedTask,
    { context, previous }: TaskStart,
  ): Promise<TaskRecord> {
    const { task, identity, agent, key } = prepared;
    const { exercise } = this.#crew;
    const done = await scope.at(key).group<TaskRecord>("task", async (place) => {
      if (task instanceof ConditionalTask && previous !== undefined) {
        const wanted = place.at("condition").callOnce(async () => task.condition(previous));
        if (!(await wanted)) return { ...blankOutput(prepared), skipped: true };
      }
      const elapsed = exercise?.kind === "test" ? stopwatch(place) : undefined;
      const named = { taskName: task.label, agentRole: identity.role };
      const inner = place.open("task_started", {
        ...named,
        context: cut(context, MAX_EVENT_TEXT),
        ...toldFingerprint(task),
      });
      try {
        const hooks = new StepHooks(inner, this.#crew, prepared);
        const given = await hooks.before(context);
        const output = await hooks.after(await this.#execute(inner, prepared, given));
        await this.#notify(inner, task, output);
        await writeOutput(inner, prepared, output);
        place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
        return elapsed === undefined ? output : { ...output, durationMs: elapsed() };
      } catch (error) {
        place.emit("task_failed", { ...named, error: errorMessage(error) });
        throw error;
      }
    });
    exercise?.note({ agent, key, output: done });
    return done;
  }

  async #execute(scope: RunScope, prepared: PreparedTask, context: string): Promise<TaskRecord> {
    const { task, description, expectedOutput, agent, identity, model, extras } = prepared;
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const shape = task.output === undefined ? undefined : outputShape(task.output);
    const course = new WorkCourse(scope, agent);
    const common = { prompts, task, course };
    const { coworkers } = prepared;
    const tools = this.#delegating(toolsOf(prepared), { ...common, coworkers, depth: 1 });
    const boundOtherwise =
      task.responseModel !== undefined &&
      tools.length === 0 &&
      shape !== undefined &&
      shapeRequest(model, shape.schema) !== undefined;
    const prompt = taskPrompt(prompts, {
      description: taskBrief(prompts, description, extras),
      expectedOutput,
      context,
      markdown: task.markdown,
      schema: boundOtherwise ? undefined : shape?.schema,
      lessons: this.#crew.lessons?.textFor(agent, prompts),
    });
    const review = this.#review(prepared, prompts, course);
    const workOn = (text: string): AgentWork =>
      this.workOf(scope, prepared, {
        ...common,
        prompt: text,
        tools,
        expectedOutput,
        answerSchema: shape?.schema,
        review,
      });
    const underWay: TaskUnderWay = { prepared, context, work: workOn(prompt), course };
    const attempt = async (place: RunScope, work: AgentWork): Promise<TaskRecord> => {
      course.approval = undefined;
      return taskResult(place, await executeAgent(place, work), underWay);
    };
    const first = await attempt(scope, underWay.work);
    const output =
      task.guardrails.length === 0
        ? first
        : await guarded(scope, first, {
            underWay,
            again: (place, refusal) => attempt(place, workOn(`${prompt}\n\n${refusal}`)),
          });
    return {
      ...output,
      ...(course.approval === undefined ? undefined : { humanFeedback: course.approval }),
      ...(course.trained === undefined ? undefined : { trained: course.trained }),
      ...course.accountsOf(identity.role),
    };
  }

  /** A piece of work for an agent of this crew, within the crew's limits. */
  workOf(scope: RunScope, who: PreparedAgent, what: WorkOptions): AgentWork {
    const { options } = this.#crew;
    const { agent, identity, model } = who;
    const { course, task, ...order } = what;
    const { meter, tally, failures, toolUses } = course;
    const named = task === undefined ? undefined : { taskName: task.label };
    return {
      ...order,
      agent,
      identity,
      model,
      ...named,
      hooks: agentHooks(scope, this.#crew, { ...who, ...named }),
      security: securityOf(agent, task),
      toolFailurePolicy:
        task?.toolFailurePolicy ?? agent.toolFailurePolicy ?? options.toolFailurePolicy,
      crewSkills: options.skills,
      cache: agent.cache ? this.#cache : undefined,
      limiter: this.#limiterOf(agent),
      get deadlineAtMs() {
        return course.deadlineAtMs;
      },
      budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
      stream: agent.stream ?? options.stream ?? false,
      stepCallback: agent.stepCallback ?? options.stepCallback,
      meter,
      tally,
      failures,
      toolUses,
    };
  }

  #review(
    { task, identity }: PreparedTask,
    prompts: Prompts,
    course: WorkCourse,
  ): AnswerReview | undefined {
    const isTraining = this.#crew.exercise?.kind === "training";
    const settings = task.humanInput ?? (isTraining ? {} : undefined);
    if (settings === undefined) return undefined;
    const review = {
      identity,
      taskName: task.label,
      prompts,
      settings,
      approved: (feedback: string) => (course.approval = feedback),
      waited:
        course.deadlineAtMs === undefined
          ? undefined
          : (durationMs: number) => course.extend(durationMs),
    };
    return isTraining
      ? trainingReview(review, (trained) => (course.trained = trained))
      : humanReview(review);
  }

  /** `tools` and those to hand parts of the work on to coworkers, unless it has come too deep for that. */
  #delegating(tools: readonly Tool[], from: Delegator): readonly Tool[] {
    const { coworkers, depth, prompts } = from;
    if (coworkers.length === 0 || depth > MAX_DELEGATION_DEPTH) return tools;
    const added = delegationTools({
      roles: coworkers.map(({ identity }) => identity.role),
      prompts,
      carryOut: (assignment) => this.#carryOut(assignment, from),
    });
    return mergeTools(tools, added);
  }

  /** Has a coworker do a part of the work, as steps below the tool call that asked for it. */
  async #carryOut(given: Assignment, from: Delegator): Promise<ToolReport> {
    const scope = RunScope.current();
    const coworker = from.coworkers[given.coworker];
    if (scope === undefined || coworker === undefined)
      throw new EngineError("internal", "work was delegated outside of a run, or to nobody");
    const { agent, identity } = coworker;
    const place = scope.at(`agent:${keySegment(identity.role)}`);
    const prompts = mergePrompts(agent.prompts, this.#crew.prompts);
    const course = new WorkCourse(place, agent, from.course);
    const common = { prompts, task: from.task, course };
    const coworkers = this.#coworkersOf(agent);
    const work = this.workOf(place, coworker, {
      ...common,
      prompt: taskPrompt(prompts, {
        description: given.work,
        expectedOutput: prompts.slices.managerRequest,
        context: given.context,
        markdown: false,
        schema: undefined,
        lessons: this.#crew.lessons?.textFor(agent, prompts),
      }),
      tools: this.#delegating(agent.tools, { ...common, coworkers, depth: from.depth + 1 }),
    });
    let ended: Pick<ToolWork, "raised"> | undefined;
    const text = await executeAgent(place, work).catch((error: unknown) => {
      const message = errorMessage(error);
      if (EngineError.is(error) && ENDS_ALL.has(error.code))
        ended = { raised: { code: error.code, message } };
      return fill(from.prompts.errors.agentToolExecutionError, {
        agent_role: identity.role,
        error: message,
      });
    });
    const failures = course.failures.records;
    return new ToolReport(text, {
      usage: course.meter.total,
      delegatedTo: [identity.role, ...course.tally.delegatedTo],
      ...(failures.length === 0 ? undefined : { failures }),
      ...ended,
    });
  }

  #coworkersOf(agent: Agent): readonly PreparedAgent[] {
    if (!mayDelegate(agent, this.#crew.exercise)) return [];
    return this.#agents.filter((other) => other.agent !== agent);
  }

  async #notify(scope: RunScope, task: Task, output: TaskRecord): Promise<void> {
    const callback = task.callback ?? this.#crew.options.taskCallback;
    if (callback === undefined || this.#crew.exercise?.kind === "test") return;
    await scope.at("callback").callOnce(async () => {
      await callback(typedOutput(output, task.output));
    });
  }

  #limiterOf(agent: Agent): RateLimiter | undefined {
    if (agent.maxRpm === undefined) return this.#limiter;
    let own = this.#ownLimiters.get(agent);
    if (own === undefined) this.#ownLimiters.set(agent, (own = new RateLimiter(agent.maxRpm)));
    return own;
  }
}

/** Answers how long it is since this call, in milliseconds: readings of the run's own. */
function stopwatch(place: RunScope): () => number {
  const startedAtMs = place.at("started").now();
  return () => place.at("ended").now() - startedAtMs;
}

/** Fingerprints are made when they are asked for. */
function securityOf(agent: Agent, task: Task | undefined): ToolSecurity {
  if (task === undefined) {
    return {
      get agentFingerprint() {
        return agent.fingerprint;
      },
    };
  }
  return {
    get agentFingerprint() {
      return agent.fingerprint;
    },
    get taskFingerprint() {
      return task.fingerprint;
    },
  };
}

/** The tools for a task, beside those to delegate with. */
function toolsOf({ tools, extras }: PreparedTask): readonly Tool[] {
  return Object.keys(extras.files).length === 0
    ? tools
    : mergeTools(tools, [readFileTool(extras.files)]);
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
