// The HTTP layer over real runs in memory, as tests ask it.
import * as z from "zod";
import { MemoryEvaluationStore } from "../../src/base/evaluation-store.ts";
import { MemoryFlowStore } from "../../src/base/flow-store.ts";
import type { JsonValue } from "../../src/base/json.ts";
import { MemoryTrainedStore } from "../../src/base/training.ts";
import type { AppPart } from "../../src/cloudflare/app-part.ts";
import { D1DefinitionStore } from "../../src/cloudflare/d1-definition-store.ts";
import { D1KeyStore } from "../../src/cloudflare/d1-key-store.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import { Agent } from "../../src/agent/agent.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/task.ts";
import { defineFlow } from "../../src/flow/flow.ts";
import { createApp, type App } from "../../src/http/app.ts";
import type { AppServices } from "../../src/http/services.ts";
import type { ApiPart } from "../../src/runtime/api-part.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedModel,
} from "../../src/llm/scripted/scripted-model.ts";
import { isTerminal } from "../../src/runtime/run.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { tool } from "../../src/tools/tool.ts";
import { MemoryRunDirectory } from "./memory-run-directory.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

/** Asks a person; with choices when its input has some. */
export const ask = tool({
  name: "ask",
  description: "Ask a person.",
  input: z.object({ question: z.string(), choices: z.array(z.string()).optional() }),
  run: ({ question, choices }, context) =>
    context.wait("answer", {
      kind: "human",
      prompt: question,
      ...(choices === undefined ? undefined : { choices }),
    }),
});

const researcher = new Agent({
  role: "Researcher",
  goal: "Find facts about {topic}",
  backstory: "You dig deep.",
  tools: [ask],
});
const writer = new Agent({ role: "Writer", goal: "Write", backstory: "You write short." });

/** Two tasks; needs the input `topic`. */
export const briefing = new Crew({
  name: "briefing",
  tasks: [
    new Task({
      name: "research",
      description: "Research {topic}",
      expectedOutput: "Facts",
      agent: researcher,
    }),
    new Task({
      name: "report",
      description: "Write about {topic}",
      expectedOutput: "A page",
      agent: writer,
    }),
  ],
});

/** Needs no input. */
export const greeting = new Crew({
  name: "greeting",
  tasks: [
    new Task({
      name: "greet",
      description: "Greet everybody",
      expectedOutput: "A greeting",
      agent: writer,
    }),
  ],
});

/** Has a person look at a draft on the input `topic`. */
export const review = defineFlow({
  name: "review",
  state: z.object({ topic: z.string(), draft: z.string().default("") }),
  methods: {
    draft: {
      start: true,
      humanFeedback: { message: "Good?", emit: ["approved", "rejected"] },
      run: ({ state }) => {
        state.draft = `On ${state.topic}`;
        return state.draft;
      },
    },
    publish: { listen: "approved", run: ({ state }) => `Published: ${state.draft}` },
    drop: { listen: "rejected", run: () => "Dropped" },
  },
});

/** What a model does that asks `question` once and then repeats what it was told. */
export function askingScript(question = "Go on?", choices?: readonly string[]): Script {
  return ({ messages }) => {
    const told = messages.at(-1);
    if (told?.role === "tool") return `Final: ${told.content}`;
    return {
      toolCalls: [
        { name: "ask", arguments: choices === undefined ? { question } : { question, choices } },
      ],
    };
  };
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonAnswer;
};

// Tests look into answers by name and compare what they find, so a wrong name shows as a failed comparison.
export type JsonAnswer = { readonly [name: string]: JsonAnswer } & {
  readonly [index: number]: JsonAnswer;
};

export type AskOptions = {
  readonly method?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Record<string, string>;
  readonly key?: string;
};

/** A store of its own for each tenant. */
function perTenant<Store>(open: () => Store): (tenant: string) => Store {
  const stores = new Map<string, Store>();
  return (tenant) => {
    const store = stores.get(tenant) ?? open();
    stores.set(tenant, store);
    return store;
  };
}

