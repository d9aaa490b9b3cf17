// Starts runs from schedules, webhooks and queue messages.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import type { QuotaGate } from "../parts/quota-gate.ts";
import type * as z from "zod";
import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { randomBytes } from "../base/system.ts";
import { toIssues } from "../base/zod-issues.ts";
import type { BoundPart, Part, PartEnv, PartHost, Subject } from "../parts/part.ts";
import { subjectsOf } from "../parts/subjects.ts";
import type { WebhookDefinition, WebhookStore } from "./webhook-store.ts";
import type { RunTarget } from "./run-target.ts";
import type { MissedPolicy, ScheduleDefinition, ScheduleStore } from "./schedule-store.ts";
import { syncSchedules } from "./code-schedules.ts";
import { cronIssues } from "../base/cron-times.ts";
import { Deliveries } from "./deliveries.ts";
import { deliveryOperations } from "./delivery-operations.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { CODE_TENANT, webhookIssues, Webhooks, type CodeWebhook } from "./webhooks.ts";
import { webhookOperations } from "./webhook-operations.ts";
import type { TriggerFields } from "./trigger-fields.ts";
import { missingPointers, payloadIssues } from "./payload.ts";
import { startMessages, type QueueTrigger } from "./queue-starter.ts";
import { runDue } from "./schedule-runner.ts";
import { Schedules } from "./schedules.ts";
import { scheduleOperations } from "./schedule-operations.ts";
import { webhookFields, queueFields, scheduleFields, triggerName } from "./schemas.ts";
import { SecretBox } from "../security/secret-box.ts";
import { TargetStarter } from "./target-starter.ts";

/** A cron schedule defined in code. */
export type ScheduleTrigger = TriggerFields & {
  /** Five fields: minute, hour, day, month, day of the week; or a nickname such as `@daily`. */
  readonly cron: string;
  /** IANA name. @default "UTC" */
  readonly timeZone?: string;
  readonly target: RunTarget;
  /** The runs' inputs. For an agent or a conversation, `messages` is the question. @default {} */
  readonly inputs?: JsonObject;
  /** Missed slots to start. @default "latest" */
  readonly missed?: MissedPolicy;
  /** `skip` starts no run while the run of an earlier slot is open. @default "allow" */
  readonly overlap?: "allow" | "skip";
};

/** A webhook defined in code. */
export type WebhookTrigger = WebhookDefinition & {
  /** Name of the Worker's secret shared with the sender. Two names while the secret is being replaced. */
  readonly secretVariable: string | readonly [string, string];
};

/** The schedules, webhooks and queues of the code. */
export type TriggerOptions = {
  /** By id: `/schedules/:id`. */
  readonly schedules?: Readonly<Record<string, ScheduleTrigger>>;
  /** By name: `POST /hooks/:name`. */
  readonly webhooks?: Readonly<Record<string, WebhookTrigger>>;
  /** By the name of a queue consumed by the Worker. */
  readonly queues?: Readonly<Record<string, QueueTrigger>>;
};

/** Opens the stores of triggers. */
export type TriggerStores = {
  readonly schedules: (env: PartEnv) => ScheduleStore;
  readonly webhooks: (env: PartEnv) => WebhookStore;
  readonly deliveries: (env: PartEnv) => DeliveryStore;
};

const OPTIONS = definitionOptions<TriggerOptions>(
  "triggers()",
  {
    schedules: true,
    webhooks: true,
    queues: true,
  },
  { hooks: "write webhooks" },
);

/** Creates the part. Fails with `invalid_definition`, with an issue for each wrong field. */
export function triggersPart(options: TriggerOptions, stores: TriggerStores): Part {
  refuseUnknownOptions(options, OPTIONS);
  const checked: CheckedTriggers = {
    schedules: checkedSchedules(options.schedules),
    webhooks: checkedWebhooks(options.webhooks),
    queues: checkedQueues(options.queues),
  };
  return {
    name: "triggers",
    docs: "triggers.md",
    migrations: ["0006_triggers.sql", "0028_hook_deliveries.sql"],
    queues: Object.keys(checked.queues),
    check: (parts) => checkTargets(checked, parts),
    bind: (host) => boundTriggers(host, checked, stores),
  };
}

type CheckedTriggers = {
  readonly schedules: Readonly<Record<string, ScheduleDefinition>>;
  readonly webhooks: Readonly<Record<string, CodeWebhook>>;
  readonly queues: Readonly<Record<string, QueueTrigger>>;
};

/** Checks the targets and their inputs. Throws `invalid_definition`. */
function checkTargets(
  { schedules, webhooks, queues }: CheckedTriggers,
  parts: readonly Part[],
): void {
  for (const [id, { target, inputs }] of Object.entries(schedules)) {
    const where = `schedules.${id}`;
    const subject = registeredTarget(where, target, parts);
    if (subject !== undefined) checkInputsOf(where, subject, inputs);
  }
  const withPayload = [
    ...Object.entries(webhooks).map(
      ([name, { definition }]) => [`webhooks.${name}`, definition] as const,
    ),
    ...Object.entries(queues).map(([name, trigger]) => [`queues.${name}`, trigger] as const),
  ];
  for (const [where, { target, inputs }] of withPayload) {
    const needed = registeredTarget(where, target, parts)?.requiredInputs ?? [];
    refuse(where, missingPointers(needed, inputs));
  }
}

