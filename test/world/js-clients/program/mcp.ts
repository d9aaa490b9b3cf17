// Clients of the Model Context Protocol: the SDK in three generations, and the AI SDK's own client.
import assert from "node:assert/strict";
import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import * as split from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { bearer, check, isSlice, leave, together, unique, url } from "./check.ts";

const ADDRESS = new URL(`${url}/mcp`);
const HEADERS = { requestInit: { headers: bearer } };
const SHAPE = '{"city":"Rome","degrees":21}';

/** The answer of a person to a form. */
type Answer = (form: { readonly message: string; readonly requestedSchema?: unknown }) => {
  action: "accept" | "decline" | "cancel";
  content?: { name?: string; answer?: string; approve?: boolean };
};
type Result = {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
  readonly toolResult?: unknown;
};
type CallOptions = {
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
  readonly signal?: AbortSignal;
};

/** A client of any generation, as far as they are used alike. */
type Session = {
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<Result>;
  list(): Promise<ReadonlyArray<{ name: string; inputSchema?: unknown }>>;
  prompt?(name: string, args: Record<string, string>): Promise<unknown>;
  close(): Promise<void>;
};
type Open = (answer?: Answer) => Promise<Session>;

await sessions(
  "mcp sdk 1.32",
  generation(Client, StreamableHTTPClientTransport, ElicitRequestSchema),
);
await sessions("mcp client 2.4", splitClient);
if (!isSlice) {
  await sessions("mcp sdk 1.12", await olderSdk());
  await sessions("ai sdk mcp", aiSdk);
}
leave();

async function sessions(name: string, open: Open): Promise<void> {
  const of = (what: string, run: (session: Session) => Promise<void>): Promise<void> =>
    check(name, what, async () => {
      const session = await open();
      await run(session).finally(() => session.close());
    });
  await together([
    of("list", async (session) => {
      const tools = await session.list();
      const names = tools.map((tool) => tool.name);
      for (const tool of ["clerk", "news", "shaped", "reviewed", "counter", "shop", "steps"])
        assert.ok(names.includes(tool), `${tool} is not among ${names.join(" ")}`);
    }),
    of("a conversational flow takes a message and a session", async (session) => {
      const shop = (await session.list()).find((tool) => tool.name === "shop");
      const { properties = {} } = (shop?.inputSchema ?? {}) as { properties?: object };
      assert.deepEqual(Object.keys(properties).toSorted(), ["message", "session"]);
    }),
    of("a crew as a tool", async (session) => {
      assert.match(textOf(await session.call("news", { topic: "good day" })), /good day/);
    }),
    of("an agent as a tool", async (session) => {
      assert.match(textOf(await session.call("clerk", { message: "SAY fine" })), /fine/);
    }),
    of("structured content of a crew", async (session) => {
      const { structuredContent } = await session.call("shaped", { topic: SHAPE });
      assert.deepEqual(structuredContent, JSON.parse(SHAPE));
    }),
    of("a failed crew is an error of the tool", async (session) => {
      const result = await session.call("failing_39", { topic: "x" });
      assert.equal(result.isError, true);
    }),
    of("a wrong argument", async (session) => {
      const said = await session.call("news", {}).then(
        (result) => (result.isError === true ? textOf(result) : "accepted"),
        (error: unknown) => String(error),
      );
      assert.match(said, /topic/);
    }),
    of("a conversation of two turns", async (session) => {
      const say = (message: string) =>
        session.call("shop", { message, session: `${name} talk ${unique}` });
      await say("my dog is Rex");
      assert.match(textOf(await say("RECALL")), /RECALLED.*my dog is Rex/);
    }),
    of("a question, answered by answer_run", async (session) => {
      const asked = await session.call("shop", { message: "I order tea" });
      const { runId } = (asked.structuredContent ?? {}) as { runId?: string };
      assert.ok(runId, textOf(asked));
      assert.match(textOf(await session.call("answer_run", { runId, answer: "5" })), /5 packets/);
    }),
    of("cancel", async (session) => {
      const leaving = new AbortController();
      const call = session.call("endless", {}, { signal: leaving.signal });
      setTimeout(() => leaving.abort(), 500);
      await assert.rejects(call);
    }),
  ]);
  if (name !== "ai sdk mcp") {
    await of("progress of a tool", async (session) => {
      const seen: number[] = [];
      await session.call("steps", {}, { onprogress: ({ progress }) => void seen.push(progress) });
      assert.ok(seen.length >= 3, `progress ${seen.join(" ")}`);
    });
    await of("progress of a flow", async (session) => {
      const seen: string[] = [];
      await session.call(
        "slow",
        {},
        { onprogress: ({ message }) => void seen.push(message ?? "") },
      );
      assert.ok(seen.length >= 2, `progress ${seen.join(" | ")}`);
    });
    await of("a prompt", async (session) => {
      const prompt = await session.prompt?.("news_news", { topic: "tea" });
      assert.match(JSON.stringify(prompt), /tea/);
    });
  }
  if (name !== "mcp sdk 1.12") await forms(name, open); // which has no forms yet
}

