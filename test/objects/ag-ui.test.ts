import { exports } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { expect, it } from "vitest";
import { runIdFor } from "../../src/protocols/protocol-runs.ts";
import type { AgUiEvent } from "../../src/protocols/ag-ui/wire.ts";
import { killAll } from "./support/faults.ts";
import { notesOf } from "./support/ledger.ts";
import { newId, runs, stubOf, until } from "./support/runs.ts";
import { letSpeak, spoken } from "./support/speech.ts";

const TENANT = "default";

function post(name: string, input: object): Promise<Response> {
  const request = new Request(`https://api.test/ag-ui/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ id: "u", role: "user", content: "Go" }], ...input }),
  });
  return exports.default.fetch(request);
}

function eventsIn(text: string): AgUiEvent[] {
  return Array.from(
    text.matchAll(/^data: (.*)$/gm),
    ([, data = ""]) => JSON.parse(data) as AgUiEvent,
  );
}

async function events(name: string, input: object): Promise<AgUiEvent[]> {
  return eventsIn(await (await post(name, input)).text());
}

const ofType = <Type extends AgUiEvent["type"]>(all: readonly AgUiEvent[], type: Type) =>
  all.filter((event): event is Extract<AgUiEvent, { type: Type }> => event.type === type);

/** The texts of the messages that a client has at the end. */
function texts(all: readonly AgUiEvent[]): string[] {
  const messages = new Map<string, string>();
  for (const event of all) {
    if (event.type === "TEXT_MESSAGE_CONTENT")
      messages.set(event.messageId, `${messages.get(event.messageId) ?? ""}${event.delta}`);
    if (event.type === "MESSAGES_SNAPSHOT")
      for (const id of messages.keys())
        if (!event.messages.some((message) => message.id === id)) messages.delete(id);
  }
  return [...messages.values()];
}

it("a kill in the middle of a message loses and repeats no text: the stream goes on by itself", async () => {
  const threadId = newId("thread");
  const runId = runIdFor("ag-ui", TENANT, "agent", "teller", threadId, "r");
  const response = await post("teller", { threadId, runId: "r" });
  let text = "";
  const reading = (async () => {
    const reader = response.body?.getReader();
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) return;
      text += new TextDecoder().decode(next.value);
    }
  })();
  letSpeak(runId, "Wrong ");
  await until("the client has a word", () => text.includes("Wrong "));
  await killAll(runId);
  runDurableObjectAlarm(stubOf(runId, TENANT)).catch(() => undefined);
  await until("the model speaks again", () => spoken(runId) === "");
  letSpeak(runId, "Right ");
  letSpeak(runId, "again");
  letSpeak(runId, undefined);
  await reading;
  const all = eventsIn(text);
  expect(texts(all)).toEqual(["Right again"]);
  expect(all.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  expect(ofType(all, "RUN_STARTED")).toHaveLength(1);
  const names = (type: "STEP_STARTED" | "STEP_FINISHED") =>
    ofType(all, type).map(({ stepName }) => stepName);
  expect(names("STEP_FINISHED").toSorted()).toEqual(names("STEP_STARTED").toSorted());
  const again = await events("teller", { threadId, runId: "r" });
  expect(texts(again)).toEqual(["Right again"]);
});

it("an interrupt survives evictions and kills, and its answer is carried out once", async () => {
  const threadId = newId("thread");
  const runId = runIdFor("ag-ui", TENANT, "agent", "payer", threadId, "r1");
  const first = await events("payer", { threadId, runId: "r1" });
  const { outcome } = ofType(first, "RUN_FINISHED")[0] ?? {};
  if (outcome?.type !== "interrupt") throw new Error(JSON.stringify(first));
  await evictDurableObject(stubOf(runId, TENANT));
  await killAll(runId);
  const resume = [
    { interruptId: outcome.interrupts[0]?.id, status: "resolved", payload: { approved: true } },
  ];
  const second = await events("payer", { threadId, runId: "r2", resume });
  await evictDurableObject(stubOf(runId, TENANT));
  const again = await events("payer", { threadId, runId: "r2", resume });
  for (const all of [second, again]) {
    expect(ofType(all, "TOOL_CALL_START")).toEqual([]);
    expect(ofType(all, "TOOL_CALL_RESULT")).toMatchObject([{ content: "paid 5" }]);
    expect(texts(all)).toEqual(["Done: paid 5"]);
  }
  expect(notesOf(runId)).toEqual(["paid 5"]);
});

it("a call of the front end survives evictions, and continues the same run", async () => {
  const threadId = newId("thread");
  const tools = [{ name: "pick", description: "Pick.", parameters: { type: "object" } }];
  const runId = runIdFor("ag-ui", TENANT, "agent", "payer", threadId, "r1");
  const first = await events("payer", { threadId, runId: "r1", tools });
  const [call] = ofType(first, "TOOL_CALL_START");
  await evictDurableObject(stubOf(runId, TENANT));
  const messages = [
    { id: "u", role: "user", content: "Go" },
    { id: "t", role: "tool", toolCallId: call?.toolCallId, content: "red" },
  ];
  const second = await events("payer", { threadId, runId: "r2", tools, messages });
  expect(texts(second)).toEqual(["Done: red"]);
  expect((await runs.get(TENANT, runId)).status).toBe("completed");
});
