// The Worker that bench/durable.ts measures: crews with a number of tool round trips, and the floor they are compared with.
import { DurableObject } from "cloudflare:workers";
import OpenAI from "openai";
import * as z from "zod";
import { NO_USAGE } from "../src/base/usage.ts";
import { Conversation, ConversableAgent, RoundRobinPattern } from "../src/conversation/index.ts";
import { Agent, Crew, Task, tool } from "../src/index.ts";
import type { LanguageModel, Message } from "../src/entry/models.ts";
import { defineApp } from "../src/worker.ts";
import { chainFlow, fanFlow, waitingFlow } from "./flows.ts";

const parameters = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
const description = "Look a word up.";

const lookup = tool({
  name: "lookup",
  description,
  input: z.object({ word: z.string() }),
  run: () => "known",
});
const ask = tool({
  name: "ask",
  description: "Ask a person.",
  input: z.object({ word: z.string() }),
  run: (_, { wait }) => wait("answer", { kind: "human", prompt: "?" }),
});

function crewOf(model: string): Crew {
  const agent = new Agent({
    role: "Researcher",
    goal: "Find out",
    backstory: "Careful.",
    tools: [lookup, ask],
    llm: `openai/${model}`,
    maxIter: 10_000,
  });
  return new Crew({
    tasks: [
      new Task({
        name: "look",
        description: "Look the words up",
        expectedOutput: "What you found",
        agent,
      }),
    ],
  });
}

/** Four agents in turn, with so many model calls in all. */
function groupOf(calls: number): Conversation {
  const agents = Array.from(
    { length: 4 },
    (_, index) =>
      new ConversableAgent({
        name: `agent${index}`,
        humanInputMode: "NEVER",
        systemMessage: "Careful.",
        llm: "openai/rounds-0",
      }),
  );
  const pattern = new RoundRobinPattern({ agents, initialAgent: agents[0] as ConversableAgent });
  return new Conversation({ name: `group-${calls}`, pattern, maxRounds: calls + 1 });
}

/** Answers at once, so that all that is measured is ours. */
const instant: LanguageModel = {
  id: "bench/instant",
  capabilities: { tools: true, responseSchema: true, stop: true },
  contextWindow: 100_000,
  generate: async () => ({
    text: "A short answer.",
    toolCalls: [],
    finishReason: "stop",
    usage: { ...NO_USAGE, promptTokens: 100, completionTokens: 5, totalTokens: 105, requests: 1 },
  }),
};

function instantCrew(tasks: number, options: { asyncExecution?: boolean; maxRpm?: number } = {}) {
  const { asyncExecution = false, maxRpm } = options;
  const agent = new Agent({ role: "Writer", goal: "Write", backstory: "Quick.", llm: instant });
  const made = Array.from(
    { length: tasks },
    (_, index) =>
      new Task({
        name: `t${index}`,
        description: "Write about {topic}",
        expectedOutput: "A line",
        agent,
        asyncExecution: asyncExecution && index < tasks - 1,
      }),
  );
  return new Crew({ tasks: made, ...(maxRpm === undefined ? undefined : { maxRpm }) });
}

const names = [0, 1, 10, 40, 50, 160, 200, "1000-ask", "50-slow"].map(
  (rounds) => `rounds-${rounds}`,
);
const app = defineApp({
  crews: {
    ...Object.fromEntries(names.map((name) => [name, crewOf(name)])),
    "one-task": instantCrew(1),
    "two-tasks": instantCrew(2),
    "in-turn-100": instantCrew(101),
    "fanned-out-100": instantCrew(101, { asyncExecution: true }),
    // A limit that is never met keeps the tasks in the run.
    "beside-100": instantCrew(101, { asyncExecution: true, maxRpm: 1_000_000 }),
  },
  agents: {
    speaker: new Agent({
      role: "Speaker",
      goal: "Speak",
      backstory: "Quick.",
      llm: "openai/stream-20",
      stream: true,
    }),
  },
  conversations: Object.fromEntries(
    [11, 41, 161].map((calls) => [`group-${calls}`, groupOf(calls)]),
  ),
  flows: {
    "chain-1": chainFlow(1),
    "chain-10": chainFlow(10),
    "chain-100": chainFlow(100),
    "fan-100": fanFlow(100),
    waiting: waitingFlow,
  },
});
export const { CrewRun } = app.durableObjects;

/** What a run is compared with: an object that makes a table when it is first called, and keeps a row. */
export class Bare extends DurableObject<BenchEnv> {
  readonly #done = Promise.withResolvers<void>();

