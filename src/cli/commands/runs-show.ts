import type { JsonValue } from "../../base/json.ts";
import type { Run } from "../../client/index.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { outputText } from "../follow-run.ts";
import type { Output } from "../output.ts";
import { plain } from "../output.ts";
import { duration } from "../times.ts";

/** `edgecrew runs show`: a run and what came of it. */
export const runsShow = command({
  name: "runs show",
  about: "show a run: tasks, waits, error, usage",
  args: "<id>",
  example: "edgecrew runs show 6dcb20",
  options: {
    journal: { about: "its steps" },
    output: { about: "its output alone" },
  },
  run: async ({ client, out }, { args: [text = ""], options }) => {
    const edgecrew = await client();
    const id = await findRun(edgecrew, text);
    const run = await edgecrew.runs.get(id);
    const { output = null } = run;
    if (options.output) {
      out.result(output, () => outputText(output));
      return;
    }
    const journal = options.journal
      ? await edgecrew.runs.handle(id).journal({ limit: 200 })
      : undefined;
    const value = { ...run, ...(journal && { journal: journal.items }) } as unknown as JsonValue;
    const steps =
      journal?.items.map((step) => `  ${step.state.padEnd(8)} ${plain(step.key)}`) ?? [];
    out.result(value, () => [...linesOf(run, out), ...steps].join("\n"));
  },
});

function linesOf(run: Run, out: Output): readonly string[] {
  const { id, kind, name, status, usage, waits, error, held, output, tasks = [] } = run;
  const took = duration(run.startedAt, run.finishedAt);
  return [
    `${out.style("bold", `${kind} ${name}`)}  ${status}${took === "" ? "" : `  ${took}`}`,
    `id      ${id}`,
    `usage   ${usage.requests} requests, ${usage.totalTokens} tokens, $${usage.costUsd.toFixed(4)}`,
    ...tasks.map((task) => `task    ${task.status.padEnd(9)} ${plain(task.name)}`),
    ...waits.map((wait) => `waits   ${wait.key}: ${plain(wait.prompt ?? wait.kind)}`),
    ...(held === undefined ? [] : [`held    ${plain(held.message)}`]),
    ...(error === undefined ? [] : [`error   ${error.code}: ${plain(error.message)}`]),
    ...(output === undefined ? [] : ["", outputText(output)]),
  ];
}
