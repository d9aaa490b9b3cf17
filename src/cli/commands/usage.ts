import type { JsonValue } from "../../base/json.ts";
import { CliFailure, wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { platformCosts, PRICES_OF } from "../platform-costs.ts";
import { EngineError } from "../../base/error.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 400;
const GROUPS = ["day", "crew", "model"] as const;

type Line = {
  readonly name: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
};

/** `edgecrew usage`: prints the consumption of runs. */
export const usage = command({
  name: "usage",
  about: "tokens and cost by day, crew or model",
  example: "edgecrew usage --days 7 --by model",
  options: {
    days: { about: "number of days, today included: default 30", value: "n" },
    by: { about: "day, crew or model: default day", value: "what" },
    csv: { about: "lines of comma-separated values" },
    platform: { about: "estimate of Cloudflare's charges for these runs" },
  },
  run: async (context, { options }) => {
    const { by = "day", csv, platform } = options;
    if (!GROUPS.some((group) => group === by))
      throw wrongUse(`--by: expected day, crew or model, got ${JSON.stringify(by)}`);
    if (csv && context.global.json) throw wrongUse("--csv and --json: one of them");
    const days = daysOf(options.days);
    const today = Math.floor(context.clock.now() / DAY_MS) * DAY_MS;
    const from = new Date(today - (days - 1) * DAY_MS).toISOString();
    if (platform) return showPlatform(context, { from, days, csv });
    const { usage: api } = await context.client();
    const group = by === "model" ? "model" : "name";
    const { items } = await asked(api.models({ from, by: "day", group }));
    const lines = sums(
      items.map((item) => ({
        ...item,
        name: by === "day" ? item.at.slice(0, 10) : item.group,
      })),
    );
    show(context, { rows: lines, csv, none: `No usage in ${days} days.` }, [
      { title: by.toUpperCase(), of: ({ name }) => name },
      { title: "CALLS", of: ({ requests }) => String(requests) },
      { title: "TOKENS IN", of: ({ promptTokens }) => String(promptTokens) },
      { title: "TOKENS OUT", of: ({ completionTokens }) => String(completionTokens) },
      { title: "COST USD", of: ({ costUsd }) => costUsd.toFixed(4) },
    ]);
    if (lines.some(({ costUsd, requests }) => costUsd === 0 && requests > 0))
      context.out.note("Models of unknown price count as 0.");
    return undefined;
  },
});

async function showPlatform(
  context: CliContext,
  { from, days, csv }: { readonly from: string; readonly days: number; readonly csv: boolean },
): Promise<undefined> {
  const { usage: api } = await context.client();
  const [runs, models] = await Promise.all([
    asked(api.runs({ from, by: "day", group: "kind" })),
    asked(api.models({ from, by: "day", group: "kind" })),
  ]);
  const counts = {
    runs: runs.items.reduce((sum, { started }) => sum + started, 0),
    modelCalls: models.items.reduce((sum, { requests }) => sum + requests, 0),
    runMs: runs.items.reduce((sum, { runMs }) => sum + runMs, 0),
  };
  const costs = platformCosts(counts);
  const total = costs.reduce((sum, { costUsd }) => sum + costUsd, 0);
  show(context, { rows: costs, csv, none: "There were no runs." }, [
    { title: "WHAT", of: ({ thing }) => thing },
    { title: "COUNT", of: ({ count }) => String(count) },
    { title: "COST USD", of: ({ costUsd }) => costUsd.toFixed(4) },
  ]);
  context.out.note(
    `${counts.runs} runs in ${days} days: at most about $${total.toFixed(4)}. This is an estimate with the prices of ${PRICES_OF}, ` +
      "without the free amounts of Workers Paid ($5 a month); the time of runs includes their waits, which are free.",
  );
  return undefined;
}

function show<Row extends object>(
  { out }: CliContext,
  {
    rows,
    csv,
    none,
  }: { readonly rows: readonly Row[]; readonly csv: boolean; readonly none: string },
  columns: ReadonlyArray<{ readonly title: string; readonly of: (row: Row) => string }>,
): void {
  const value = { items: rows } as unknown as JsonValue;
  if (!csv) return out.table({ rows, value, none }, columns);
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ of }) => of(row))),
  ];
  out.result(value, () => lines.map((line) => line.map(csvCell).join(",")).join("\n"));
}

/** Marks a cell as text if a spreadsheet would treat it as a formula. */
function csvCell(text: string): string {
  const plain = /^[=+@-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function sums(items: readonly Line[]): readonly Line[] {
  const byName = new Map<string, Line>();
  for (const { name, ...item } of items) {
    const known = byName.get(name);
    byName.set(name, {
      name,
      requests: item.requests + (known?.requests ?? 0),
      promptTokens: item.promptTokens + (known?.promptTokens ?? 0),
      completionTokens: item.completionTokens + (known?.completionTokens ?? 0),
      costUsd: item.costUsd + (known?.costUsd ?? 0),
    });
  }
  return [...byName.values()];
}

function daysOf(text = "30"): number {
  const days = Number(text);
  if (/^\d{1,3}$/.test(text) && days >= 1 && days <= MAX_DAYS) return days;
  throw wrongUse(`--days: expected an integer from 1 to ${MAX_DAYS}, got ${JSON.stringify(text)}`);
}

async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw new CliFailure(1, "this Worker records no usage", {
      fix: 'parts: [usage()] in defineApp, with import { usage } from "edgecrew/usage"',
    });
  }
}
