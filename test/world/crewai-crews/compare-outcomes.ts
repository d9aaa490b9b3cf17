// What differs between the two outcomes of one case, field by field.
import { isDeepStrictEqual } from "node:util";
import type { CrewCase } from "./crew-case.ts";
import type { Outcome, TaskOutcome } from "./outcome.ts";
import type { PromptFacts } from "./prompt-facts.ts";

export type CrewDifference = {
  readonly field: string;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly program: CrewCase;
  readonly ourOutcome: Outcome;
  readonly theirOutcome: Outcome;
};

export function compareOutcomes(
  program: CrewCase,
  ourOutcome: Outcome,
  theirOutcome: Outcome,
): readonly CrewDifference[] {
  const differences: CrewDifference[] = [];
  const compare = (field: string, ours: unknown, theirs: unknown): void => {
    if (!isDeepStrictEqual(plain(ours), plain(theirs)))
      differences.push({ field, ours, theirs, program, ourOutcome, theirOutcome });
  };
  const both = (field: string, read: (outcome: Outcome) => unknown): void =>
    compare(field, read(ourOutcome), read(theirOutcome));
  both("status", ({ status }) => status);
  if (ourOutcome.status === "completed" && theirOutcome.status === "completed") {
    both("raw", ({ raw }) => raw);
    // A skipped task has no name and no expected output in CrewAI.
    both("names", ({ tasks = [] }) =>
      tasks.map(({ name }, at) => name ?? program.tasks[at % program.tasks.length]?.name),
    );
    both(
      "taskRaw",
      eachTask(({ raw }) => raw),
    );
    both(
      "agents",
      eachTask(({ agent }) => agent),
    );
    both(
      "json",
      eachTask(({ json }) => json),
    );
    both("object", ({ object }) => object ?? null);
    both(
      "description",
      eachTask(({ description }) => description),
    );
    const skipped = (theirOutcome.tasks ?? []).map(({ expected }) => expected === null);
    both("expected", ({ tasks = [] }) =>
      tasks.map(({ expected }, at) => (skipped[at] ? null : expected)),
    );
    both(
      "summary",
      eachTask(({ summary }) => summary),
    );
    both(
      "failures",
      eachTask(({ failures }) => failures.toSorted()),
    );
    // Asynchronous tasks may stream their words in any order.
    both("streamed", ({ streamed = "" }) => Array.from(streamed).toSorted().join(""));
    both("fullText", ({ full }) => full);
  }
  if (ourOutcome.status === theirOutcome.status && ourOutcome.status !== "hangs") {
    // Calls of one turn run beside each other.
    both("toolCalls", ({ toolCalls }) => toolCalls.map((each) => JSON.stringify(each)).toSorted());
    both("callbacks", ({ done }) => done.toSorted());
    both("marks", ({ marks }) => marks.toSorted());
    both(
      "context",
      facts(({ context }) => context),
    );
    both(
      "line",
      facts(({ line }) => line),
    );
    both(
      "plan",
      facts(({ plan }) => plan),
    );
    both("calls", ({ calls }) => calls);
    // Tasks beside each other have their events in any order.
    const inOrder = !program.tasks.some((task) => task.async);
    both("events", ({ events = [] }) => (inOrder ? events : events.toSorted()));
  }
  return differences;
}

export function describeDifference({ field, ours, theirs, ...more }: CrewDifference): string {
  const { message: our = "" } = more.ourOutcome;
  const { message: their = "" } = more.theirOutcome;
  const why = field === "status" ? ` (${our} | ${their})` : "";
  return `${field}: ours ${short(ours)}, CrewAI ${short(theirs)}${why}`;
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 300);
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function eachTask(read: (task: TaskOutcome) => unknown) {
  return ({ tasks = [] }: Outcome): unknown[] => tasks.map(read);
}

/** Facts about the first prompt of each task. */
function facts(read: (facts: PromptFacts) => unknown) {
  return ({ seen }: Outcome): object =>
    Object.fromEntries(
      Object.entries(seen)
        .filter(([task]) => /^t\d/.test(task))
        .map(([task, each]) => [task, read(each)]),
    );
}
