import type { JsonValue } from "../../base/json.ts";
import type { EdgecrewClient, Step } from "../../client/index.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { allSteps } from "../all-steps.ts";
import { outputText } from "../follow-run.ts";
import { counted } from "../counted.ts";
import { plain, type Output } from "../output.ts";
import { lineDiff } from "../line-diff.ts";

type Change = "added" | "removed" | "changed" | "unknown";

type Row = {
  readonly key: string;
  readonly kind: string;
  readonly change: Change;
  readonly from?: JsonValue;
  readonly to?: JsonValue;
};

/** `edgecrew runs diff`: compares two runs. */
export const runsDiff = command({
  name: "runs diff",
  serves: true,
  about: "compare the steps of two runs, and their tasks' results",
  args: "<a> <b>",
  example: "edgecrew runs diff 6dcb20 81c4ee",
  options: { all: { about: "steps of every kind as text, not only tasks and methods" } },
  run: async ({ client, out }, { args: [first = "", second = ""], options }) => {
    const edgecrew = await client();
    const ids = [await findRun(edgecrew, first), await findRun(edgecrew, second)] as const;
    const [a, b] = await Promise.all(ids.map((id) => stepsByKey(edgecrew, id)));
    const rows = rowsOf(a ?? new Map(), b ?? new Map());
    const same = (a?.size ?? 0) - rows.filter(({ change }) => change !== "added").length;
    const value = { from: ids[0], to: ids[1], same, steps: rows };
    out.result(value, () =>
      [
        ...rows.flatMap((row) => linesOf(row, out, options.all)),
        `${counted(same, "step")} the same, ${rows.length} not`,
      ].join("\n"),
    );
  },
});

async function stepsByKey(client: EdgecrewClient, id: string): Promise<ReadonlyMap<string, Step>> {
  const steps = await allSteps(client.runs.handle(id), { values: true });
  return new Map(steps.map((step) => [step.key, step]));
}

function rowsOf(a: ReadonlyMap<string, Step>, b: ReadonlyMap<string, Step>): readonly Row[] {
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((key): Row[] => {
    const [from, to] = [a.get(key), b.get(key)];
    const change = changeOf(from, to);
    if (change === undefined) return [];
    return [
      {
        key,
        kind: (to ?? from)?.kind ?? "",
        change,
        ...(from?.value === undefined ? undefined : { from: from.value }),
        ...(to?.value === undefined ? undefined : { to: to.value }),
      },
    ];
  });
}

function changeOf(from: Step | undefined, to: Step | undefined): Change | undefined {
  if (from === undefined) return "added";
  if (to === undefined) return "removed";
  if (from.state !== to.state || from.error?.message !== to.error?.message) return "changed";
  if (from.omitted !== undefined || to.omitted !== undefined)
    return from.bytes === to.bytes ? "unknown" : "changed"; // the server does not send long results
  return JSON.stringify(from.value) === JSON.stringify(to.value) ? undefined : "changed";
}

const SIGNS: Readonly<Record<Change, string>> = {
  added: "+",
  removed: "-",
  changed: "~",
  unknown: "?",
};

function linesOf(
  { key, kind, change, from, to }: Row,
  out: Output,
  all: boolean,
): readonly string[] {
  const note = change === "unknown" ? "  (too long to compare)" : "";
  const head = out.style("bold", `${SIGNS[change]} ${plain(key)}${note}`);
  const isShown = change === "changed" && (all || kind === "task" || kind === "method");
  if (!isShown || from === undefined || to === undefined) return [head];
  const lines = lineDiff(outputText(from), outputText(to)).map(({ sign, text }) => {
    const line = `    ${sign} ${plain(text)}`;
    return sign === "+" ? out.style("green", line) : sign === "-" ? out.style("red", line) : line;
  });
  return [head, ...lines];
}
