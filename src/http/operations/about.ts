// Facts about a Worker, and its missing settings.
//
//   ABT1. It names keys and secrets, and never their values.
//   ABT2. It also answers without the database's migrations, because callers need it in this state.
import * as z from "zod";
import { isoTime } from "../../base/clock.ts";
import { PACKAGE_VERSION } from "../../base/package-version.ts";
import { firstOf } from "../../llm/connection.ts";
import { keyVariables, PROVIDERS } from "../../llm/providers.ts";
import { defaultModel } from "../../llm/resolve-model.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { BoundPart } from "../../parts/part.ts";
import { subjectsOf } from "../../parts/subjects.ts";
import type { Lack } from "../../parts/worker-facts.ts";
import { isLoopbackRequest } from "../../security/loopback.ts";
import type { AppServices } from "../services.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";

/** Time without a run of the minutely cron after which it counts as missing. */
const LATE_MS = 5 * 60_000;
const SECRETS_KEY = "EDGECREW_SECRETS_KEY";

const text = () => z.string();

const texts = () => z.array(text());

const numbers = () => z.record(text(), z.number());

export const aboutShape = shape("About", () =>
  z.strictObject({
    name: text(),
    environment: text(),
    version: text(),
    code: z.strictObject({ id: text(), tag: text(), at: text() }).partial(),
    parts: texts(),
    counts: numbers(),
    models: z.strictObject({ default: text(), keys: texts() }),
    limits: numbers(),
    storage: z
      .strictObject({
        d1Migrations: z.strictObject({ applied: texts(), pending: texts() }),
        objectSchema: z.strictObject({ reads: z.array(z.number()), writes: z.number() }),
      })
      .partial(),
    sweeper: z.strictObject({ lastAt: text() }).partial(),
    missing: z.array(z.strictObject({ code: text(), message: text(), fix: text() })),
  }),
);

/** Body of `GET /about`. Unknown facts are left out. */
export type About = ViewOf<typeof aboutShape>;

export function aboutOperation(services: AppServices, bound: readonly BoundPart[]): Operation {
  return operation({
    id: "about",
    group: "Service",
    method: "get",
    path: "/about",
    scope: "read",
    summary: "What this Worker is, and what it lacks",
    answers: { 200: { description: "No value of a secret", shape: aboutShape } },
    problems: [],
    handle: async ({ raw }) => ({ status: 200, json: await aboutWorker(services, bound, raw) }),
  });
}

async function aboutWorker(
  services: AppServices,
  bound: readonly BoundPart[],
  request: Request,
): Promise<About> {
  const { parts, variables, facts, maxBodyBytes } = services;
  const [applied, sweptAtMs, lacks] = await Promise.all([
    facts?.migrations(),
    facts?.sweptAtMs(),
    Promise.all(bound.map(async ({ lacks: lacksOf }) => lacksOf?.() ?? [])),
  ]);
  const needed = new Set(parts.flatMap(({ migrations = [] }) => migrations));
  const pending =
    applied === undefined ? [] : [...needed].filter((name) => !applied.includes(name)).toSorted();
  const keys = PROVIDERS.flatMap(keyVariables).filter((name) => firstOf([name], variables));
  const isLocal = isLoopbackRequest(request);
  return {
    name: firstOf(["EDGECREW_NAME"], variables) ?? new URL(request.url).host,
    environment: firstOf(["EDGECREW_ENVIRONMENT"], variables) ?? (isLocal ? "local" : "production"),
    version: PACKAGE_VERSION,
    code: facts?.code ?? {},
    parts: parts
      .filter(({ bind }, index) => bind === undefined || hasAnything(bound[index]))
      .map(({ name }) => name),
    counts: Object.fromEntries(
      Array.from(subjectsOf(parts), ([kind, { names }]) => [kind, names().length]),
    ),
    models: { default: defaultModel(variables), keys },
    limits: { ...facts?.limits, maxBodyBytes },
    storage: {
      ...(applied === undefined ? undefined : { d1Migrations: { applied, pending } }),
      ...(facts === undefined ? undefined : { objectSchema: facts.objectSchema }),
    },
    sweeper: sweptAtMs === undefined ? {} : { lastAt: isoTime(sweptAtMs) },
    missing: [...ownLacks(services, { request, keys, pending, sweptAtMs }), ...lacks.flat()],
  };
}

const hasAnything = (part: BoundPart = {}): boolean => Object.keys(part).length > 0;

function ownLacks(
  { facts, variables, auth, clock }: AppServices,
  {
    request,
    keys,
    pending,
    sweptAtMs,
  }: {
    readonly request: Request;
    readonly keys: readonly string[];
    readonly pending: readonly string[];
    readonly sweptAtMs: number | undefined;
  },
): readonly Lack[] {
  const isLocal = isLoopbackRequest(request);
  const since = sweptAtMs ?? Date.parse(facts?.code.at ?? "");
  const isLate = facts !== undefined && !(clock.now() - since < LATE_MS);
  const lacks: readonly (readonly [
    isMissing: boolean,
    code: string,
    message: string,
    fix: string,
  ])[] = [
    [
      pending.length > 0,
      "migrations_pending",
      `the database lacks ${pending.join(", ")}`,
      "edgecrew deploy, or wrangler d1 migrations apply DB",
    ],
    [
      isLate,
      "no_cron",
      `no cron has come${sweptAtMs === undefined ? "" : ` since ${isoTime(sweptAtMs)}`}: lost alarms stay lost`,
      'crons = ["* * * * *"] in the configuration',
    ],
    [
      keys.length === 0 && facts?.hasModels === false,
      "no_model_key",
      "no key of a model provider is set: the built-in model answers, which only picks and rearranges text",
      isLocal ? "echo OPENAI_API_KEY=… >> .dev.vars" : "edgecrew secrets put OPENAI_API_KEY",
    ],
    [
      firstOf([SECRETS_KEY], variables) === undefined,
      "no_secrets_key",
      `${SECRETS_KEY} is not set: definitions and webhooks cannot keep secrets`,
      isLocal
        ? `echo ${SECRETS_KEY}=$(openssl rand -base64 32) >> .dev.vars`
        : `openssl rand -base64 32 | wrangler secret put ${SECRETS_KEY}`,
    ],
    [
      auth.mode === "open-to-everybody" && !isLocal,
      "open_auth_public",
      "everybody may start runs here, read them, and spend on models",
      "set EDGECREW_AUTH to keys",
    ],
  ];
  return lacks.flatMap(([isMissing, code, message, fix]) =>
    isMissing ? { code, message, fix } : [],
  );
}
