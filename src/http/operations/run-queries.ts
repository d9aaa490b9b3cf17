// The queries of `GET /runs` and `GET /waits`.
import * as z from "zod";
import { cursor, dayOrTime, flag, limit, namesIn, runId, tag } from "../../parts/schemas.ts";
import { RUN_STATUSES } from "../../runtime/run.ts";
import { TAG_PATTERN } from "../../runtime/tags.ts";

const WAIT_KINDS = ["human", "input"] as const;
const MAX_TAGS = 3;
const MAX_QUESTION_LENGTH = 200;

const ONE_TAG = TAG_PATTERN.source.slice(1, -1);

const tags = z
  .union([
    z.string().meta({ pattern: `^${ONE_TAG}(,${ONE_TAG}){0,${MAX_TAGS - 1}}$` }),
    z.array(z.string().meta({ pattern: TAG_PATTERN.source })).meta({ maxItems: MAX_TAGS }),
  ])
  .transform((value) => [value].flat().flatMap((each) => each.split(",")))
  .pipe(z.array(tag).max(MAX_TAGS))
  .optional()
  .describe("Only runs with this tag; up to 3, of which a run must have all.");

export const listRunsQuery = (kinds: readonly string[]) =>
  z
    .strictObject({
      kind: namesIn(kinds)
        .optional()
        .describe(`Of these kinds, with commas between them: ${kinds.join(", ")}.`),
      parent: runId.optional().describe("Only the child runs of this run."),
      name: z.string().min(1).optional(),
      status: namesIn(RUN_STATUSES)
        .optional()
        .describe(`With these statuses, with commas between them: ${RUN_STATUSES.join(", ")}.`),
      definitionVersion: z.string().min(1).optional(),
      held: flag.optional().describe("1 lists only held runs."),
      from: dayOrTime.optional().describe("Created at this time or later."),
      to: dayOrTime.optional().describe("Created before this time."),
      q: z
        .string()
        .max(MAX_QUESTION_LENGTH)
        .optional()
        .describe(
          'Words of the id, name, tags, inputs, output or error, all of which must be there: `word`, `"a phrase"`, `begin*`; or how the id begins. Needs a part that keeps the words of runs.',
        ),
      tag: tags,
      trigger: z
        .string()
        .min(1)
        .optional()
        .describe(
          "What started the run: `api` for callers, or what runs say of themselves, such as `hook:orders`; `hook` for all of that kind.",
        ),
      origin: runId.optional().describe("Only forks and replays of this run."),
      error: z.string().min(1).optional().describe("Only runs that failed with this code."),
      waiting: z
        .literal("person")
        .optional()
        .describe("Only runs with an open wait that somebody outside can end."),
      top: flag.optional().describe("1 leaves out child runs."),
      minCostUsd: z.coerce.number().min(0).optional(),
      minDurationMs: z.coerce
        .number()
        .min(0)
        .optional()
        .describe("Only runs that have ended and took so long."),
      count: flag
        .optional()
        .describe("1 adds how many runs fit, of the newest 10,000, and what these consumed."),
      cursor: cursor.optional(),
      limit,
    })
    .superRefine(({ from, to }, context) => {
      if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return;
      context.addIssue({ code: "custom", path: ["from"], message: `expected a time before ${to}` });
    });

export const listWaitsQuery = (kinds: readonly string[]) =>
  z.strictObject({
    name: z.string().min(1).optional().describe("Only waits of runs of this name."),
    kind: z
      .enum([...WAIT_KINDS, ...kinds])
      .optional()
      .describe("The kind of the wait, or of its run."),
    run: runId.optional().describe("Only waits of this run."),
    tag: tag.optional().describe("Only waits of runs with this tag."),
    q: z
      .string()
      .max(MAX_QUESTION_LENGTH)
      .optional()
      .describe("Words of the prompt, all of which must be there."),
    order: z
      .literal("expires")
      .optional()
      .describe("Those that end by themselves first, the soonest first."),
    cursor: cursor.optional(),
    limit,
  });
