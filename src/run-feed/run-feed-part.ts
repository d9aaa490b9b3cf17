// `GET /changes`, and the search words of runs for `GET /runs?q=`.
import * as z from "zod";
import { operation, type Operation } from "../parts/operation.ts";
import type { Part, PartEnv, PartHost } from "../parts/part.ts";
import { preferredWait } from "../parts/prefer.ts";
import { namesIn } from "../parts/schemas.ts";
import { RUN_STATUSES } from "../runtime/run.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { changeStream } from "./change-stream.ts";
import { beginAt, look, Pauses, type Found, type Looking } from "./look-for-changes.ts";
import type { RunChanges } from "./run-changes.ts";
import { shape } from "../parts/shape.ts";

const MAX_WAIT_SECONDS = 20;
const MAX_QUERY_LENGTH = 1_000;

/** Event id of the stream; empty for no id, as in browsers. */
const PLACE = /^\d{0,15}$/;

const changesQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("Place of the caller's last change. Default: the present one."),
  kind: z
    .string()
    .min(1)
    .max(MAX_QUERY_LENGTH)
    .optional()
    .describe("Only runs of these kinds, separated by commas."),
  name: z.string().min(1).max(MAX_QUERY_LENGTH).optional(),
  status: namesIn(RUN_STATUSES)
    .optional()
    .describe(
      "Only runs with these statuses, separated by commas. A changed run with another status is reported as gone.",
    ),
  top: z
    .enum(["0", "1", "false", "true"])
    .transform((text) => text === "1" || text === "true")
    .optional()
    .describe("1 leaves out child runs."),
});

export const runChangesShape = shape("RunChanges", () =>
  z.strictObject({
    items: z
      .array(z.looseObject({ id: z.string(), change: z.number() }))
      .describe("Each a RunSummary with its `change`, or `{ id, change, gone: true }`"),
    next: z.number().describe("The `after` of the next request"),
    more: z.boolean().describe("True if more changes are ready"),
    reset: z
      .literal(true)
      .optional()
      .describe("Changes since `after` are no longer available: fetch the list again"),
  }),
);

export function runFeedPart(changesOf: (env: PartEnv) => RunChanges): Part {
  return {
    name: "run-feed",
    docs: "run-feed.md",
    migrations: ["0026_run_texts.sql"],
    runs: { withText: true, withChanges: true },
    bind: (host) => ({ operations: [changesOperation(host, changesOf(host.env))] }),
  };
}

function changesOperation({ clock }: PartHost, changes: RunChanges): Operation {
  return operation({
    id: "listChanges",
    group: "Runs",
    method: "get",
    path: "/changes",
    scope: "read",
    summary: "Follow all runs",
    description:
      "With `Accept: text/event-stream`, a stream: first `position`, then `run` and `gone` for each change, with its place as `id`; `reset` if changes since then are no longer available. Otherwise JSON; `Prefer: wait=N` delays the answer until a change, at most 20 seconds.",
    headers: [
      { name: "Last-Event-ID", schema: { type: "string", pattern: PLACE.source } },
      "Prefer",
    ],
    query: changesQuery,
    answers: {
      200: {
        description: "Changes since then",
        shape: runChangesShape,
        types: ["text/event-stream"],
        headers: ["Preference-Applied"],
      },
    },
    problems: [400],
    handle: async ({ tenant, query, raw }) => {
      const { kind, status, name, top } = query;
      const wanted = { kinds: kind?.split(","), statuses: status, name, top };
      const looking: Looking = { changes, tenant, wanted, clock };
      const after = placeIn(raw.headers.get("last-event-id")) ?? query.after;
      if (raw.headers.get("accept")?.includes("text/event-stream") === true)
        return changeStream(looking, { after, signal: raw.signal });
      const waitSeconds = preferredWait(raw.headers.get("prefer"));
      const seconds = Math.min(waitSeconds ?? 0, MAX_WAIT_SECONDS);
      const json = await nextChanges(looking, { after, seconds, signal: raw.signal });
      const applied = waitSeconds === undefined ? {} : { "preference-applied": `wait=${seconds}` };
      return { status: 200, json, headers: { "cache-control": "no-store", ...applied } };
    },
  });
}

async function nextChanges(
  looking: Looking,
  {
    after,
    seconds,
    signal,
  }: { readonly after: number | undefined; readonly seconds: number; readonly signal: AbortSignal },
): Promise<Found & { readonly reset?: true }> {
  const { clock } = looking;
  const untilMs = clock.now() + seconds * 1000;
  const begin = await beginAt(looking, after);
  if (begin.isReset) return { items: [], next: begin.place, more: false, reset: true };
  const pauses = new Pauses(clock);
  for (let { place } = begin; ;) {
    const found = await look(looking, place);
    if (found.items.length > 0 || found.more || clock.now() >= untilMs) return found;
    place = found.next;
    await pauses.wait(untilMs, signal);
  }
}

/** Fails with `invalid_input` unless the header is a place. */
function placeIn(lastEventId: string | null): number | undefined {
  if (lastEventId === null || lastEventId === "") return undefined;
  if (PLACE.test(lastEventId)) return Number(lastEventId);
  throw invalidInput("the headers do not fit", [
    { path: "/Last-Event-ID", message: "expected the id of an event of this stream" },
  ]);
}
