// CopilotKit: its runtime with agents over AG-UI, and the core of its front end, which `react-core` wraps.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CopilotKitCore, type FrontendTool } from "@copilotkit/core";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { HttpAgent } from "ag-ui-client-0";
import * as z from "zod";
import { bearer, check, leave, together, unique, url } from "./check.ts";

const NAME = "copilotkit 1.75";
const SUBJECTS = ["clerk", "teller", "counter", "asks", "news"];
const of = (what: string, run: () => Promise<void>): Promise<void> => check(NAME, what, run);

// The core connects in a page alone; all that it asks of one is that there is a window.
Object.assign(globalThis, { window: globalThis });
const runtimeUrl = await startRuntime();
const core = await connected();

await together([
  of("the runtime lists its agents", async () => {
    assert.deepEqual(Object.keys(core.agents).toSorted(), SUBJECTS.toSorted());
  }),
  of("a chat of two turns", async () => {
    const chat = chatWith("clerk", "two-turns");
    await chat.say("my dog is Rex");
    await chat.say("RECALL");
    assert.match(chat.lastText(), /RECALLED.*my dog is Rex/);
  }),
  of("words come one by one", async () => {
    const chat = chatWith("clerk", "words");
    let pieces = 0;
    chat.agent.subscribe({ onTextMessageContentEvent: () => void pieces++ });
    await chat.say("SLOW 30 one two three");
    assert.ok(pieces >= 3, `${pieces} pieces`);
  }),
  of("a tool of the agent", async () => {
    const chat = chatWith("teller", "own-tool");
    await chat.say('CALL exchange_rate {"from":"EUR","to":"USD"}');
    assert.match(chat.lastText(), /1 EUR is 1.08 USD/);
  }),
  of("an event of a tool's own", async () => {
    const chat = chatWith("teller", "own-event");
    const custom: unknown[] = [];
    chat.agent.subscribe({
      onCustomEvent: ({ event }) => void custom.push([event.name, event.value]),
    });
    await chat.say('CALL exchange_rate {"from":"EUR","to":"USD"}');
    assert.deepEqual(custom, [["rate_found", { rate: 1.08 }]]);
  }),
  of("a crew", async () => {
    const chat = chatWith("news", "crew");
    await chat.say("good day");
    assert.match(chat.lastText(), /good day/);
  }),
  of("state of a flow", async () => {
    const chat = chatWith("counter", "state");
    chat.agent.setState({ n: 4 });
    await chat.say("count");
    assert.deepEqual(chat.agent.state, { n: 5, log: ["n is 5"] });
  }),
  of("an interrupt", async () => {
    const chat = chatWith("teller", "interrupt");
    await chat.say('CALL refund {"order":"7"}');
    const [interrupt] = chat.agent.pendingInterrupts;
    assert.ok(interrupt, "no interrupt");
    await core.runAgent({
      agent: chat.agent,
      resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }],
    });
    assert.match(chat.lastText(), /RESULT refunded 7/);
  }),
  of("a failed run reaches onError", async () => {
    const chat = chatWith("clerk", "failed");
    let failed = "";
    chat.agent.subscribe({ onRunErrorEvent: ({ event }) => void (failed = event.message) });
    await chat.say("ERR 400").catch(() => undefined);
    assert.match(failed, /400/);
  }),
]);

const painted: string[] = [];
const colour: FrontendTool<{ name: string }> = {
  name: "colour",
  description: "Paints the page.",
  parameters: z.object({ name: z.string() }),
  handler: ({ name }) => {
    painted.push(name);
    return Promise.resolve(`painted ${name}`);
  },
};
core.addTool(colour);
await of("useFrontendTool: the handler is called, and the run goes on", async () => {
  const chat = chatWith("clerk", "front-end-tool");
  await chat.say('CALL colour {"name":"red"}');
  assert.deepEqual(painted, ["red"]);
  assert.match(chat.lastText(), /RESULT painted red/);
});

let answer: (word: string) => void = () => undefined;
core.addTool({
  name: "confirm",
  description: "Asks the person in front of the page.",
  parameters: z.object({ what: z.string() }),
  type: "human-in-the-loop",
  handler: () => new Promise<string>((resolve) => void (answer = resolve)),
});
await of("useHumanInTheLoop: the run waits for the person", async () => {
  const chat = chatWith("clerk", "human");
  const said = chat.say('CALL confirm {"what":"the order"}');
  const waiting = setInterval(() => answer("yes, please"), 100);
  await said.finally(() => clearInterval(waiting));
  assert.match(chat.lastText(), /RESULT .*yes, please/);
});
await of("a page that is loaded again shows its thread", async () => {
  const again = await connected();
  const chat = chatWith("clerk", "two-turns", again);
  await again.connectAgent({ agent: chat.agent });
  assert.match(chat.lastText(), /RECALLED/);
});
leave();

/** The server of the page. */
async function startRuntime(): Promise<string> {
  const agents = Object.fromEntries(
    SUBJECTS.map((name) => [
      name,
      new HttpAgent({ url: `${url}/ag-ui/${name}`, headers: bearer, agentId: name }),
    ]),
  );
  const runtime = new CopilotRuntime({ agents: agents as never });
  const server = createServer(createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/copilotkit`;
}

async function connected(): Promise<CopilotKitCore> {
  const page = new CopilotKitCore({ runtimeUrl, runtimeTransport: "rest" });
  for (let tries = 0; page.getAgent("clerk") === undefined && tries < 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return page;
}

function chatWith(name: string, thread: string, page = core) {
  const known = page.getAgent(name);
  assert.ok(known, `no agent ${name}`);
  const agent = known.clone() as typeof known;
  agent.threadId = `copilotkit-${thread}-${unique}`;
  return {
    agent,
    async say(content: string): Promise<void> {
      agent.addMessage({ id: `user-${thread}-${agent.messages.length}`, role: "user", content });
      await page.runAgent({ agent });
    },
    lastText(): string {
      const last = agent.messages.findLast(({ role }) => role === "assistant");
      return typeof last?.content === "string" ? last.content : JSON.stringify(last ?? null);
    },
  };
}
