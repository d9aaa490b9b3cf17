import { expect, it } from "vitest";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { sha256Hex } from "../../../../src/base/sha256.ts";
import * as z from "zod";
import { defineFlow } from "../../../../src/flow/define-flow.ts";
import { AgUiWorld, framesIn, ofType, typesOf } from "../../../support/ag-ui-world.ts";
import { askingScript, ask } from "../../../support/http-app.ts";

const user = { id: "u", role: "user", content: "Hi" };
const input = { threadId: "t", runId: "r", messages: [user] };

it.each([
  ["no thread", { threadId: undefined }],
  ["an empty thread", { threadId: "" }],
  ["a long id", { runId: "x".repeat(1000) }],
  ["null messages", { messages: null }],
  ["null content of a user", { messages: [{ ...user, content: null }] }],
  ["an unknown role", { messages: [{ ...user, role: "robot" }] }],
  ["repeated ids", { messages: [user, { ...user, role: "assistant" }] }],
  ["a tool message without its call", { messages: [{ id: "1", role: "tool", content: "x" }] }],
  ["a resume with another status", { resume: [{ interruptId: "a", status: "maybe" }] }],
  ["a version other than a text", { protocolVersion: 1 }],
])("%s is 400", async (_, change) => {
  const world = new AgUiWorld();
  const response = await world.post("writer", { ...input, ...change });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "invalid_input" });
  expect((await world.runs.list({ tenant: "default", limit: 5 })).items).toEqual([]);
});

it("takes null for absent members", async () => {
  const world = new AgUiWorld();
  const { app } = world;
  const absent = {
    state: null,
    parentRunId: null,
    protocolVersion: null,
    forwardedProps: null,
    tools: null,
    context: null,
    resume: null,
  };
  const silent = { id: "a", role: "assistant", content: null, toolCalls: null };
  const events = await world.events("writer", {
    ...input,
    ...absent,
    messages: [{ ...user, id: "first", name: null }, silent, user],
  });
  expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
  expect(ofType(events, "RUN_STARTED")).toEqual([
    expect.not.objectContaining({ parentRunId: null }),
  ]);
  const undescribed = { name: "paint", description: null, parameters: null };
  const body = JSON.stringify({ ...input, runId: "other", ...absent, tools: [undescribed] });
  const headers = { "content-type": "application/json" };
  const response = await app.request("/ag-ui/writer", { method: "POST", headers, body });
  expect(response.status).toBe(200);
});

it("an invalid JSON body, or one of another type, is refused", async () => {
  const world = new AgUiWorld();
  const send = (body: string, type: string) =>
    world.request("/ag-ui/writer", { method: "POST", body, headers: { "content-type": type } });
  expect((await send("{", "application/json")).status).toBe(400);
  expect((await send("[]", "application/json")).status).toBe(400);
  expect((await send(JSON.stringify(input), "text/plain")).status).toBe(415);
});

it("unexposed subjects are not found", async () => {
  const world = new AgUiWorld({ expose: { "agent/writer": true } });
  for (const name of ["nobody", "researcher", "briefing", "..", "agent.researcher"])
    expect((await world.post(name, input)).status).toBe(404);
});

it.each([
  ["another version", { protocolVersion: "2.0" }, "unsupported_protocol_version"],
  [
    "a last message of the agent's",
    { messages: [user, { id: "a", role: "assistant", content: "Hi" }] },
    "invalid_input",
  ],
  ["an invalid tool", { tools: [{ name: " ", description: "x" }] }, "invalid_input"],
  [
    "an unknown interrupt",
    { resume: [{ interruptId: "int_0", status: "resolved" }] },
    "unknown_interrupt",
  ],
  [
    "audio",
    {
      messages: [
        {
          ...user,
          content: [{ type: "audio", source: { type: "url", value: "https://a.test/a" } }],
        },
      ],
    },
    "invalid_input",
  ],
  [
    "a provider's file",
    {
      messages: [
        { ...user, content: [{ type: "image", source: { type: "file", value: "file-1" } }] },
      ],
    },
    "invalid_input",
  ],
  [
    "a URL of another kind",
    {
      messages: [
        {
          ...user,
          content: [{ type: "image", source: { type: "url", value: "file:///etc/passwd" } }],
        },
      ],
    },
    "invalid_input",
  ],
])("%s is RUN_ERROR, and starts no run", async (_, change, code) => {
  const world = new AgUiWorld();
  expect(await world.events("writer", { ...input, ...change })).toMatchObject([
    { type: "RUN_ERROR", code },
  ]);
  expect((await world.runs.list({ tenant: "default", limit: 5 })).items).toEqual([]);
});

