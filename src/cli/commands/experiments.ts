import { resolve } from "node:path";
import { isoTime } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { EdgecrewClient } from "../../client/index.ts";
import { compareWithBaseline, type Comparison } from "../../wire/experiment-cases.ts";
import { writeWhole } from "../backup/manifest.ts";
import { wrongUse } from "../cli-failure.ts";
import { command } from "../command.ts";
import { counted } from "../counted.ts";
import {
  EXPERIMENT_FORMAT,
  readBaseline,
  readCases,
  type ExperimentFile,
  type JudgedCase,
  type WrittenCase,
} from "../experiment-files.ts";
import { plain } from "../output.ts";
import { subjectOf } from "../startable.ts";

/** `edgecrew experiments`: repeats cases, scores them, and compares the scores with earlier ones. */
export const experiments = command({
  name: "experiments",
  about: "score a crew's work on cases, and compare with an earlier time",
  args: "<cases> [crew]",
  example: "edgecrew experiments cases.yaml briefing --baseline last.json --tolerance 0.5",
  options: {
    baseline: { about: "the result of an earlier time; 1 if a case is worse now", value: "file" },
    tolerance: { about: "allowed difference of a score in points: default 0", value: "points" },
    out: { about: "write the result there, as a baseline for the next time", value: "file" },
    iterations: {
      about: "runs per case: default 1",
      value: "n",
      short: "n",
      integer: { least: 1, most: 100 },
    },
    model: { about: "model that scores: default the Worker's", value: "model", short: "m" },
  },
  run: async (context, { args: [path = "", named], options }) => {
    const { cwd, out, clock, signal } = context;
    const tolerance = toleranceOf(options.tolerance);
    const cases = readCases(path, cwd);
    const baseline =
      options.baseline === undefined ? undefined : readBaseline(options.baseline, cwd);
    const client = await context.client();
    const { name: crew } = await subjectOf(context, client, {
      named: named ?? baseline?.crew,
      kinds: ["crew"],
      verb: "test",
    });
    const { iterations = 1, model } = options;
    const judged: JudgedCase[] = [];
    for (const each of cases) {
      signal.throwIfAborted();
      out.note(`${judged.length + 1}/${cases.length} ${plain(each.id)}`);
      judged.push(await judge(client, each, { crew, iterations, model }));
    }
    const result: ExperimentFile = {
      format: EXPERIMENT_FORMAT,
      crew,
      at: isoTime(clock.now()),
      cases: judged,
    };
    if (options.out !== undefined)
      writeWhole(resolve(cwd, options.out), `${JSON.stringify(result, null, 2)}\n`);
    const comparison =
      baseline === undefined ? undefined : compareWithBaseline(result, baseline, { tolerance });
    const before = new Map(baseline?.cases.map(({ id, score }) => [id, score]));
    const value = { ...result, ...(comparison && { comparison }) } as unknown as JsonValue;
    out.table({ rows: judged, value, none: "There were no cases." }, [
      { title: "CASE", of: ({ id }) => plain(id) },
      { title: "SCORE", of: ({ score }) => points(score) },
      { title: "BEFORE", of: ({ id }) => (before.has(id) ? points(before.get(id) ?? null) : "") },
      { title: "RESULT", of: (each) => outcomeOf(each, comparison) },
      { title: "ERROR", of: ({ error = "" }) => plain(error) },
    ]);
    if (comparison === undefined) {
      const failed = judged.filter(({ passed }) => !passed).length;
      if (failed > 0) out.fault(`${counted(failed, "case")} of ${judged.length} did not pass`);
      return failed > 0 ? 1 : 0;
    }
    const { improved, regressed, missing } = comparison;
    if (missing.length > 0) out.note(`only in the baseline: ${missing.map(plain).join(", ")}`);
    out.note(`${improved.length} improved, ${regressed.length} regressed`);
    return regressed.length > 0 ? 1 : 0;
  },
});

async function judge(
  client: EdgecrewClient,
  each: WrittenCase,
  {
    crew,
    iterations,
    model,
  }: { readonly crew: string; readonly iterations: number; readonly model: string | undefined },
): Promise<JudgedCase> {
  const run = await client.crews.test(crew, {
    iterations,
    inputs: each.inputs,
    ...(model === undefined ? undefined : { evalModel: model }),
  });
  const { id: runId } = run;
  try {
    const score = averageOf(await run.output());
    const { expectedScore } = each;
    const passed = expectedScore === undefined || (score !== null && score >= expectedScore);
    return { ...each, score, passed, runId };
  } catch (error) {
    if (EngineError.is(error) && error.retryable) throw error; // the Worker, not the case
    return { ...each, score: null, passed: false, runId, error: errorMessage(error) };
  }
}

function averageOf(report: JsonValue): number | null {
  const crew = isJsonObject(report) ? report["crew"] : undefined;
  const average = isJsonObject(crew) ? crew["average"] : undefined;
  return typeof average === "number" ? average : null;
}

function outcomeOf({ id, passed }: JudgedCase, comparison: Comparison | undefined): string {
  const outcome = passed ? "passed" : "not passed";
  if (comparison === undefined) return outcome;
  const has = (list: readonly { readonly id: string }[]): boolean =>
    list.some((change) => change.id === id);
  if (has(comparison.improved)) return "improved";
  if (has(comparison.regressed)) return "regressed";
  return comparison.added.includes(id) ? `new, ${outcome}` : "unchanged";
}

const points = (score: number | null): string => (score === null ? "none" : score.toFixed(1));

function toleranceOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const tolerance = Number(text);
  if (text.trim() !== "" && tolerance >= 0 && tolerance <= 10) return tolerance;
  throw wrongUse(`--tolerance: expected a number from 0 to 10, got ${JSON.stringify(text)}`);
}
