// The agent protocol of Code Buddy in a Worker: `/api/a2a` and `/api/acp`.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { mapAtMost } from "../../base/concurrency.ts";
import type { Part, PartEnv, PartHost } from "../../parts/part.ts";
import { a2aRoutes } from "./a2a-routes.ts";
import { contextRoutes } from "./context-routes.ts";
import type { CallerCounts } from "../caller-limits.ts";
import { checkExpose } from "../exposure.ts";
import { PROTOCOL_MIGRATIONS } from "../protocol-runs.ts";
import { Exposed } from "./exposed.ts";
import { acpSettings, boundSettings, toolsOf, type AcpOptions } from "./options.ts";
import { delegationProgram, DELEGATION_KIND, remoteProgram } from "./programs.ts";
import { isRoute, passwordOf, routeProblems } from "./routes.ts";
import { REMOTE_KIND } from "./run-codec.ts";
import { sessionRoutes } from "./session-routes.ts";
import { delegationSchemas, remoteSchemas, acpErrorShape } from "./shapes.ts";
import type { AcpStore } from "./store.ts";
import { TaskDesk } from "./tasks.ts";
import { transportRoutes } from "./transport-routes.ts";

/** Number of tasks processed by one tick, and of them at once. */
const CLAIM_SIZE = 60;
const TASKS_AT_ONCE = 5;
/** Time until processed tasks are due again, in milliseconds. */
const AGAIN_MS = 60_000;
const PRUNE_SIZE = 500;
const COUNTS_KEPT_MS = 2 * 86_400_000;

const OPTIONS = definitionOptions<AcpOptions>("acp()", {
  expose: true,
  limits: true,
  tools: true,
  ingest: true,
  contextTtlMs: true,
  waitMs: true,
  retentionMs: true,
  name: true,
  version: true,
  description: true,
  remoteKeys: true,
  fetch: true,
  admit: true,
  compat: true,
});

/** Creates the part. Fails with `invalid_definition` for invalid options. */
export function acpPart(
  options: AcpOptions,
  stores: {
    readonly tasks: (env: PartEnv) => AcpStore;
    readonly counts: (env: PartEnv) => CallerCounts;
  },
): Part {
  refuseUnknownOptions(options, OPTIONS);
  const unbound = acpSettings(options);
  const { expose, remoteKeys, fetch } = unbound;
  return {
    name: "acp",
    docs: "acp.md",
    migrations: [...PROTOCOL_MIGRATIONS, "0016_acp.sql"],
    services: { acpOutbound: ({ outbound }) => outbound },
    kinds: {
      [DELEGATION_KIND]: {
        schemas: delegationSchemas,
        program: ({ tenant }) =>
          delegationProgram(async () => (await toolsOf(unbound, tenant)) ?? []),
      },
      [REMOTE_KIND]: {
        schemas: remoteSchemas,
        program: () => remoteProgram({ tokens: remoteKeys, fetch }),
      },
    },
    check: (parts) => checkExpose(expose, parts),
    bind: (host) => {
      const settings = boundSettings(unbound, options, {
        counts: stores.counts(host.env),
        clock: host.clock,
      });
      const desk = new TaskDesk(host, stores.tasks(host.env), new Exposed(expose, host));
      return {
        operations: [
          ...a2aRoutes(host, settings, desk),
          ...contextRoutes(host, settings, desk),
          ...transportRoutes(host, settings, desk),
          ...sessionRoutes(host, settings, desk),
        ],
        problems: {
          matches: isRoute,
          form: () => ({ shape: acpErrorShape, headers: ["X-Request-ID"] }),
          answer: routeProblems(host),
        },
        passwordOf,
        due: async () => {
          await lookAfter(host, desk, settings.retentionMs);
          await stores.counts(host.env).prune(host.clock.now() - COUNTS_KEPT_MS);
        },
      };
    },
  };
}

/** Performs pending work of runs, continues sessions, and deletes old rows. */
async function lookAfter(
  { clock, report }: PartHost,
  desk: TaskDesk,
  retentionMs: number,
): Promise<void> {
  const nowMs = clock.now();
  const { tasks, contexts } = desk.store;
  const due = await tasks.claim({ nowMs, untilMs: nowMs + AGAIN_MS, limit: CLAIM_SIZE });
  // A failing task must not block the others.
  await mapAtMost(due, TASKS_AT_ONCE, (task) => desk.look(task).catch(report));
  await tasks.prune(nowMs - retentionMs, PRUNE_SIZE);
  await contexts.prune(nowMs);
}