it("names missing inputs", async () => {
  const world = new AgUiWorld();
  const [error] = await world.events("briefing", {
    ...input,
    messages: [],
    forwardedProps: { inputs: { other: "x" } },
  });
  expect(error).toMatchObject({ type: "RUN_ERROR", code: "invalid_input" });
  expect(JSON.stringify(error)).toContain("topic");
});

it("UY1: of ten thousand messages the newest are passed on, and all instructions", async () => {
  const world = new AgUiWorld();
  const messages = [
    { id: "s", role: "system", content: "Be brief" },
    ...Array.from({ length: 9_998 }, (_, index) => ({
      id: `m${index}`,
      role: index % 2 ? "assistant" : "user",
      content: `m${index}`,
    })),
    { id: "last", role: "user", content: "So?" },
  ];
  const events = await world.events("writer", { ...input, messages });
  expect(typesOf(events).at(-1)).toBe("RUN_FINISHED");
  const sent = world.model.calls[0]?.request.messages ?? [];
  expect(sent.length).toBeLessThan(210);
  expect(JSON.stringify(sent)).toContain("Be brief");
  expect(JSON.stringify(sent)).toContain("m9997");
});

it("a huge state goes in and comes out whole", async () => {
  const large = defineFlow({
    name: "large",
    state: z.object({ text: z.string(), n: z.number().default(0) }),
    methods: { grow: { start: true, run: ({ state }) => void (state.n = state.text.length) } },
  });
  const world = new AgUiWorld({ flows: { large } });
  const text = "x".repeat(500_000);
  const events = await world.events("large", { ...input, messages: [], state: { text } });
  const last = ofType(events, "STATE_SNAPSHOT").at(-1);
  const added = ofType(events, "STATE_DELTA").flatMap(({ delta }) => delta);
  expect(last?.snapshot.text ?? added.find(({ path }) => path === "/text")).toBeDefined();
  expect(JSON.stringify(events)).toContain(text);
});

it("a body beyond the limit is 413", async () => {
  const world = new AgUiWorld();
  const response = await world.post("writer", { ...input, state: { text: "x".repeat(2_000_000) } });
  expect(response.status).toBe(413);
});

it("ids of another tenant are not there", async () => {
  const asker = new Agent({ role: "Asker", goal: "Ask", backstory: "Curious.", tools: [ask] });
  const world = new AgUiWorld({
    agents: { asker },
    script: askingScript(),
    auth: { mode: "keys" },
  });
  for (const tenant of ["one", "two"])
    await world.keys.add(
      { id: tenant, tenant, scopes: ["run", "read"], createdAtMs: 0 },
      sha256Hex(`key-${tenant}`),
    );
  const send = async (tenant: string, change: object) => {
    const headers = { authorization: `Bearer key-${tenant}` };
    const response = await world.post("asker", { ...input, ...change }, headers);
    return (await framesIn(response)).map(({ event }) => event);
  };
  const events = await send("one", {});
  const { outcome } = ofType(events, "RUN_FINISHED")[0] ?? {};
  const id = outcome?.type === "interrupt" ? outcome.interrupts[0]?.id : undefined;
  expect(id).toBeDefined();
  const resume = [{ interruptId: id, status: "resolved", payload: "mine" }];
  expect(await send("two", { runId: "r2", resume })).toMatchObject([{ code: "unknown_interrupt" }]);
  const [started, ...rest] = await send("two", { messages: [] });
  expect(started?.type).toBe("RUN_STARTED");
  expect(ofType(rest, "MESSAGES_SNAPSHOT")[0]?.messages).toEqual([]);
  const thread = await world.ask("/ag-ui/asker/threads/t", { key: "key-two" });
  expect(thread.status).toBe(404);
  const mine = await send("one", { runId: "r2", resume });
  expect(typesOf(mine).at(-1)).toBe("RUN_FINISHED");
  const nobody = await world.post("asker", input);
  expect(nobody.status).toBe(401);
});