  make(): void {
    this.ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS commits (n INTEGER PRIMARY KEY, head TEXT, body TEXT)",
    );
    this.#keep();
  }

  /** The same, and all that the platform does for a run of one task: two alarms, three further rows, and the end in the index. */
  async work(id: string): Promise<void> {
    this.make();
    await this.ctx.storage.put("id", id);
    await this.ctx.storage.setAlarm(Date.now());
    await this.#done.promise;
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + 1000);
    this.#keep();
    const id = await this.ctx.storage.get("id");
    const update = this.env.DB.prepare(
      "UPDATE runs SET status = 'completed', updated_at = ?, version = 3, lease_until = NULL WHERE tenant = 'bare' AND id = ?",
    );
    this.#keep();
    await update.bind(Date.now(), id).run();
    this.#keep();
    await this.ctx.storage.deleteAlarm();
    this.#done.resolve();
  }

  /** The plain SDK's loop, and a row of the length of a turn's before each request but the first. */
  async talk(baseUrl: string, rounds: number): Promise<void> {
    this.make();
    const text = "x".repeat(1200);
    await plainSdk(baseUrl, rounds, () => {
      const insert = "INSERT INTO commits (head, body) VALUES (?, ?)";
      this.ctx.storage.sql.exec(insert, text, text);
    });
  }

  /** A stream of so many pieces, one each so many milliseconds, and nothing behind it. */
  override fetch(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const [pieces, everyMs, bytes] = ["pieces", "every", "bytes"].map((name) =>
      Number(searchParams.get(name)),
    ) as [number, number, number];
    const piece = new TextEncoder().encode("x".repeat(bytes));
    let left = pieces;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (left-- <= 0) return controller.close();
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        controller.enqueue(piece);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  #keep(): void {
    this.ctx.storage.sql.exec("INSERT INTO commits (head, body) VALUES (?, ?)", "{}", "kept");
  }
}

/** An object, its alarm and its row in the index, with no engine. */
async function bareRun({ BARE, DB }: BenchEnv): Promise<Response> {
  const id = crypto.randomUUID();
  await DB.prepare(
    "INSERT INTO runs (tenant, id, kind, name, status, created_at, updated_at, version, lease_until) VALUES ('bare', ?, 'crew', 'bare', 'queued', 1, 1, 0, 1)",
  )
    .bind(id)
    .run();
  await BARE.getByName(id).work(id);
  return new Response("done");
}

type BenchEnv = {
  readonly OPENAI_BASE_URL: string;
  readonly DB: D1Database;
  readonly BARE: DurableObjectNamespace<Bare>;
};

/** So many new objects, as many at once as a batch starts. */
async function bareObjects({ BARE }: BenchEnv, count: number): Promise<Response> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const object = BARE.getByName(crypto.randomUUID());
      await object.make();
    }
  };
  await Promise.all(Array.from({ length: 5 }, lane));
  return new Response("done");
}

/** The model's own stream, passed on as it comes. */
function relay({ OPENAI_BASE_URL }: BenchEnv): Promise<Response> {
  return fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer k" },
    body: JSON.stringify({ model: "stream-20", messages: [], stream: true }),
  });
}

export default {
  ...app,
  async fetch(
    request: Request,
    env: Parameters<typeof app.fetch>[1] & BenchEnv,
    context: ExecutionContext,
  ) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/floor")
      return floor(env.OPENAI_BASE_URL, Number(searchParams.get("rounds")));
    if (pathname === "/sdk")
      return plainSdk(env.OPENAI_BASE_URL, Number(searchParams.get("rounds")));
    if (pathname === "/sdk-rows") {
      const object = env.BARE.getByName(crypto.randomUUID());
      await object.talk(env.OPENAI_BASE_URL, Number(searchParams.get("rounds")));
      return new Response("done");
    }
    if (pathname === "/objects") return bareObjects(env, Number(searchParams.get("count")));
    if (pathname === "/bare-run") return bareRun(env);
    if (pathname === "/bare-stream") return env.BARE.getByName("stream").fetch(request);
    if (pathname === "/relay") return relay(env);
    if (pathname === "/bare") return bareLoops(Number(searchParams.get("loops")));
    return app.fetch(request, env, context);
  },
};

/** What runs of "two-tasks" come to without an engine: two calls of the same model one after another, and nothing kept. */
async function bareLoops(loops: number): Promise<Response> {
  const { signal } = new AbortController();
  for (let loop = 0; loop < loops; loop++) {
    const messages: Message[] = [{ role: "user", content: `Write about tea ${loop}` }];
    const first = await instant.generate({ messages }, { signal });
    messages.push({ role: "assistant", content: first.text });
    messages.push({ role: "user", content: `Write about tea ${loop}` });
    await instant.generate({ messages }, { signal });
  }
  return new Response("done");
}

/** The same conversation with the plain SDK. */
async function plainSdk(baseURL: string, rounds: number, keep?: () => void): Promise<Response> {
  client ??= new OpenAI({ apiKey: "k", baseURL, maxRetries: 0 });
  const tools = [
    { type: "function" as const, function: { name: "lookup", description, parameters } },
  ];
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
    { role: "system", content: "You are a researcher. Do the task." },
    { role: "user", content: "Look the words up and tell what you found." },
  ];
  for (;;) {
    const request = { model: `rounds-${rounds}`, messages, tools };
    const { choices } = await client.chat.completions.create(request);
    const message = choices[0]?.message;
    if (message?.tool_calls === undefined) return new Response("done");
    messages.push(message);
    for (const call of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: call.id, content: "known" });
    keep?.();
  }
}

let client: OpenAI | undefined;

/** The same conversation with nothing but `fetch`. */
async function floor(baseUrl: string, rounds: number): Promise<Response> {
  const tools = [{ type: "function", function: { name: "lookup", description, parameters } }];
  const messages: object[] = [
    { role: "system", content: "You are a researcher. Do the task." },
    { role: "user", content: "Look the words up and tell what you found." },
  ];
  for (;;) {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer k" },
      body: JSON.stringify({ model: `rounds-${rounds}`, messages, tools }),
    });
    const { choices } = (await response.json()) as {
      choices: [{ message: { tool_calls?: Array<{ id: string }> } }];
    };
    const [{ message }] = choices;
    if (message.tool_calls === undefined) return new Response("done");
    messages.push(message);
    for (const call of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: call.id, content: "known" });
  }
}
