// `GET /stats` and `GET /usage`: numbers of runs, and their consumption.
//
//   USG1. A query with more than 2,000 rows in its answer or more than 400 days is refused, with advice.
import * as z from "zod";
import { isoTime, type Clock } from "../base/clock.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { preview } from "../base/json.ts";
import { operation, type Operation } from "../parts/operation.ts";
import type { IndexStatement, Part, PartEnv } from "../parts/part.ts";
import { dayOrTime } from "../parts/schemas.ts";
import { time } from "../parts/shapes.ts";
import type { RunIndexRow } from "../runtime/run.ts";
import { STATS_GROUPS, USAGE_GROUPS, type UsageSums } from "./usage-sums.ts";
import { shape } from "../parts/shape.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 400;
const MAX_ROWS = 2_000;

const period = {
  from: dayOrTime
    .optional()
    .describe("From this time on. By default, 24 hours ago, or 30 days ago where `by` is longer."),
  to: dayOrTime.optional().describe("Before this time. By default, now."),
  kind: z.string().min(1).optional().describe("Only runs of this kind"),
  name: z.string().min(1).optional().describe("Only runs of this name"),
};

const statsQuery = z.strictObject({
  ...period,
  by: z.enum(["hour", "day"]).default("hour"),
  group: z.enum(STATS_GROUPS).default("name"),
});
const usageQuery = z.strictObject({
  ...period,
  by: z.enum(["day", "month"]).default("day"),
  group: z.enum(USAGE_GROUPS).default("name"),
});

const sum = () => ({
  at: time(),
  group: z.string(),
  kind: z.string().optional().describe("Kind of the group, if it is a name."),
});

export const runSumsShape = shape("RunSums", () =>
  z.strictObject({
    items: z.array(
      z.strictObject({
        ...sum(),
        started: z.number(),
        completed: z.number(),
        failed: z.number(),
        cancelled: z.number(),
        runMs: z.number(),
      }),
    ),
  }),
);

export const usageSumsShape = shape("UsageSums", () =>
  z.strictObject({
    items: z.array(
      z.strictObject({
        ...sum(),
        requests: z.number(),
        promptTokens: z.number(),
        completionTokens: z.number(),
        totalTokens: z.number(),
        costUsd: z.number().describe("Without models of unknown price"),
      }),
    ),
  }),
);

/** Ports implemented for Cloudflare. */
export type UsagePorts = {
  readonly sums: (env: PartEnv) => UsageSums;
  readonly entering: (row: RunIndexRow) => readonly IndexStatement[];
};

export function usagePart({ sums, entering }: UsagePorts): Part {
  return {
    name: "usage",
    docs: "usage.md",
    migrations: ["0022_usage.sql"],
    runs: { entering, withSums: true },
    bind: ({ env, clock }) => ({ operations: operations(sums(env), clock) }),
  };
}

function operations(sums: UsageSums, clock: Clock): readonly Operation[] {
  const shared = { group: "Usage", method: "get", scope: "read", problems: [400] } as const;
  return [
    operation({
      ...shared,
      id: "getStats",
      path: "/stats",
      summary: "Count runs by hour or day",
      description: "Counts runs since the part `usage()` was added to the app.",
      query: statsQuery,
      answers: { 200: { description: "Number of started and ended runs", shape: runSumsShape } },
      handle: async ({ tenant, query: { from, to, by, ...which } }) => {
        const times = periodOf({ from, to }, clock.now(), by === "hour" ? 1 : 30);
        const query = { tenant, ...times, by, ...which, limit: MAX_ROWS + 1 };
        return { status: 200, json: { items: checked(await sums.runs(query)) } };
      },
    }),
    operation({
      ...shared,
      id: "getUsage",
      path: "/usage",
      summary: "Sum up tokens and cost by day or month",
      description:
        "Usage of child runs counts for their parents. Active runs count at each wait and at their end.",
      query: usageQuery,
      answers: { 200: { description: "Usage by model", shape: usageSumsShape } },
      handle: async ({ tenant, query: { from, to, by, ...which } }) => {
        const times = periodOf({ from, to }, clock.now(), by === "day" ? 30 : MAX_DAYS);
        const query = { tenant, ...times, by, ...which, limit: MAX_ROWS + 1 };
        return { status: 200, json: { items: checked(await sums.usage(query)) } };
      },
    }),
  ];
}

function periodOf(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  nowMs: number,
  days: number,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = to === undefined ? nowMs + 1 : Date.parse(to);
  const fromMs = from === undefined ? toMs - days * DAY_MS : Date.parse(from);
  if (fromMs >= toMs)
    throw refusal("/from", `expected a time before ${isoTime(toMs)}, got ${preview(from ?? "")}`);
  if (toMs - fromMs > MAX_DAYS * DAY_MS + 1)
    throw refusal(
      "/from",
      `expected at most ${MAX_DAYS} days, got ${Math.ceil((toMs - fromMs) / DAY_MS)}`,
    );
  return { fromMs, toMs };
}

function checked<Row>(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MAX_ROWS) return rows;
  throw refusal(
    "/by",
    `there are more than ${MAX_ROWS} rows: choose a longer step, a coarser group, or a shorter time`,
  );
}

function refusal(path: string, message: string): Error {
  return invalidInput("the query does not fit", [{ path, message }]);
}