export class HttpWorld {
  readonly clock = new SimulatedClock();
  readonly keys: D1KeyStore;
  readonly definitions: D1DefinitionStore;
  readonly trained = perTenant(() => new MemoryTrainedStore());
  readonly evaluations = perTenant(() => new MemoryEvaluationStore());
  readonly flowStates = perTenant(() => new MemoryFlowStore());
  readonly model: ScriptedModel;
  readonly runs: MemoryRunDirectory;
  readonly app: App;
  /** What the app took for bugs. */
  readonly reported: unknown[] = [];
  #ids = 0;

  constructor(
    options: {
      readonly script?: Script;
      readonly partsOf?: (services: AppServices) => readonly ApiPart[];
      /** Memory and knowledge: their runs, and what runs find of them. */
      readonly appParts?: readonly AppPart[];
      readonly runServices?: (tenant: string) => RunServices;
    } & Partial<AppServices> = {},
  ) {
    const {
      script = () => "A fine answer",
      partsOf,
      appParts = [],
      runServices = () => ({}),
      ...services
    } = options;
    const database = sqliteD1();
    this.keys = new D1KeyStore(database);
    this.definitions = new D1DefinitionStore(database);
    this.model = scriptedModel(script, { clock: this.clock });
    const crews = services.crews ?? { briefing, greeting };
    const tools = services.tools ?? [ask];
    const agents = services.agents ?? { researcher, writer };
    const flows = services.flows ?? { review };
    this.runs = new MemoryRunDirectory({
      clock: this.clock,
      database,
      crews,
      agents,
      flows,
      declarativeFlows: services.declarativeFlows,
      tools,
      model: this.model,
      appParts,
      services: (tenant) => ({
        ...runServices(tenant),
        trained: this.trained(tenant),
        evaluations: this.evaluations(tenant),
        flowStates: this.flowStates(tenant),
        runEnded: (id) =>
          this.runs.get(tenant, id).then(
            ({ status }) => isTerminal(status),
            () => undefined,
          ),
      }),
    });
    const all: AppServices = {
      runs: this.runs,
      definitions: this.definitions,
      keys: this.keys,
      trained: this.trained,
      evaluations: this.evaluations,
      flowStates: this.flowStates,
      crews,
      agents,
      flows,
      tools,
      auth: { mode: "open" },
      clock: this.clock,
      randomId: () => `id-${++this.#ids}`,
      randomSecret: () => `secret-${++this.#ids}`,
      report: (error) => this.reported.push(error),
      ...services,
    };
    this.app = createApp(partsOf === undefined ? all : { ...all, parts: partsOf(all) });
  }

  request(path: string, { method, json, body, headers, key }: AskOptions = {}): Promise<Response> {
    const sent = json === undefined ? body : JSON.stringify(json);
    return Promise.resolve(
      this.app.request(path, {
        method: method ?? (sent === undefined ? "GET" : "POST"),
        ...(sent === undefined ? undefined : { body: sent, duplex: "half" }),
        headers: {
          ...(json === undefined ? undefined : { "content-type": "application/json" }),
          ...(key === undefined ? undefined : { authorization: `Bearer ${key}` }),
          ...headers,
        },
      }),
    );
  }

  async ask(path: string, options: AskOptions = {}): Promise<Answer> {
    const response = await this.request(path, options);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (isJson ? (JSON.parse(text) as JsonValue) : null) as unknown as JsonAnswer,
    };
  }

  /** Starts a run and lets it go as far as it can by itself. */
  async kickoff(crew = "greeting", json: unknown = {}, options: AskOptions = {}): Promise<string> {
    const { status, json: started } = await this.ask(`/crews/${crew}/kickoff`, {
      ...options,
      json,
    });
    if (status !== 202) throw new Error(`kickoff answered ${status}: ${JSON.stringify(started)}`);
    await this.clock.settle();
    return textOf(started["id"]);
  }
}

/** All that an iterable gives. */
export async function arrayOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const array: Item[] = [];
  for await (const item of items) array.push(item);
  return array;
}

/** What an answer says where a text is expected. */
export function textOf(value: JsonAnswer | undefined): string {
  if (typeof value !== "string") throw new Error(`expected a text, got ${JSON.stringify(value)}`);
  return value;
}
