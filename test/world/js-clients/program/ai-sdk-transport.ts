// The transports of `useChat`, without React: a route as its documentation has it, in this process, and the Worker behind it.
import assert from "node:assert/strict";
import type * as Ai from "ai";
import { check, pause } from "./check.ts";

type Sdk = typeof Ai;

export async function chatTransport(name: string, ai: Sdk, model: Ai.LanguageModel): Promise<void> {
  const { route, streams } = routeOf(ai, model);
  const client = `${name}, useChat's transport`;

  await check(client, "a chat of two turns", async () => {
    const chat = new Conversation(ai, new ai.DefaultChatTransport({ fetch: route }), "two-turns");
    assert.equal(await chat.say("SAY welcome"), "welcome");
    assert.match(await chat.say("RECALL"), /RECALLED.*SAY welcome/);
  });
  await check(client, "a tool that the front end answers", async () => {
    const chat = new Conversation(ai, new ai.DefaultChatTransport({ fetch: route }), "tools");
    await chat.say('CALL colour {"wish":"warm"}');
    assert.match(chat.textAfterResult("colour", "red"), /./);
    assert.match(await chat.goOn(), /RESULT .*red/);
  });
  await check(client, "thoughts are parts", async () => {
    const chat = new Conversation(ai, new ai.DefaultChatTransport({ fetch: route }), "thoughts");
    await chat.say("THINK leaves first");
    const last = chat.messages.at(-1);
    assert.match(JSON.stringify(last?.parts), /"type":"reasoning",.*"text":"leaves first"/);
  });
  await check(client, "a stream that is resumed", async () => {
    const transport = new ai.DefaultChatTransport({ fetch: route });
    const leaving = new AbortController();
    const first = await transport.sendMessages({
      chatId: "resumed",
      trigger: "submit-message",
      messageId: undefined,
      abortSignal: leaving.signal,
      messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "SLOW 60 a b c d e f" }] }],
    });
    await first.getReader().read();
    leaving.abort();
    await pause(50);
    const again = await transport.reconnectToStream({ chatId: "resumed" });
    assert.ok(again, "there is no stream to resume");
    let said = "";
    for await (const chunk of again) if (chunk.type === "text-delta") said += chunk.delta;
    assert.equal(said, "a b c d e f");
    assert.equal(streams.size, 4);
  });
  await check(client, "a failed run is an error part", async () => {
    const chat = new Conversation(ai, new ai.DefaultChatTransport({ fetch: route }), "failed");
    await chat.say("ERR 400").then(
      () => assert.equal(chat.errors.length, 1),
      (error: unknown) => assert.ok(error),
    );
  });
  await check(client, "plain text, by TextStreamChatTransport", async () => {
    const transport = new ai.TextStreamChatTransport({
      fetch: (_, init) => plainText(ai, model, init),
    });
    assert.equal(await new Conversation(ai, transport, "text").say("SAY plain"), "plain");
  });
}

/** The two handlers of a Next.js app: `POST /api/chat` and `GET /api/chat/[id]/stream`. */
function routeOf(ai: Sdk, model: Ai.LanguageModel) {
  const streams = new Map<string, ReadableStream<string>>();
  const route: typeof fetch = async (address, init) => {
    const path = String(address);
    if (init?.method !== "POST") {
      const [, id = ""] = /chat\/([^/]+)\/stream/.exec(path) ?? [];
      const kept = streams.get(id);
      return kept === undefined
        ? new Response(null, { status: 204 })
        : new Response(kept.pipeThrough(new TextEncoderStream()));
    }
    const { id, messages } = JSON.parse(String(init.body)) as {
      id: string;
      messages: Ai.UIMessage[];
    };
    const result = ai.streamText({
      model,
      messages: await ai.convertToModelMessages(messages),
      tools: {
        colour: ai.tool({
          description: "The colour that the user chooses.",
          inputSchema: ai.jsonSchema({
            type: "object",
            properties: { wish: { type: "string" } },
            required: ["wish"],
          }),
        }),
      },
      onError: () => undefined,
    });
    return result.toUIMessageStreamResponse({
      consumeSseStream: ({ stream }) => void streams.set(id, stream),
    });
  };
  return { route, streams };
}

async function plainText(
  ai: Sdk,
  model: Ai.LanguageModel,
  init: RequestInit | undefined,
): Promise<Response> {
  const { messages } = JSON.parse(String(init?.body)) as { messages: Ai.UIMessage[] };
  return ai
    .streamText({ model, messages: await ai.convertToModelMessages(messages) })
    .toTextStreamResponse();
}

/** A chat as `useChat` leads it over its transport: it keeps the messages, and reads each stream into the last one. */
class Conversation {
  readonly messages: Ai.UIMessage[] = [];
  readonly errors: unknown[] = [];
  readonly #ai: Sdk;
  readonly #transport: Ai.ChatTransport<Ai.UIMessage>;
  readonly #id: string;

  constructor(ai: Sdk, transport: Ai.ChatTransport<Ai.UIMessage>, id: string) {
    this.#ai = ai;
    this.#transport = transport;
    this.#id = id;
  }

  say(text: string): Promise<string> {
    const id = `user-${this.messages.length}`;
    this.messages.push({ id, role: "user", parts: [{ type: "text", text }] });
    return this.goOn();
  }

  async goOn(): Promise<string> {
    const stream = await this.#transport.sendMessages({
      chatId: this.#id,
      trigger: "submit-message",
      messageId: undefined,
      abortSignal: undefined,
      messages: this.messages,
    });
    let last: Ai.UIMessage | undefined;
    const before = this.messages.at(-1);
    const read = this.#ai.readUIMessageStream({
      stream,
      ...(before?.role === "assistant" && { message: before }),
      onError: (error) => void this.errors.push(error),
    });
    for await (const message of read) last = message;
    if (last === undefined) return "";
    if (before?.role === "assistant") this.messages.pop();
    this.messages.push({ ...last, id: last.id === "" ? `a-${this.messages.length}` : last.id });
    return textOf(last);
  }

  /** Puts the result of a tool of the front end in its part, as `addToolResult` does. */
  textAfterResult(tool: string, output: string): string {
    const last = this.messages.at(-1);
    const part = last?.parts.find(({ type }) => type === `tool-${tool}`);
    assert.ok(part, `no call of ${tool}: ${JSON.stringify(last)}`);
    Object.assign(part, { state: "output-available", output });
    return JSON.stringify(part);
  }
}

function textOf({ parts }: Ai.UIMessage): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
