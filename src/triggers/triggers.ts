// What starts runs by itself: schedules, webhooks, messages. A value; `defineApp({ triggers })` binds it to a Worker.
import * as z from "zod";
import type { Clock } from "../base/clock.ts";
import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { randomBytes } from "../base/system.ts";
import { toIssues } from "../base/zod-issues.ts";
import type { BatchDatabase } from "../cloudflare/d1.ts";
import { D1HookStore } from "../cloudflare/d1-hook-store.ts";
import { D1ScheduleStore } from "../cloudflare/d1-schedule-store.ts";
import type { ApiPart } from "../runtime/api-part.ts";
import type { HookDefinition } from "../runtime/hook-store.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { RunTarget } from "../runtime/run-target.ts";
import type { MissedPolicy, ScheduleDefinition } from "../runtime/schedule-store.ts";
import { syncSchedules } from "./code-schedules.ts";
import { cronIssues } from "./cron-times.ts";
import { receive } from "./hook-receiver.ts";
import { CODE_TENANT, hookIssues, Hooks, type CodeHook } from "./hooks.ts";
import { hookOperations, hookShapes } from "./hooks-api.ts";
import { missingPointers, payloadIssues } from "./payload.ts";
import { startMessages, type QueueTrigger, type TriggerMessage } from "./queue-starter.ts";
import { runDue } from "./schedule-runner.ts";
import { Schedules } from "./schedules.ts";
import { scheduleOperations, scheduleShapes } from "./schedules-api.ts";
import { hookFields, queueFields, scheduleFields, triggerName } from "./schemas.ts";
import { SecretBox } from "./secret-box.ts";
import { TargetStarter, type TargetSources } from "./target-starter.ts";

/** A cron schedule of the code. */
export type ScheduleTrigger = {
  /** Five fields: minute, hour, day, month, day of the week; or a nickname such as `@daily`. */
  readonly cron: string;
  /** IANA name. @default "UTC" */
  readonly timeZone?: string;
  readonly target: RunTarget;
  /** The runs' inputs; of an agent, `messages` is what it is asked. */
  readonly inputs?: JsonObject;
  /** What is done about slots that nobody was there to start. @default "latest" */
  readonly missed?: MissedPolicy;
  /** Whether a run is started while that of an earlier slot is not over. @default "allow" */
  readonly overlap?: "allow" | "skip";
};

/** A webhook of the code. */
export type HookTrigger = HookDefinition & {
  /** The name of the Worker's secret that is shared with the sender; two while it is being replaced. */
  readonly secretVariable: string | readonly [string, string];
};

export type TriggerOptions = {
  /** By id: `/schedules/:id`. */
  readonly schedules?: Readonly<Record<string, ScheduleTrigger>>;
  /** By name: `POST /hooks/:name`. */
  readonly hooks?: Readonly<Record<string, HookTrigger>>;
  /** By the name of a queue that the Worker consumes. */
  readonly queues?: Readonly<Record<string, QueueTrigger>>;
};

