import { mean } from "../../base/mean.ts";

/** How well a crew did in a test. A score is from 1 to 10; null where a task gave nothing to judge. */
export type TestReport = {
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    /** The roles of those who worked on it. */
    readonly agents: readonly string[];
    /** One for each run. */
    readonly scores: ReadonlyArray<number | null>;
    readonly average: number | null;
  }>;
  /** Over all tasks of a run, and over all runs. */
  readonly crew: { readonly scores: ReadonlyArray<number | null>; readonly average: number | null };
  /** What the tasks of a run took together. */
  readonly seconds: { readonly runs: readonly number[]; readonly average: number };
  /** The model that judged. */
  readonly evalModel: string;
};

/** What was measured of one task in one run. */
export type TaskScore = {
  readonly name: string;
  readonly agents: readonly string[];
  readonly score: number | null;
  readonly seconds: number;
};

/** Sums up runs, each with its tasks in the crew's order. */
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

/** The report as a table of plain text: a row for each task, one for the crew, and the seconds that it took. */
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
