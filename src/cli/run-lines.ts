import type { Run } from "../client/index.ts";
import { outputText } from "./follow-run.ts";
import { plain, type Output } from "./output.ts";
import { duration } from "./times.ts";

/** Describes a run for a person. */
export function runLines(run: Run, out: Output): readonly string[] {
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
