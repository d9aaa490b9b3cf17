// Users behind one key who say the same words, over every protocol, in random order.
import { describe, expect, it } from "vitest";
import { a2a } from "../../../src/entry/a2a.ts";
import { acp } from "../../../src/entry/acp.ts";
import { agUi } from "../../../src/entry/ag-ui.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { openai } from "../../../src/entry/openai.ts";
import { textOf, type JsonAnswer } from "../../support/http-app.ts";
import { McpWorld } from "../../support/mcp-world.ts";
import { seededRandom } from "../../support/random-events.ts";
import { talkOf } from "../../support/talks.ts";

const SEED = 36;
/** Users with equal words at a time. Each two of them are one interleaving: 28 in a group, 1,008 over all protocols. */
const USERS = 8;
const GROUPS = 4;
const expose = { "flow/shop": { as: "shop" } };

/** Repeats all that its session has heard; asks for the secret. */
const shop = talkOf(
  { routeTurn: () => "order" },
  {
    answer: {
      listen: "order",
      run: async ({ conversation, ask, state }) => {
        const heard = (state["heard"] ?? []) as JsonValue[];
        const { message } = conversation;
        const more = message === "ask me" ? await ask("Your secret?") : message;
        state["heard"] = [...heard, more];
        return `heard ${JSON.stringify(state["heard"])}`;
      },
    },
  },
);

/** One user's requests: each step is one, and yields all that came back. */
type Chat = (world: McpWorld, user: { greeting: string; secret: string }) => AsyncGenerator<string>;
type Message = { role: "user" | "assistant"; content: string };

async function sent(
  world: McpWorld,
  path: string,
  { headers = {}, ...json }: object & { headers?: Record<string, string> },
): Promise<{ text: string; json: JsonAnswer; status: number }> {
  return world.until(world.ask(path, { json, headers }));
}