/** Questions to the client's user. */
async function forms(name: string, open: Open): Promise<void> {
  const asked = (what: string, answer: Answer, run: (session: Session) => Promise<void>) =>
    check(name, `elicitation: ${what}`, async () => {
      const session = await open(answer);
      await run(session).finally(() => session.close());
    });
  await together([
    asked(
      "accepted",
      () => ({ action: "accept", content: { name: "Ann" } }),
      async (session) => {
        assert.match(textOf(await session.call("greet", {})), /accept Ann/);
      },
    ),
    asked(
      "declined",
      () => ({ action: "decline" }),
      async (session) => {
        assert.match(textOf(await session.call("greet", {})), /decline/);
      },
    ),
    asked(
      "a question of a flow",
      () => ({ action: "accept", content: { answer: "blue" } }),
      async (session) => {
        assert.match(textOf(await session.call("asks", {})), /painted blue/);
      },
    ),
    asked(
      "the approval of a tool call",
      () => ({ action: "accept", content: { approve: true } }),
      async (session) => {
        const result = await session.call("teller", { message: 'CALL refund {"order":"7"}' });
        assert.match(textOf(result), /RESULT refunded 7/);
      },
    ),
    asked(
      "a review is approved by yes",
      ({ requestedSchema }) => ({
        action: "accept",
        content: JSON.stringify(requestedSchema).includes('"approve"')
          ? { approve: true }
          : { answer: "yes" },
      }),
      async (session) => {
        assert.match(textOf(await session.call("reviewed", { topic: "a draft" })), /a draft/);
      },
    ),
  ]);
}

/** The SDK of the first generation. */
function generation(
  OwnClient: typeof Client,
  Transport: typeof StreamableHTTPClientTransport,
  elicit: typeof ElicitRequestSchema,
): Open {
  return async (answer) => {
    const client = new OwnClient(
      { name: "world", version: "1" },
      answer === undefined ? {} : { capabilities: { elicitation: {} } },
    );
    if (answer !== undefined)
      client.setRequestHandler(elicit, ({ params }) => answer(params as { message: string }));
    await client.connect(new Transport(ADDRESS, HEADERS) as Parameters<Client["connect"]>[0]);
    return {
      call: async (name, args, { onprogress, signal } = {}) =>
        client.callTool({ name, arguments: args }, undefined, {
          ...(onprogress && { onprogress }),
          ...(signal && { signal }),
        }),
      list: async () => (await client.listTools()).tools,
      prompt: (name, args) => client.getPrompt({ name, arguments: args }),
      close: () => client.close(),
    };
  };
}

async function olderSdk(): Promise<Open> {
  const load = (path: string): Promise<never> => import(`mcp-sdk-1-12/${path}`) as Promise<never>;
  const { Client: Older } = (await load("client/index.js")) as { Client: typeof Client };
  const { StreamableHTTPClientTransport: Transport } = (await load("client/streamableHttp.js")) as {
    StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  };
  const { ElicitRequestSchema: elicit } = (await load("types.js")) as {
    ElicitRequestSchema: typeof ElicitRequestSchema;
  };
  return generation(Older, Transport, elicit);
}

/** The SDK of the second generation, which comes in two packages. */
async function splitClient(answer?: Answer): Promise<Session> {
  const client = new split.Client(
    { name: "world", version: "2" },
    answer === undefined ? {} : { capabilities: { elicitation: { form: {} } } },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) =>
      answer(params as { message: string }),
    );
  await client.connect(new split.StreamableHTTPClientTransport(ADDRESS, HEADERS));
  return {
    call: (name, args, { onprogress, signal } = {}) =>
      client.callTool(
        { name, arguments: args },
        { ...(onprogress && { onprogress }), ...(signal && { signal }) },
      ),
    list: async () => (await client.listTools()).tools,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    close: () => client.close(),
  };
}

async function aiSdk(answer?: Answer): Promise<Session> {
  const client = await createMCPClient({
    transport: { type: "http", url: ADDRESS.href, headers: bearer },
    ...(answer !== undefined && { capabilities: { elicitation: {} } }),
  });
  if (answer !== undefined)
    client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => answer(params));
  return {
    call: async (name, args, { signal } = {}) => {
      const tools = await client.tools();
      const tool = tools[name];
      assert.ok(tool, `there is no tool ${name}`);
      return (await tool.execute(args, {
        toolCallId: "1",
        messages: [],
        context: {},
        ...(signal && { abortSignal: signal }),
      } as never)) as Result;
    },
    list: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

function textOf({ content }: Result): string {
  return JSON.stringify(content ?? null);
}