function boundTriggers(
  host: PartHost,
  { schedules, webhooks, queues }: CheckedTriggers,
  stores: TriggerStores,
): BoundPart {
  const { clock, randomId, report, maxBodyBytes, env } = host;
  const starter = new TargetStarter(host);
  const store = stores.schedules(env);
  const gateOf = (tenant: string): QuotaGate | undefined => host.placeOf(tenant).services.quotas;
  const sync = (): Promise<void> =>
    syncSchedules(schedules, { store, tenant: CODE_TENANT, nowMs: clock.now() });
  const synced = untilDone(sync);
  const allWebhooks = webhooksOf(host, { starter, webhooks, store: stores.webhooks(env) });
  const { background } = host;
  const deliveries = new Deliveries({
    store: stores.deliveries(env),
    clock,
    randomId,
    report,
    background,
  });
  return {
    operations: [
      ...scheduleOperations(new Schedules({ store, starter, clock, randomId, synced, gateOf })),
      ...webhookOperations(allWebhooks, deliveries),
      ...deliveryOperations(allWebhooks, deliveries, {
        ports: () => ({ starter, nowMs: clock.now(), maxBodyBytes }),
        randomId,
      }),
    ],
    due: async () => {
      await sync();
      await deliveries.dropOld().catch(report);
      return runDue({ store, starter, clock, report });
    },
    queue: async (name, messages) => {
      const trigger = queues[name];
      if (trigger === undefined) return;
      const queue = { name, trigger, tenant: CODE_TENANT };
      await startMessages(queue, messages, { starter, report });
    },
  };
}

function webhooksOf(
  { clock, report, variables, basePath }: PartHost,
  {
    starter,
    webhooks,
    store,
  }: Pick<CheckedTriggers, "webhooks"> & {
    readonly starter: TargetStarter;
    readonly store: WebhookStore;
  },
): Webhooks {
  return new Webhooks({
    store,
    box: new SecretBox(variables["EDGECREW_SECRETS_KEY"], randomBytes),
    starter,
    clock,
    ofCode: webhooks,
    variable: (name) => variables[name],
    report,
    basePath,
  });
}

/** Does work once in the life of the isolate, as its code cannot change. A failure is retried. */
function untilDone(work: () => Promise<void>): () => Promise<void> {
  let first: Promise<void> | undefined;
  return () =>
    (first ??= work().catch((error: unknown) => {
      first = undefined;
      throw error;
    }));
}

/**
 * Time from which a cron is searched for slots. It is fixed, so the result does not depend on the time of the
 * deployment.
 */
const CHECKED_FROM_MS = Date.UTC(2000, 0, 1);

function checkedSchedules(
  schedules: TriggerOptions["schedules"] = {},
): Readonly<Record<string, ScheduleDefinition>> {
  return mapEntries(schedules, (id, trigger) => {
    const where = `schedules.${id}`;
    checkName(where, id);
    const definition = parsed(where, scheduleFields, trigger);
    refuse(where, cronIssues({ ...definition, nowMs: CHECKED_FROM_MS }));
    return definition;
  });
}

function checkedWebhooks(
  webhooks: TriggerOptions["webhooks"] = {},
): Readonly<Record<string, CodeWebhook>> {
  return mapEntries(webhooks, (name, { secretVariable, ...trigger }) => {
    const where = `webhooks.${name}`;
    checkName(where, name);
    const definition = parsed(where, webhookFields, trigger);
    const secretVariables = [secretVariable].flat();
    const areNames = secretVariables.every((each) => typeof each === "string" && each !== "");
    refuse(where, [
      ...webhookIssues(definition),
      ...(areNames
        ? []
        : [
            {
              path: "/secretVariable",
              message: "expected the name of a secret of the Worker, or two names",
            },
          ]),
    ]);
    return { definition, secretVariables };
  });
}

function checkedQueues(
  queues: TriggerOptions["queues"] = {},
): Readonly<Record<string, QueueTrigger>> {
  return mapEntries(queues, (name, trigger) => {
    const where = `queues.${name}`;
    const definition = parsed(where, queueFields, trigger);
    refuse(where, payloadIssues(definition));
    return definition;
  });
}

/** Returns the target in the deployed code; undefined for a crew that may be stored later. */
function registeredTarget(
  where: string,
  { kind, name }: RunTarget,
  parts: readonly Part[],
): Subject | undefined {
  const subjects = subjectsOf(parts).get(kind);
  const subject = subjects?.get(name);
  if (subject === undefined && kind !== "crew")
    refuse(where, [
      {
        path: "/target/name",
        message: `expected a ${kind} of defineApp (${subjects?.names().join(", ") || "there is none"}), got "${name}"`,
      },
    ]);
  return subject;
}

function checkInputsOf(
  where: string,
  { requiredInputs, messagesInput, start }: Subject,
  inputs: JsonObject,
): void {
  const needed = messagesInput === undefined ? requiredInputs : [messagesInput, ...requiredInputs];
  refuse(where, missingInputs(needed, inputs));
  try {
    start(inputs);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    refuse(where, [{ path: "/inputs", message: error.message }]);
  }
}

function missingInputs(needed: readonly string[], inputs: JsonObject): readonly Issue[] {
  return needed
    .filter((name) => !Object.hasOwn(inputs, name))
    .map((name) => ({ path: `/inputs/${name}`, message: "expected a value, got nothing" }));
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
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  refuse(where, toIssues(result.error, input));
  throw result.error; // unreachable: an error of zod has at least one issue
}

function refuse(where: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const messages = issues.map(
    ({ path, message }) => `triggers.${where}${path.replaceAll("/", ".")}: ${message}`,
  );
  throw new EngineError("invalid_definition", messages.join("; "), { issues });
}

function mapEntries<From, To>(
  object: Readonly<Record<string, From>>,
  change: (name: string, value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(name, value)]),
  );
}
