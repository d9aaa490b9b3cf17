import type { JsonValue } from "../../base/json.ts";
import { ACTION_OPTIONS } from "../action-options.ts";
import { command } from "../command.ts";
import { followRun } from "../follow-run.ts";
import { padded, plain } from "../output.ts";
import { startInputs } from "../start-inputs.ts";
import { subjectOf } from "../startable.ts";

/** `edgecrew test`: a model scores a crew's outputs. */
export const test = command({
  name: "test",
  serves: true,
  about: "run a crew several times, and have a model score its tasks",
  args: "[crew]",
  example: "edgecrew test briefing -n 2 -m openai/gpt-5-mini --input topic=tea",
  options: {
    iterations: {
      about: "number of runs: default 3; also --n-iterations",
      value: "n",
      short: "n",
      integer: { least: 1, most: 100 },
    },
    model: { about: "model that scores: default the Worker's", value: "model", short: "m" },
    ...ACTION_OPTIONS,
  },
  spellings: { "--n-iterations": "--iterations", "--n_iterations": "--iterations" },
  run: async (context, { args: [named], options }) => {
    const { iterations = 3, model } = options;
    const client = await context.client();
    const crew = await subjectOf(context, client, { named, kinds: ["crew"], verb: "test" });
    const wanted = { written: options, verb: "test" };
    const inputs = await startInputs(context, { client, subject: crew }, wanted);
    const run = await client.crews.test(crew.name, {
      iterations,
      inputs,
      ...(model === undefined ? {} : { evalModel: model }),
      ...(options.id === undefined ? {} : { id: options.id }),
    });
    if (options.detach) return context.out.result({ id: run.id }, () => run.id);
    context.out.note(`run ${run.id}`);
    return followRun(context, run, { ...options, name: crew.name, text: scores });
  },
});

type Scores = ReadonlyArray<number | null>;
type Report = {
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    readonly agents: readonly string[];
    readonly scores: Scores;
    readonly average: number | null;
  }>;
  readonly crew: { readonly scores: Scores; readonly average: number | null };
  readonly seconds: { readonly runs: readonly number[]; readonly average: number };
};

/** The report of a test as a table: tasks down, runs across. */
function scores(output: JsonValue): string {
  const { tasks, crew, seconds } = output as unknown as Report;
  const rows = [
    ["", ...crew.scores.map((_, index) => `RUN ${index + 1}`), "AVERAGE", "AGENTS"],
    ...tasks.map((task) => [
      plain(task.name),
      ...task.scores.map(score),
      score(task.average),
      task.agents.map(plain).join(", "),
    ]),
    ["crew", ...crew.scores.map(score), score(crew.average), ""],
    ["seconds", ...seconds.runs.map((each) => each.toFixed(1)), seconds.average.toFixed(1), ""],
  ];
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, at) => padded(cell, widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const score = (value: number | null): string => (value === null ? "none" : value.toFixed(1));