const CHATS: Readonly<Record<string, Chat>> = {
  async *"chat completions"(world, { greeting, secret }) {
    const messages: Message[] = [];
    for (const content of [greeting, "ask me", secret, "what now"]) {
      messages.push({ role: "user", content });
      const json = { model: "shop", messages };
      const { status, text, json: answer } = await sent(world, "/v1/chat/completions", json);
      yield text;
      if (status === 409) return;
      messages.push({
        role: "assistant",
        content: textOf(answer["choices"]?.[0]?.["message"]?.["content"]),
      });
    }
  },
  async *"named chat completions"(world, { greeting, secret }) {
    const messages: Message[] = [];
    for (const content of [greeting, "ask me", secret, "what now"]) {
      messages.push({ role: "user", content });
      const headers = { "x-thread-id": `thread of ${secret}` };
      const json = { model: "shop", messages };
      const { text, json: answer } = await sent(world, "/v1/chat/completions", {
        ...json,
        headers,
      });
      yield text;
      const said = textOf(answer["choices"]?.[0]?.["message"]?.["content"]);
      messages.push({ role: "assistant", content: said });
      if (content === "what now") expect(said).toContain(secret);
    }
  },
  async *"stateless responses"(world, { greeting, secret }) {
    const input: unknown[] = [];
    for (const content of [greeting, "ask me", secret, "what now"]) {
      input.push({ role: "user", content });
      const { text, json } = await sent(world, "/v1/responses", {
        model: "shop",
        input,
        store: false,
      });
      yield text;
      input.push(...(json["output"] as unknown as unknown[]));
      if (content === "what now") expect(text).toContain(secret);
    }
  },
  async *"stored responses"(world, { greeting, secret }) {
    let previous: unknown;
    for (const input of [greeting, "ask me", secret, "what now"]) {
      const json = { model: "shop", input, previous_response_id: previous };
      const { text, json: answer } = await sent(world, "/v1/responses", json);
      yield text;
      previous = answer["id"];
      if (input === "what now") expect(text).toContain(secret);
    }
  },
  async *"AG-UI"(world, { greeting, secret }) {
    const threadId = `thread of ${secret}`;
    const post = (runId: string, more: object) =>
      sent(world, "/ag-ui/shop", { threadId, runId, messages: [], ...more });
    const user = (content: string) => ({ messages: [{ id: content, role: "user", content }] });
    yield (await post("1", user(greeting))).text;
    const asked = (await post("2", user("ask me"))).text;
    yield asked;
    const [, interruptId] = /"interrupts":\[\{"id":"([^"]+)"/.exec(asked) ?? [];
    const resume = [{ interruptId, status: "resolved", payload: secret }];
    yield (await post("3", { resume })).text;
    const last = (await post("4", user("what now"))).text;
    yield last;
    expect(last).toContain(secret);
  },
  async *A2A(world, { greeting, secret }) {
    let n = 0;
    const send = async (text: string, more: object = {}) => {
      const message = {
        messageId: `m${++n} of ${secret}`,
        role: "ROLE_USER",
        parts: [{ text }],
        ...more,
      };
      const headers = { "a2a-version": "1.0" };
      return sent(world, "/a2a/shop/message:send", { message, headers });
    };
    const first = await send(greeting);
    yield first.text;
    const contextId = first.json["task"]?.["contextId"];
    const asked = await send("ask me", { contextId });
    yield asked.text;
    yield (await send(secret, { contextId, taskId: asked.json["task"]?.["id"] })).text;
    const last = await send("what now", { contextId });
    yield last.text;
    expect(last.text).toContain(secret);
  },
  async *ACP(world, { greeting, secret }) {
    const message = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });
    const send = (text: string) =>
      sent(world, "/api/acp/send", { agentId: "flow/shop", message: message(text) });
    yield (await send(greeting)).text;
    const asked = await send("ask me");
    yield asked.text;
    const path = `/api/acp/tasks/${textOf(asked.json["id"])}/resume`;
    const answered = await sent(world, path, { message: message(secret) });
    yield answered.text;
    expect(answered.text).toContain(secret);
    yield (await send("what now")).text;
  },
  async *MCP(world, { greeting, secret }) {
    const call = (name: string, args: object) => world.rpc("tools/call", { name, arguments: args });
    const runIn = ({ json }: { json: JsonAnswer }) => json["result"]?.["_meta"]?.["edgecrew/runId"];
    const first = await call("shop", { message: greeting });
    yield first.text;
    const session = runIn(first);
    const asked = await call("shop", { message: "ask me", session });
    yield asked.text;
    yield (await call("answer_run", { runId: runIn(asked), answer: secret })).text;
    const last = await call("shop", { message: "what now", session });
    yield last.text;
    expect(last.text).toContain(secret);
  },
  async *HTTP(world, { greeting, secret }) {
    const turn = (message: string, more: object = {}) =>
      sent(world, "/flows/shop/turns", { message, ...more, headers: { prefer: "wait=30" } });
    const first = await turn(greeting);
    yield first.text;
    const { sessionId } = first.json["output"] as unknown as { sessionId: string };
    const asked = await turn("ask me", { sessionId });
    yield asked.text;
    yield (await sent(world, `/runs/${textOf(asked.json["id"])}/resume`, { value: secret })).text;
    await world.clock.settle();
    const last = await turn("what now", { sessionId });
    yield last.text;
    expect(last.text).toContain(secret);
  },
};

describe("users behind one key with equal words", () => {
  it.each(Object.entries(CHATS))("learn nothing of each other over %s", async (name, chat) => {
    const own = { openai, agUi, a2a, acp };
    const parts = Object.values(own).map((part) => part({ expose }));
    const world = new McpWorld({ expose }, { flows: { shop }, parts });
    const random = seededRandom(SEED + name.length);
    let shown = 0;
    for (let group = 0; group < GROUPS; group++) {
      const greeting = `hello ${group}`;
      const users = Array.from({ length: USERS }, (_, user) => {
        const secret = `secret-${group}-${user}-${Math.floor(random() * 1e9)}`;
        return { secret, steps: chat(world, { greeting, secret }) };
      });
      for (let open = users; open.length > 0;) {
        const next = open[Math.floor(random() * open.length)] ?? users[0];
        const { value, done } = (await next?.steps.next()) ?? { done: true };
        if (done === true) open = open.filter((each) => each !== next);
        const others = users.filter((each) => each !== next).map(({ secret }) => secret);
        expect(others.filter((secret) => value?.includes(secret))).toEqual([]);
        if (next !== undefined && value?.includes(next.secret) === true) shown++;
      }
    }
    expect(shown).toBeGreaterThanOrEqual(name === "chat completions" ? 0 : USERS * GROUPS);
  });
});
