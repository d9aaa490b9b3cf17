import type { JsonValue } from "../../base/json.ts";
import { mapAtMost } from "../../base/concurrency.ts";
import type { ModelCallView } from "../../client/index.ts";
import { allSteps } from "../all-steps.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { outputText } from "../follow-run.ts";
import type { Output } from "../output.ts";
import { plain } from "../output.ts";
import { runLines } from "../run-lines.ts";
import { duration } from "../times.ts";

/** `edgecrew runs show`: prints a run and its result. */
export const runsShow = command({
  name: "runs show",
  serves: true,
  about: "show a run: tasks, waits, error, usage",
  args: "<id>",
  example: "edgecrew runs show 6dcb20",
  options: {
    journal: { about: "its steps" },
    calls: { about: "its model calls, with their answers" },
    output: { about: "its output alone" },
  },
  run: async ({ client, out }, { args: [text = ""], options }) => {
    const edgecrew = await client();
    const id = await findRun(edgecrew, text);
    const run = await edgecrew.runs.get(id);
    const { output = null } = run;
    if (options.output) {
      out.result(output, () => outputText(output));
      return 0;
    }
    const handle = edgecrew.runs.handle(id);
    const journal = options.journal || options.calls ? await allSteps(handle) : [];
    const asked = journal.filter(({ kind }) => kind === "model");
    const calls = options.calls
      ? await mapAtMost(asked, 5, ({ key }) => handle.modelCall(key))
      : undefined;
    const value = {
      ...run,
      ...(options.journal && { journal }),
      ...(calls && { calls }),
    } as unknown as JsonValue;
    const steps = options.journal ? journal : [];
    out.result(value, () =>
      [
        ...runLines(run, out),
        ...steps.map((step) => `  ${step.state.padEnd(8)} ${plain(step.key)}`),
        ...(calls ?? []).flatMap((call) => callLines(call, out)),
      ].join("\n"),
    );
    return 0;
  },
});

function callLines(call: ModelCallView, out: Output): readonly string[] {
  const { key, model, state, usage, response, error, request } = call;
  const took = duration(call.startedAt, call.endedAt);
  const tokens = usage === undefined ? "" : `${usage.totalTokens} tokens`;
  const sent = `${request.messages.length} messages`;
  const head = [out.style("bold", plain(key)), model, state, took, tokens, sent];
  const { text = "", toolCalls = [] } = response ?? {};
  return [
    "",
    head.filter((part) => part !== "").join("  "),
    ...(text === "" ? [] : text.split("\n").map((line) => `  ${plain(line)}`)),
    ...toolCalls.map((each) => `  → ${plain(each.name)} ${plain(JSON.stringify(each.arguments))}`),
    ...(error === undefined ? [] : [`  ✗ ${plain(error.message)}`]),
  ];
}
