import { mean } from "../../base/mean.ts";

/** The result of a test of a crew. A score is from 1 to 10; it is null for a task with an empty output. */
export type TestReport = {
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    /** Roles of the agents in the task. */
    readonly agents: readonly string[];
    /** One score for each run. */
    readonly scores: ReadonlyArray<number | null>;
    readonly average: number | null;
  }>;
  /** Means over the tasks of each run, and over all runs. */
  readonly crew: { readonly scores: ReadonlyArray<number | null>; readonly average: number | null };
  /** The total time of the tasks of each run, in seconds. */
  readonly seconds: { readonly runs: readonly number[]; readonly average: number };
  /** Judging model. */
  readonly evalModel: string;
};

/** The score and the time of one task in one run. */
export type TaskScore = {
  readonly name: string;
  readonly agents: readonly string[];
  readonly score: number | null;
  readonly seconds: number;
};

/** Summarizes the runs, each with its tasks in the crew's order. */
export function testReport(
  evalModel: string,
  runs: ReadonlyArray<readonly TaskScore[]>,
): TestReport {
  const [first = []] = runs;
  const tasks = first.map(({ name }, index) => {
    const measured = runs.flatMap((run) => run[index] ?? []);
    const scores = measured.map(({ score }) => score);
    const agents = [...new Set(measured.flatMap((each) => each.agents))];
    return { name, agents, scores, average: mean(scores) };
  });
  const scores = runs.map((run) => mean(run.map(({ score }) => score)));
  const seconds = runs.map((run) => run.reduce((sum, each) => sum + each.seconds, 0));
  return {
    tasks,
    crew: { scores, average: mean(scores) },
    seconds: { runs: seconds, average: mean(seconds) ?? 0 },
    evalModel,
  };
}

/** Formats the report as a plain-text table with a row for each task, one for the crew and one for the seconds. */
export function formatTestReport(report: TestReport): string {
  const { tasks, crew, seconds } = report;
  const runs = seconds.runs.map((_, index) => `Run ${index + 1}`);
  const rows = [
    ["", ...runs, "Average", "Agents"],
    ...tasks.map(({ name, scores, average, agents }) => [
      name,
      ...scores.map((score) => digits(score, 1)),
      digits(average, 1),
      agents.join(", "),
    ]),
    ["Crew", ...crew.scores.map((score) => digits(score, 2)), digits(crew.average, 1), ""],
    ["Seconds", ...seconds.runs.map((each) => digits(each, 0)), digits(seconds.average, 0), ""],
  ];
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isText = (column: number): boolean => column === 0 || column === runs.length + 2;
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths?.[column] ?? 0;
          return isText(column) ? cell.padEnd(width) : cell.padStart(width);
        })
        .join(" | ")
        .trimEnd(),
    )
    .join("\n");
}

function digits(value: number | null, count: number): string {
  return value === null ? "-" : value.toFixed(count);
}
