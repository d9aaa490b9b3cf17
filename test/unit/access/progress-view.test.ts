import { expect, it } from "vitest";
import { PROGRESS_FIELDS, progressEvent, progressRun } from "../../../src/access/progress-view.ts";
import { eventTypesOf } from "../../../src/parts/event-types.ts";
import { appParts } from "../../support/app-parts.ts";

it("CA7: decides of every type of event what is shown", () => {
  expect(Object.keys(PROGRESS_FIELDS).toSorted()).toEqual([...eventTypesOf(appParts)].toSorted());
});

it.each(Object.keys(PROGRESS_FIELDS))(
  "PG1, PG2: shows nothing of %s that could hold a secret",
  (type) => {
    const secret = "SECRET";
    const fields = [
      "inputs",
      "taskPrompt",
      "messages",
      "context",
      "toolArgs",
      "toolCall",
      "toolCalls",
      "response",
      "thinking",
      "memoryContent",
      "retrievedKnowledge",
      "query",
      "value",
      "metadata",
      "plan",
      "params",
      "state",
      "feedback",
      "prompt",
      "message",
      "model",
      "by",
      "task",
      "listenerScope",
    ];
    const event = {
      seq: 1,
      type,
      path: "task:a",
      ...Object.fromEntries(fields.map((field) => [field, secret])),
      output: {
        raw: "fine",
        tasks: [{ name: "a", description: secret, raw: "fine" }],
        state: secret,
        messages: [secret],
      },
      error: { code: "model_failed", message: secret, retryable: false },
    };
    const shown = progressEvent(event, { mayAnswer: false });
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(shown).toMatchObject({ seq: 1, type, path: "task:a" });
  },
);

it("PG2: shows of an unknown type that it happened", () => {
  const event = { seq: 3, type: "my_own", text: "SECRET" };
  expect(progressEvent(event, { mayAnswer: true })).toEqual({ seq: 3, type: "my_own" });
});

it("PG3: shows waits whole to those who may answer", () => {
  const waits = [{ key: "k", kind: "human", prompt: "Pay?", data: { sum: 3 }, expiresAt: "2026" }];
  const run = { id: "r", waits, inputs: { a: 1 }, usage: { totalTokens: 3, models: { x: 1 } } };
  expect(progressRun(run, { mayAnswer: true })["waits"]).toEqual(waits);
  expect(progressRun(run, { mayAnswer: false })).toEqual({
    id: "r",
    waits: [{ key: "k", kind: "human", expiresAt: "2026" }],
    inputs: {},
    usage: { totalTokens: 3 },
  });
});