/** What triggers need of the Worker. */
export type TriggerHost = TargetSources & {
  readonly runs: RunDirectory;
  readonly database: BatchDatabase;
  /** The Worker's variables and secrets. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly maxBodyBytes: number;
  readonly report: (error: unknown) => void;
};

/** Triggers at work in a Worker. */
export type BoundTriggers = {
  readonly api: ApiPart;
  /** Starts the schedules that are due. */
  readonly due: () => Promise<number>;
  readonly queue: (name: string, messages: readonly TriggerMessage[]) => Promise<void>;
};

/** What `defineApp` takes as `triggers`. */
export type Triggers = {
  /** The queues whose messages are its own. */
  readonly queues: readonly string[];
  /** Throws `invalid_definition` for a target that the code does not have, or inputs that do not fit it. */
  readonly check: (registered: Omit<TargetSources, "definitions">) => void;
  readonly bind: (host: TriggerHost) => BoundTriggers;
};

/**
 * Has schedules, webhooks and messages start runs, those of the code given here and those stored over HTTP.
 * Throws `invalid_definition` that names each field.
 */
export function triggers(options: TriggerOptions = {}): Triggers {
  const schedules = checkedSchedules(options.schedules);
  const hooks = checkedHooks(options.hooks);
  const queues = checkedQueues(options.queues);
  return {
    queues: Object.keys(queues),
    check: (registered) => {
      for (const [id, { target, inputs }] of Object.entries(schedules)) {
        const where = `schedules.${id}`;
        const needed = checkTarget(where, target, registered);
        const asked = target.kind === "agent" ? ["messages", ...needed] : needed;
        refuse(where, missingInputs(asked, inputs));
        if (target.kind === "flow") checkKickoff(where, registered.flows?.[target.name], inputs);
      }
      const delivered = [
        ...Object.entries(hooks).map(
          ([name, { definition }]) => [`hooks.${name}`, definition] as const,
        ),
        ...Object.entries(queues).map(([name, trigger]) => [`queues.${name}`, trigger] as const),
      ];
      for (const [where, { target, inputs }] of delivered)
        refuse(where, missingPointers(checkTarget(where, target, registered), inputs));
    },
    bind: (host) => {
      const { runs, clock, randomId, report, maxBodyBytes } = host;
      const starter = new TargetStarter(runs, host);
      const store = new D1ScheduleStore(host.database);
      const all = new Hooks({
        store: new D1HookStore(host.database),
        box: new SecretBox(host.variables["EDGECREW_SECRETS_KEY"], randomBytes),
        starter,
        clock,
        ofCode: hooks,
        variable: (name) => host.variables[name],
        report,
      });
      return {
        api: {
          operations: [
            ...scheduleOperations(new Schedules({ store, starter, clock, randomId })),
            ...hookOperations(all, (request, hook) =>
              receive(request, hook, { starter, nowMs: clock.now(), maxBodyBytes }),
            ),
          ],
          shapes: { ...scheduleShapes, ...hookShapes, TriggeredRun: triggeredRunShape },
        },
        due: async () => {
          await syncSchedules(schedules, { store, tenant: CODE_TENANT, nowMs: clock.now() });
          return runDue({ store, starter, clock, report });
        },
        queue: async (name, messages) => {
          const trigger = queues[name];
          if (trigger === undefined) return;
          const queue = { name, trigger, tenant: CODE_TENANT };
          await startMessages(queue, messages, { starter, report });
        },
      };
    },
  };
}

const triggeredRunShape = z.strictObject({
  id: z.string(),
  status: z.string(),
  links: z.strictObject({ self: z.string() }),
});

const ANY_TIME = Date.UTC(2000, 0, 1);

function checkedSchedules(
  given: TriggerOptions["schedules"] = {},
): Readonly<Record<string, ScheduleDefinition>> {
  return mapEntries(given, (id, trigger) => {
    const where = `schedules.${id}`;
    checkName(where, id);
    const definition = parsed(where, scheduleFields, trigger);
    refuse(where, cronIssues({ ...definition, nowMs: ANY_TIME }));
    return definition;
  });
}

function checkedHooks(given: TriggerOptions["hooks"] = {}): Readonly<Record<string, CodeHook>> {
  return mapEntries(given, (name, { secretVariable, ...trigger }) => {
    const where = `hooks.${name}`;
    checkName(where, name);
    const definition = parsed(where, hookFields, trigger);
    const secretVariables = [secretVariable].flat();
    const fits = secretVariables.every((each) => typeof each === "string" && each !== "");
    refuse(where, [
      ...hookIssues(definition),
      ...(fits
        ? []
        : [{ path: "/secretVariable", message: "expected the name of a secret of the Worker" }]),
    ]);
    return { definition, secretVariables };
  });
}

function checkedQueues(
  given: TriggerOptions["queues"] = {},
): Readonly<Record<string, QueueTrigger>> {
  return mapEntries(given, (name, trigger) => {
    const where = `queues.${name}`;
    const definition = parsed(where, queueFields, trigger);
    refuse(where, payloadIssues(definition));
    return definition;
  });
}

/** The inputs that the target needs. Crews may be stored later; everything else has to be in the code. */
function checkTarget(
  where: string,
  { kind, name }: RunTarget,
  { crews, agents = {}, flows = {} }: Omit<TargetSources, "definitions">,
): readonly string[] {
  const all: Readonly<Record<string, unknown>> = { crew: crews, agent: agents, flow: flows }[kind];
  const known = Object.hasOwn(all, name);
  if (!known && kind !== "crew")
    refuse(where, [
      {
        path: "/target/name",
        message: `expected a ${kind} of defineApp (${Object.keys(all).join(", ") || "there is none"}), got "${name}"`,
      },
    ]);
  if (!known || kind === "flow") return [];
  return (kind === "crew" ? crews[name]?.requiredInputs : agents[name]?.placeholders) ?? [];
}

function missingInputs(needed: readonly string[], inputs: JsonObject): readonly Issue[] {
  return needed
    .filter((name) => !Object.hasOwn(inputs, name))
    .map((name) => ({ path: `/inputs/${name}`, message: "expected a value, got nothing" }));
}

function checkKickoff(
  where: string,
  flow: { checkKickoff(inputs: JsonObject): void } | undefined,
  inputs: JsonObject,
): void {
  try {
    flow?.checkKickoff(inputs);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    refuse(where, [{ path: "/inputs", message: error.message }]);
  }
}

function checkName(where: string, name: string): void {
  if (!triggerName.safeParse(name).success)
    refuse(where, [
      { path: "", message: 'expected a name of up to 40 letters, digits, "-" and "_"' },
    ]);
}

function parsed<Schema extends z.ZodType>(
  where: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  refuse(where, toIssues(result.error, given));
  throw result.error; // not reached: an error of zod has an issue
}

function refuse(where: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const told = issues.map(
    ({ path, message }) => `triggers.${where}${path.replaceAll("/", ".")}: ${message}`,
  );
  throw new EngineError("invalid_definition", told.join("; "), { issues });
}

function mapEntries<From, To>(
  object: Readonly<Record<string, From>>,
  change: (name: string, value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(name, value)]),
  );
}
