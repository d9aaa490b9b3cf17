import { expect, it } from "vitest";
import { triggers, type TriggerOptions } from "../../../src/entry/triggers.ts";
import { HttpWorld } from "../../support/http-app.ts";

const target = { kind: "crew", name: "briefing" } as const;
const { parts } = new HttpWorld({ agents: {} }).services;

function refusal(options: TriggerOptions): string {
  try {
    triggers(options).check?.(parts);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

const schedule = (more: object): TriggerOptions => ({
  schedules: { digest: { cron: "@daily", target, inputs: { topic: "tea" }, ...more } },
});

const webhook = (more: object): TriggerOptions => ({
  webhooks: { issues: { scheme: "hmac", target, secretVariable: "S", ...more } },
});

it("accepts valid triggers, and crews to be stored later", () => {
  expect(refusal(schedule({ timeZone: "Europe/Berlin" }))).toBe("");
  expect(refusal(webhook({ inputs: { topic: "/a" } }))).toBe("");
  expect(refusal(schedule({ target: { kind: "crew", name: "stored" }, inputs: {} }))).toBe("");
  expect(refusal({ queues: { q: { target: { kind: "flow", name: "review" } } } })).toBe("");
  expect(refusal({})).toBe("");
});

it.each([
  [schedule({ cron: "soon" }), "triggers.schedules.digest.cron: expected five fields"],
  [schedule({ cron: 7 }), "triggers.schedules.digest.cron"],
  [schedule({ timeZone: "Mars" }), "triggers.schedules.digest.timeZone"],
  [schedule({ zone: "Mars" }), "triggers.schedules.digest.zone"],
  [schedule({ inputs: {} }), "triggers.schedules.digest.inputs.topic: expected a value"],
  [schedule({ target: { kind: "flow", name: "x" } }), 'a flow of defineApp (review), got "x"'],
  [schedule({ target: { kind: "agent", name: "x" } }), '(there is none), got "x"'],
  [schedule({ target: { kind: "flow", name: "review" }, inputs: { topic: 1 } }), "/topic"],
  [{ schedules: { "a b": { cron: "@daily", target } } }, "triggers.schedules.a b: expected a name"],
  [webhook({ scheme: "md5" }), "triggers.webhooks.issues.scheme"],
  [webhook({ secretVariable: "" }), "triggers.webhooks.issues.secretVariable"],
  [webhook({ inputs: { a: "b" } }), "triggers.webhooks.issues.inputs.a: expected a JSON pointer"],
  [webhook({ target: { kind: "flow", name: "x" } }), "triggers.webhooks.issues.target.name"],
  [webhook({}), "triggers.webhooks.issues.inputs.topic: expected a JSON pointer"],
  [{ queues: { q: { target } } }, "triggers.queues.q.inputs.topic"],
  [{ queues: { q: {} as never } }, "triggers.queues.q.target"],
  [
    { queues: { q: { target: { kind: "flow", name: "x" } as const } } },
    "triggers.queues.q.target.name",
  ],
] as const)("refuses %j", (options, expected) => {
  expect(refusal(options)).toContain(expected);
});

it("refuses the option `hooks`, and names the right option", () => {
  const options = { hooks: { issues: { scheme: "hmac", target, secretVariable: "S" } } };
  expect(refusal(options as TriggerOptions)).toBe(
    'triggers() has no option "hooks": write webhooks',
  );
});
