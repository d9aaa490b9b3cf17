// Waits of a method other than for people: for events from outside, and for points in time.
//
//   FT1. An event from before the wait is kept for it; each event ends one wait.
//   FT2. An event whose payload does not fit the wait's schema does not end the wait.
import type * as z from "zod";
import { EngineError } from "../base/error.ts";
import { preview, type JsonObject, type JsonValue } from "../base/json.ts";
import { toIssues } from "../base/zod-issues.ts";
import type { RunScope } from "../events/run-scope.ts";
import { keySegment } from "../journal/step-key.ts";
import { EVENT_NAME_PATTERN } from "../runtime/outside-events.ts";
import { fromZod } from "../tools/json-schema.ts";

/** Expected form of an event from outside, and the time limit. */
export type EventWait<Payload> = {
  /** The shape of the payload. @default any JSON */
  readonly schema?: z.ZodType<Payload>;
  /** Time limit of the wait, in seconds. A number > 0. @default no limit */
  readonly timeoutSeconds?: number;
  /** Result of the wait after the time limit. @default it fails with `wait_expired` */
  readonly otherwise?: Payload;
};

/** Parks until an event of this name is sent to the run. */
export async function waitForEvent<Payload = JsonValue>(
  scope: RunScope,
  name: string,
  { schema, timeoutSeconds, otherwise }: EventWait<Payload> = {},
): Promise<Payload> {
  if (!EVENT_NAME_PATTERN.test(name))
    throw invalid(
      "the name of an event must be 1 to 64 letters, digits and _ . - characters",
      name,
    );
  if (timeoutSeconds !== undefined && !(timeoutSeconds > 0 && Number.isFinite(timeoutSeconds)))
    throw invalid("timeoutSeconds must be a number > 0", timeoutSeconds);
  const place = scope.atNext(`event:${name}`);
  const dueAtMs =
    timeoutSeconds === undefined ? undefined : place.at("asked").now() + timeoutSeconds * 1000;
  const value = await place.wait<JsonValue>({
    kind: "event",
    event: name,
    ...(schema === undefined ? undefined : { schema: schemaOf(schema) }),
    ...(dueAtMs === undefined ? undefined : { dueAtMs }),
    ...(otherwise === undefined ? undefined : { otherwise: { otherwise: true } }),
  });
  const { payload } = value as { readonly payload?: JsonValue };
  if (payload === undefined) return otherwise as Payload;
  if (schema === undefined) return payload as Payload;
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const issues = toIssues(parsed.error, payload);
  const details = issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new EngineError("invalid_input", `event ${name} does not fit its schema: ${details}`, {
    issues,
  });
}

/** A durable timer up to a point in time. */
export async function sleepUntil(
  scope: RunScope,
  name: string,
  time: Date | string | number,
): Promise<void> {
  const dueAtMs = new Date(time).getTime();
  if (Number.isNaN(dueAtMs)) throw invalid("a time must be a Date, ISO 8601 or milliseconds", time);
  const place = scope.at(`sleep:${keySegment(name)}`).at("timer");
  await place.wait({ kind: "timer", dueAtMs });
}

const schemas = new WeakMap<z.ZodType, JsonObject>();

function schemaOf(schema: z.ZodType): JsonObject {
  let json = schemas.get(schema);
  if (json === undefined) schemas.set(schema, (json = fromZod(schema)));
  return json;
}

function invalid(rule: string, actual: unknown): EngineError {
  return new EngineError("invalid_input", `${rule}, got ${preview(actual)}`);
}
