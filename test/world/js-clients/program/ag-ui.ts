// AG-UI's client of version 1.0, and the last one before it, which CopilotKit and assistant-ui pin.
import assert from "node:assert/strict";
import type { BaseEvent, HttpAgent as HttpAgentClass, Message, Tool } from "@ag-ui/client";
import { bearer, check, leave, together, unique, url } from "./check.ts";

type Agents = { readonly HttpAgent: typeof HttpAgentClass };
const COLOUR: Tool = {
  name: "colour",
  description: "Paints the page.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

for (const [name, specifier] of [
  ["ag-ui client 1.0", "@ag-ui/client"],
  ["ag-ui client 0.0.59", "ag-ui-client-0"],
] as const)
  await frontEnd(name, (await import(specifier)) as Agents);
leave();

async function frontEnd(name: string, { HttpAgent }: Agents): Promise<void> {
  let threads = 0;
  const agent = (subject: string, more: { threadId?: string; initialState?: object } = {}) =>
    new HttpAgent({
      url: `${url}/ag-ui/${subject}`,
      headers: bearer,
      threadId: `${name} ${++threads} ${unique}`.replaceAll(" ", "-"),
      ...more,
    });
  const of = (what: string, run: () => Promise<void>): Promise<void> => check(name, what, run);
  await together([
    of("a chat of two turns", async () => {
      const chat = agent("clerk");
      await say(chat, "my dog is Rex");
      await say(chat, "RECALL");
      assert.match(lastText(chat), /RECALLED.*my dog is Rex/);
      assert.equal(chat.messages.length, 4);
    }),
    of("words come one by one", async () => {
      const chat = agent("clerk");
      const events = await say(chat, "SLOW 30 one two three");
      const pieces = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT");
      assert.ok(pieces.length >= 3, `${pieces.length} pieces`);
      assert.equal(lastText(chat), "one two three");
    }),
    of("thoughts", async () => {
      const events = await say(agent("clerk"), "THINK leaves first");
      assert.ok(
        events.some(({ type }) => type === "REASONING_MESSAGE_CONTENT"),
        typesOf(events),
      );
    }),
    of("a tool of the agent", async () => {
      const chat = agent("teller");
      const events = await say(chat, 'CALL exchange_rate {"from":"EUR","to":"USD"}');
      assert.ok(
        events.some(({ type }) => type === "TOOL_CALL_RESULT"),
        typesOf(events),
      );
      assert.match(lastText(chat), /1 EUR is 1.08 USD/);
    }),
    of("an event of a tool's own", async () => {
      const chat = agent("teller");
      const custom: unknown[] = [];
      chat.subscribe({ onCustomEvent: ({ event }) => void custom.push([event.name, event.value]) });
      const events = await say(chat, 'CALL exchange_rate {"from":"EUR","to":"USD"}');
      assert.deepEqual(custom, [["rate_found", { rate: 1.08 }]]);
      const types = events.map(({ type }) => String(type));
      assert.ok(types.indexOf("CUSTOM") < types.indexOf("TOOL_CALL_RESULT"), types.join(" "));
    }),
    of("a tool of the front end", async () => {
      const chat = agent("clerk");
      await say(chat, 'CALL colour {"name":"red"}', { tools: [COLOUR] });
      const asked = chat.messages.findLast(({ role }) => role === "assistant");
      const call = asked?.role === "assistant" ? asked.toolCalls?.[0] : undefined;
      assert.deepEqual(JSON.parse(call?.function.arguments ?? "null"), { name: "red" });
      chat.addMessage({
        id: "result",
        role: "tool",
        toolCallId: call?.id ?? "",
        content: "painted red",
      });
      await chat.runAgent({ tools: [COLOUR] });
      assert.match(lastText(chat), /RESULT painted red/);
    }),
    of("a thread without messages", async () => {
      const chat = agent("clerk");
      await chat.runAgent();
      assert.equal(chat.messages.length, 0);
    }),
    of("a thread that is loaded again", async () => {
      const chat = agent("clerk");
      await say(chat, "SAY kept");
      const again = agent("clerk", { threadId: chat.threadId });
      await again.runAgent();
      assert.equal(again.messages.length, 2);
      assert.equal(lastText(again), "kept");
    }),
    ...(["approved", "refused"] as const).map((what) =>
      of(`an interrupt, ${what}`, async () => {
        const chat = agent("teller");
        const events = await say(chat, 'CALL refund {"order":"7"}');
        await chat.runAgent({ resume: [answerTo(events, { approved: what === "approved" })] });
        if (what === "approved") assert.match(lastText(chat), /RESULT refunded 7/);
        else assert.doesNotMatch(lastText(chat), /refunded 7/);
      }),
    ),
    of("a review", async () => {
      const chat = agent("reviewed");
      const events = await say(chat, "a draft");
      await chat.runAgent({ resume: [answerTo(events, { approved: true })] });
      assert.match(lastText(chat), /a draft/);
    }),
    of("a question of a flow", async () => {
      const chat = agent("asks");
      const events = await say(chat, "paint");
      await chat.runAgent({ resume: [answerTo(events, "green")] });
      assert.match(lastText(chat), /painted green/);
    }),
    of("state of a flow", async () => {
      const chat = agent("counter", { initialState: { n: 4 } });
      const events = await say(chat, "count");
      assert.ok(
        events.some(({ type }) => type === "STATE_SNAPSHOT"),
        typesOf(events),
      );
      assert.deepEqual(chat.state, { n: 5, log: ["n is 5"] });
      await say(chat, "count");
      assert.deepEqual(chat.state, { n: 6, log: ["n is 5", "n is 6"] });
    }),
    of("a conversational flow", async () => {
      const chat = agent("shop");
      const events = await say(chat, "I order tea");
      await chat.runAgent({ resume: [answerTo(events, "5")] });
      assert.match(lastText(chat), /5 packets/);
    }),
    of("context of the front end", async () => {
      const chat = agent("clerk");
      await say(chat, "SAY fine", { context: [{ description: "page", value: "tea" }] });
      assert.equal(lastText(chat), "fine");
    }),
    of("a crew", async () => {
      const chat = agent("news");
      const events = await say(chat, "good day");
      assert.ok(
        events.some(({ type }) => type === "STEP_STARTED"),
        typesOf(events),
      );
      assert.match(lastText(chat), /good day/);
    }),
    of("a failed run is RUN_ERROR with its reason", async () => {
      const seen: BaseEvent[] = [];
      const chat = agent("clerk");
      chat.addMessage({ id: "u", role: "user", content: "ERR 400" });
      await chat.runAgent({}, { onEvent: ({ event }) => void seen.push(event) }).catch(() => null);
      const end = seen.at(-1) as { type?: string; message?: string } | undefined;
      assert.equal(end?.type, "RUN_ERROR");
      assert.match(end?.message ?? "", /400/);
    }),
    of("no such agent", async () => {
      const chat = agent("nobody");
      chat.addMessage({ id: "u", role: "user", content: "hi" });
      await assert.rejects(chat.runAgent(), /404/);
    }),
    of("a front end that leaves", async () => {
      const chat = agent("clerk");
      chat.subscribe({ onTextMessageContentEvent: () => chat.abortRun() });
      await say(chat, "SLOW 200 a b c d e f g h").catch(() => undefined);
      const again = agent("clerk", { threadId: chat.threadId });
      await again.runAgent();
      assert.ok(again.messages.length >= 1, "the thread is empty");
    }),
  ]);
}

async function say(
  agent: HttpAgentClass,
  content: string,
  parameters: Parameters<HttpAgentClass["runAgent"]>[0] = {},
): Promise<readonly BaseEvent[]> {
  const events: BaseEvent[] = [];
  agent.addMessage({ id: `user-${agent.messages.length}`, role: "user", content });
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
  return events;
}

function answerTo(events: readonly BaseEvent[], payload: unknown) {
  const { outcome } = (events.at(-1) ?? {}) as {
    outcome?: { type: string; interrupts?: ReadonlyArray<{ id: string }> };
  };
  const [interrupt] = outcome?.interrupts ?? [];
  assert.ok(interrupt, `no interrupt: ${typesOf(events)}`);
  return { interruptId: interrupt.id, status: "resolved", payload } as const;
}

function lastText({ messages }: { readonly messages: readonly Message[] }): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  return typeof last?.content === "string" ? last.content : JSON.stringify(last ?? null);
}

function typesOf(events: readonly BaseEvent[]): string {
  return events.map(({ type }) => type).join(" ");
}
