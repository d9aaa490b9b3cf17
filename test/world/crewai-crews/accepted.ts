// Accepted differences between crews of CrewAI 1.15.30 and ours. A rule looks at the field that differs and at the feature that causes it.
import { isDeepStrictEqual } from "node:util";
import type { AcceptedDifference } from "../support/accepted.ts";
import type { CrewDifference } from "./compare-outcomes.ts";
import type { CaseTask, CrewCase } from "./crew-case.ts";
import type { Outcome } from "./outcome.ts";
import {
  agentOf,
  differingKeys,
  differingTasks,
  differsOnlyIn,
  equalAs,
  hasHalfAction,
  hasTool,
  inLowerCase,
  isText,
  pythonText,
  scriptHas,
  setOf,
  taskAt,
  taskNamed,
  tasksBehind,
  tasksInTextForm,
  wentFurther,
  withoutAsyncContext,
  withoutNumberQuotes,
} from "./difference-rules.ts";

export type CrewRow = AcceptedDifference<CrewDifference>;

function scriptedHalf(program: CrewCase, name: string): boolean {
  return hasHalfAction({ ...program, script: { [name]: program.script[name] ?? [] } });
}

/** Upstream failed earlier than ours, or alone. */
function oursWentFurther({ field, ours, theirs, ourOutcome, program }: CrewDifference): boolean {
  if (field === "status") return ourOutcome.status === "completed";
  if (field !== "calls")
    return wentFurther(comparable(field, ours, program), comparable(field, theirs, program));
  // The task that failed was asked three times.
  return differingKeys(ours, theirs).filter((key) => !isMore(ours, theirs, key)).length <= 1;
}

function isMore(ours: unknown, theirs: unknown, key: string): boolean {
  const of = (calls: unknown): number => (calls as Readonly<Record<string, number>>)[key] ?? 0;
  return of(ours) > of(theirs);
}

/** The value without another accepted difference that may come with one of these (K1). */
function comparable(field: string, value: unknown, program: CrewCase): unknown {
  return field === "context" ? withoutAsyncContext(value, program) : value;
}

/** The task lists no tools, and the script of its manager calls those of its agent. */
function usesToolsOfItsAgent(program: CrewCase, task: CaseTask): boolean {
  const own: readonly string[] = agentOf(program, task)?.tools ?? [];
  const script = program.script[task.name] ?? [];
  return (
    !task.tools?.length &&
    script.some(({ text = "", tools = [] }) =>
      own.some((tool) => tools.some(({ name }) => name === tool) || text.includes(`: ${tool}\n`)),
    )
  );
}

/** The answer of a task is that of an earlier task of the same agent. */
function repeatsAnswer({ tasks = [] }: Outcome, at: number, program: CrewCase): boolean {
  const raw = tasks[at]?.raw;
  const { agent } = program.tasks[at] ?? {};
  return program.tasks
    .slice(0, at)
    .some((task, before) => task.agent === agent && raw !== "" && tasks[before]?.raw === raw);
}

/** Calls of tasks whose answers are no plain JSON: CrewAI made more of them. */
function differsInOddObjects({ ours, theirs, program }: CrewDifference): boolean {
  const keys = differingKeys(ours, theirs);
  const isOdd = (key: string): boolean =>
    taskNamed(program, key)?.json !== undefined &&
    program.script[key]?.some(({ final, text = "" }) => final && !isTitled(text)) === true;
  return (
    keys.some(isOdd) &&
    keys.every((key) => key === "-" || (isOdd(key) && !isMore(ours, theirs, key)))
  );
}

/** The text is JSON of the shape that tasks ask for, and nothing else. */
function isTitled(text: string): boolean {
  return /^\{"title":"[^"]*","count":\d+\}$/.test(text);
}

/** The object that the scripted model makes of any text. */
function isConverted(object: unknown): boolean {
  return isDeepStrictEqual(object, { title: "converted", count: 7 });
}

const oneOf = (field: string, ...fields: readonly string[]): boolean => fields.includes(field);

