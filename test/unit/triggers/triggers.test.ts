import { expect, it } from "vitest";
import { triggers, type TriggerOptions } from "../../../src/triggers.ts";
import { HttpWorld } from "../../support/http-app.ts";

const target = { kind: "crew", name: "briefing" } as const;
const { parts } = new HttpWorld({ agents: {} }).services;

function told(options: TriggerOptions): string {
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

const hook = (more: object): TriggerOptions => ({
  hooks: { issues: { scheme: "hmac", target, secretVariable: "S", ...more } },
});

it("takes what fits, and crews that may be stored later", () => {
  expect(told(schedule({ timeZone: "Europe/Berlin" }))).toBe("");
  expect(told(hook({ inputs: { topic: "/a" } }))).toBe("");
  expect(told(schedule({ target: { kind: "crew", name: "stored" }, inputs: {} }))).toBe("");
  expect(told({ queues: { q: { target: { kind: "flow", name: "review" } } } })).toBe("");
  expect(told({})).toBe("");
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
  [hook({ scheme: "md5" }), "triggers.hooks.issues.scheme"],
  [hook({ secretVariable: "" }), "triggers.hooks.issues.secretVariable"],
  [hook({ inputs: { a: "b" } }), "triggers.hooks.issues.inputs.a: expected a JSON pointer"],
  [hook({ target: { kind: "flow", name: "x" } }), "triggers.hooks.issues.target.name"],
  [hook({}), "triggers.hooks.issues.inputs.topic: expected a JSON pointer"],
  [{ queues: { q: { target } } }, "triggers.queues.q.inputs.topic"],
  [{ queues: { q: {} as never } }, "triggers.queues.q.target"],
  [
    { queues: { q: { target: { kind: "flow", name: "x" } as const } } },
    "triggers.queues.q.target.name",
  ],
] as const)("refuses %j", (options, expected) => {
  expect(told(options)).toContain(expected);
});