/** In the order in which they are tried. */
export const ACCEPTED_CREWS: readonly CrewRow[] = [
  {
    id: "K1",
    upstream: "An asynchronous task without `context` never gets the answer before it.",
    ours: "It gets the answer of the last task that is not asynchronous.",
    verdict: "upstream's defect",
    page: "crews.md#tasks-and-crews",
    matches: ({ field, ours, theirs, program }) =>
      field === "context" && equalAs(ours, theirs, (value) => withoutAsyncContext(value, program)),
  },
  {
    id: "K2",
    upstream:
      "A busy agent fails with `Executor is already running`: two asynchronous tasks of one agent, or delegation to it.",
    ours: "Both are done.",
    verdict: "upstream's defect",
    page: "crews.md#tasks-and-crews",
    matches: (difference) =>
      /already running/.test(difference.theirOutcome.message ?? "") && oursWentFurther(difference),
  },
  {
    id: "K14",
    upstream: "In the text form a tool that throws is run up to six times for one call.",
    ours: "It is run once; a tool may do harm.",
    verdict: "ours is better",
    page: "tools.md#failures",
    matches: ({ field, ours, theirs, program }) =>
      isText(program) && oneOf(field, "toolCalls", "failures") && equalAs(ours, theirs, setOf),
  },
  {
    id: "K3",
    upstream: "A list of failures after a guardrail's refusal has equal ones once.",
    ours: "Each failed call is on the list.",
    verdict: "ours is better",
    page: "tools.md#failures",
    matches: ({ field, ours, theirs, program }) =>
      field === "failures" &&
      program.tasks.some(({ guardrail }) => guardrail?.refuse) &&
      equalAs(ours, theirs, setOf),
  },
  {
    id: "K4",
    upstream: "Lists, objects, booleans and None are put into texts as Python writes them.",
    ours: "They are put into texts as JSON.",
    verdict: "decision",
    page: "crews.md#tasks-and-crews",
    matches: ({ field, ours, theirs, program }) =>
      program.profile === "inputs" &&
      ((oneOf(field, "description", "summary", "line", "expected", "agents") &&
        equalAs(ours, theirs, pythonText)) ||
        // A summary is the first ten words, and the two forms of an object have other spaces.
        (field === "summary" &&
          Object.values(program.inputs ?? {}).some((value) => typeof value === "object"))),
  },
  {
    id: "K5",
    upstream: "A plan is appended to the task's description, and so to the output's.",
    ours: "The plan is in the prompt alone.",
    verdict: "ours is better",
    page: "crews.md#planning",
    matches: ({ field, ours, theirs, program }) =>
      program.crew.planning === true &&
      oneOf(field, "description", "summary", "line") &&
      equalAs(ours, theirs, (value) => JSON.stringify(value).replaceAll(/PLAN-OF-t\d/g, "")),
  },
  {
    id: "K6",
    upstream:
      "An answer that does not fit its schema fails the crew with a ValidationError, or silently returns no object.",
    ours: "A readable answer is read; otherwise it is sent back to the model with the error, at most three times.",
    verdict: "ours is better",
    page: "answers.md#what-counts-as-the-answer",
    matches: (difference) => {
      const { field, ours, theirs, theirOutcome, program } = difference;
      if (!program.tasks.some(({ json }) => json)) return false;
      if (/validation errors? for (Titled|TaskOutput)/.test(theirOutcome.message ?? ""))
        return oursWentFurther(difference);
      const unread = (our: unknown, their: unknown): boolean =>
        their === null || isConverted(our) || isConverted(their);
      if (field === "calls") return differsInOddObjects(difference);
      if (field === "object") return unread(ours, theirs);
      if (field !== "json") return false;
      const [our, their] = [ours as unknown[], theirs as unknown[]];
      return (
        differingTasks(our, their)?.every(
          (at) => taskAt(program, at)?.json !== undefined && unread(our[at], their[at]),
        ) === true
      );
    },
  },
  {
    id: "K7",
    upstream:
      "An output passed on by a guardrail is not converted; every other returned answer is, even if it is refused again.",
    ours: "Only the answer that passes the guardrails is converted, if it lacks its data.",
    verdict: "decision",
    page: "answers.md#guardrails",
    matches: ({ field, ours, theirs, program }) =>
      field === "calls" &&
      program.tasks.some(({ json, guardrail }) => json && guardrail) &&
      differingKeys(ours, theirs).every((key) => key === "-"),
  },
  {
    id: "K8",
    upstream: "Any error of the model starts the task again, 400, 401 and 404 included.",
    ours: "Only temporary errors do.",
    verdict: "ours is better",
    page: "crews.md#agents",
    matches: ({ field, ours, theirs, program, ourOutcome }) =>
      scriptHas(program, ({ error }) => error !== undefined && error.status < 429) &&
      oneOf(
        ourOutcome.error ?? "",
        "model_rejected",
        "model_unauthorized",
        "context_window_exceeded",
      ) &&
      (field === "status" ||
        wentFurther(comparable(field, theirs, program), comparable(field, ours, program))),
  },
  {
    id: "K10",
    upstream: "A role from a block of YAML keeps its line break in outputs.",
    ours: "White space around a role is removed.",
    verdict: "ours is better",
    page: "projects.md#from-files",
    matches: ({ field, ours, theirs }) =>
      field === "agents" &&
      equalAs(
        ours,
        (theirs as string[]).map((role) => role.trim()),
        (value) => value,
      ),
  },
  {
    id: "K11",
    upstream: "The manager of a hierarchical crew has the tools of the task's agent.",
    ours: "The manager has the task's `tools`.",
    verdict: "decision",
    page: "crews.md#hierarchical-crews",
    matches: (difference) => {
      const { field, ours, theirs, program } = difference;
      if (program.crew.process !== "hierarchical") return false;
      const causes = program.tasks.filter((task) => usesToolsOfItsAgent(program, task));
      if (field === "toolCalls") return causes.length > 0 && wentFurther(theirs, ours);
      return differsOnlyIn(
        difference,
        tasksBehind(
          program,
          causes.map(({ name }) => name),
        ),
      );
    },
  },
  {
    id: "K12",
    upstream:
      "In the text form, labels in bold or lower case and actions without input are read as the answer, with their marks.",
    ours: "The labels are read, and half an action is sent back.",
    verdict: "ours is better",
    page: "answers.md#what-counts-as-the-answer",
    matches: (difference) => {
      const { field, program, theirOutcome } = difference;
      if (!isText(program)) return false;
      const causes = tasksInTextForm(program, theirOutcome);
      // An answer of each side's own is refused, and the next one counts.
      const halves = causes.filter((name) => scriptedHalf(program, name));
      if (field === "json") return differsOnlyIn(difference, halves);
      if (field === "object") return halves.includes(program.tasks.at(-1)?.name ?? "");
      const reached = tasksBehind(program, causes);
      if (oneOf(field, "toolCalls", "callbacks", "marks"))
        return halves.length > 0 || reached.length > causes.length;
      return differsOnlyIn(difference, reached);
    },
  },
  {
    id: "K13",
    upstream: "A plan other than JSON fails the crew after three calls.",
    ours: "It fails after four, with `output_invalid`.",
    verdict: "decision",
    page: "crews.md#planning",
    matches: ({ field, ourOutcome }) =>
      field === "calls" && /could not be planned/.test(ourOutcome.message ?? ""),
  },
  {
    id: "K15",
    upstream: "With a cache, equal calls of one turn are made once or twice, as threads race.",
    ours: "One is made, and the other takes its result.",
    verdict: "upstream's defect",
    page: "tools.md#options",
    matches: ({ field, ours, theirs, program }) =>
      field === "toolCalls" && program.crew.cache === true && equalAs(ours, theirs, setOf),
  },
  {
    id: "K16",
    upstream: "Arguments that are not quite JSON are an error for the model.",
    ours: "They are repaired where their meaning is clear.",
    verdict: "decision",
    page: "tool-calls.md#arguments",
    matches: ({ field, program }) =>
      oneOf(field, "toolCalls", "failures") &&
      hasTool(program, ({ rawArgs }) => rawArgs !== undefined),
  },
  {
    id: "K17",
    upstream:
      "Thoughts and the label of an answer stay in the text of models with native calls, and JSON is written again from its schema: unknown fields are dropped, texts become numbers.",
    ours: "Thoughts and labels are removed, and `raw` is the model's text.",
    verdict: "decision",
    page: "answers.md#what-counts-as-the-answer",
    matches: (difference) => {
      const { field, ours, theirs, program, theirOutcome } = difference;
      const isKept = (text: string): boolean => /think>|Final Answer|extra/.test(text);
      const causes = program.tasks
        .filter((_, at) => isKept(theirOutcome.tasks?.[at]?.raw ?? ""))
        .map(({ name }) => name);
      const reached = tasksBehind(program, causes);
      const changesOthers = reached.length > causes.length;
      if (oneOf(field, "callbacks", "marks", "toolCalls")) return changesOthers;
      if (oneOf(field, "context", "line", "plan", "calls"))
        return changesOthers && differsOnlyIn(difference, reached);
      if (!oneOf(field, "raw", "taskRaw", "streamed", "fullText")) return false;
      return (
        isKept(JSON.stringify([ours, theirs])) ||
        (oneOf(field, "raw", "taskRaw") && changesOthers && differsOnlyIn(difference, reached)) ||
        equalAs(ours, theirs, withoutNumberQuotes)
      );
    },
  },
  {
    id: "K19",
    upstream:
      "A coworker in another spelling, such as `senior_reviewer`, is an error for the model.",
    ours: "The coworker is found.",
    verdict: "decision",
    page: "crews.md#delegation",
    matches: ({ field, program }) =>
      oneOf(field, "context", "line", "plan", "calls", "toolCalls", "failures") &&
      (hasTool(program, ({ args }) => /_/.test(JSON.stringify(args?.["coworker"] ?? ""))) ||
        scriptHas(program, ({ text = "" }) => /"coworker":"[a-z]+_/.test(text))),
  },
  {
    id: "K20",
    upstream:
      "With `result_as_answer`, a refusing guardrail gets the first tool result every time; in the text form, so do the agent's later tasks.",
    ours: "The new answer counts, and each task has its own.",
    verdict: "upstream's defect",
    page: "answers.md#guardrails",
    matches: (difference) => {
      const { field, program, theirOutcome } = difference;
      if (!oneOf(field, "raw", "taskRaw", "context", "json", "object")) return false;
      const stuck = program.tasks.filter(
        (task, at) =>
          agentOf(program, task)?.resultAsAnswer &&
          (task.guardrail?.refuse || (isText(program) && repeatsAnswer(theirOutcome, at, program))),
      );
      return differsOnlyIn(
        difference,
        stuck.map(({ name }) => name),
      );
    },
  },
  {
    id: "K21",
    upstream: "`max_usage_count` starts at 0 with each retry for a guardrail.",
    ours: "Uses are counted for the task, all attempts together.",
    verdict: "decision",
    page: "tools.md#options",
    matches: ({ field, ours, theirs, program }) => {
      const isLimited = (task: CaseTask | undefined): boolean =>
        task?.guardrail !== undefined &&
        task.guardrail.refuse > 0 &&
        agentOf(program, task)?.maxUsage !== undefined;
      if (field === "calls")
        return differingKeys(ours, theirs).every((key) => isLimited(taskNamed(program, key)));
      if (field === "toolCalls") return program.tasks.some(isLimited) && wentFurther(theirs, ours);
      if (field !== "failures") return false;
      return (
        differingTasks(ours as unknown[], theirs as unknown[])?.every((at) =>
          isLimited(taskAt(program, at)),
        ) === true
      );
    },
  },
  {
    id: "K22",
    upstream: "The full text of a stream mixes the words of asynchronous tasks.",
    ours: "The words of each call stay together.",
    verdict: "upstream's defect",
    page: "events.md#streams",
    matches: ({ field, program }) =>
      field === "fullText" && program.tasks.some((task) => task.async),
  },
  {
    id: "K23",
    upstream:
      "After a full window was summarised, a task may end with `Agent completed execution but produced no final output.`",
    ours: "The agent continues after the summary, and its answer counts.",
    verdict: "upstream's defect",
    page: "crews.md#agents",
    matches: (difference) => {
      const { program } = difference;
      const full = program.tasks.filter(({ name }) =>
        program.script[name]?.some(({ error }) => error?.type === "context_length_exceeded"),
      );
      return differsOnlyIn(
        difference,
        full.map(({ name }) => name),
      );
    },
  },
  {
    id: "K24",
    upstream: "A call of an unknown tool is listed under its name in lower case.",
    ours: "It is listed under the model's spelling of the name.",
    verdict: "decision",
    page: "tools.md#failures",
    matches: ({ field, ours, theirs }) =>
      field === "failures" && equalAs(ours, theirs, inLowerCase),
  },
  {
    id: "K25",
    upstream:
      "An agent that calls a tool five times with equal arguments and equal results ends its crew with an error.",
    ours: "The agent continues within `maxIter`.",
    verdict: "ours is better",
    page: "crews.md#agents",
    matches: ({ ourOutcome, theirOutcome }) =>
      ourOutcome.status === "completed" &&
      /called .* with the same arguments \d+ times/.test(theirOutcome.message ?? ""),
  },
  {
    id: "K26",
    upstream:
      "A placeholder without an input fails the crew, also in the texts of an agent without a task.",
    ours: "Only the texts of agents with tasks are filled.",
    verdict: "ours is better",
    page: "crews.md#tasks-and-crews",
    matches: ({ program, ourOutcome, theirOutcome }) =>
      ourOutcome.status === "completed" &&
      /Template variable .* not found/.test(theirOutcome.message ?? "") &&
      program.agents.some(
        ({ key, role }) => role.includes("{") && !program.tasks.some(({ agent }) => agent === key),
      ),
  },
  {
    id: "K27",
    upstream:
      "After a crew has failed, tasks that run beside the failed one still call their callbacks.",
    ours: "No callback is called after the failure.",
    verdict: "decision",
    page: "crews.md#tasks-and-crews",
    matches: ({ field, ours, theirs, program, ourOutcome }) => {
      if (ourOutcome.status !== "failed" || !program.tasks.some((task) => task.async)) return false;
      if (oneOf(field, "callbacks", "marks", "toolCalls")) return wentFurther(theirs, ours);
      return (
        field === "calls" &&
        wentFurther(theirs, ours) &&
        differingKeys(ours, theirs).every((key) => taskNamed(program, key)?.async)
      );
    },
  },
  {
    id: "K28",
    upstream: "A cached result belongs to the name of a tool: another tool of that name gets it.",
    ours: "It belongs to the tool.",
    verdict: "ours is better",
    page: "tools.md",
    matches: ({ field, ours, theirs, program }) =>
      program.crew.cache === true &&
      program.agents.some(({ maxUsage }) => maxUsage !== undefined) &&
      ((field === "toolCalls" && equalAs(ours, theirs, setOf)) ||
        (field === "failures" &&
          differingTasks(ours as unknown[], theirs as unknown[])?.every(
            (at) => agentOf(program, taskAt(program, at))?.maxUsage !== undefined,
          ) === true)),
  },
  {
    id: "K29",
    upstream:
      "A replay of a crew with a conditional task may fail with `UNIQUE constraint failed` in the table of outputs.",
    ours: "The replay continues.",
    verdict: "upstream's defect",
    page: "forks.md",
    matches: (difference) =>
      difference.program.replayFrom !== undefined &&
      difference.program.tasks.some(({ condition }) => condition !== undefined) &&
      /UNIQUE constraint failed/.test(difference.theirOutcome.message ?? "") &&
      oursWentFurther(difference),
  },
  {
    id: "K30",
    upstream: "Outputs that a replay takes over have lost their list of failures.",
    ours: "They are taken over whole.",
    verdict: "upstream's defect",
    page: "forks.md",
    matches: ({ field, ours, theirs, program }) => {
      const first = program.tasks.findIndex(({ name }) => name === program.replayFrom);
      const their = theirs as readonly (readonly string[])[];
      return (
        field === "failures" &&
        first > 0 &&
        differingTasks(ours as unknown[], their)?.every(
          (at) => at < first && their[at]?.length === 0,
        ) === true
      );
    },
  },
  {
    id: "K31",
    upstream: "A replay does not call `after_kickoff_callbacks`: its output is the bare one.",
    ours: "The output of a replay goes through `afterKickoff` as that of any run.",
    verdict: "ours is better",
    page: "forks.md",
    matches: ({ field, ours, theirs, program }) => {
      if (program.replayFrom === undefined || program.crew.callbacks?.after !== true) return false;
      if (field === "raw") return ours === `${String(theirs)} (after)`;
      return (
        field === "marks" &&
        isDeepStrictEqual(ours, ["after", ...(theirs as readonly string[])].toSorted())
      );
    },
  },
  {
    id: "K32",
    upstream: "An empty answer fails the crew once the same request has had three of them.",
    ours: "The model is called once more, with a note about it; a second empty answer is `answer_empty`.",
    verdict: "decision",
    page: "models.md#when-a-call-fails",
    matches: ({ field, ours, theirs, ourOutcome, theirOutcome }) => {
      if (field !== "calls" || ourOutcome.error !== "answer_empty") return false;
      if (!/None or empty/.test(theirOutcome.message ?? "")) return false;
      const [our, their] = [ours, theirs] as readonly Record<string, number>[];
      const more = Object.entries(their ?? {}).map(([key, count]) => count - (our?.[key] ?? 0));
      return more.every((each) => each === 0 || each === 1) && more.includes(1);
    },
  },
];
