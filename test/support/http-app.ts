// The HTTP layer over real runs in memory, as tests ask it.
import * as z from "zod";
import type { JsonValue } from "../../src/base/json.ts";
import { InMemoryEvaluationStore } from "../../src/crew/actions/evaluation-store.ts";
import { InMemoryTrainedStore } from "../../src/crew/actions/training.ts";
import { D1DefinitionStore } from "../../src/cloudflare/stores/d1-definition-store.ts";
import { D1KeyStore } from "../../src/cloudflare/stores/d1-key-store.ts";
import type { RunServices } from "../../src/events/run-services.ts";
import { agentPart } from "../../src/agent/agent-part.ts";
import { Agent } from "../../src/agent/description/agent.ts";
import { crewPart } from "../../src/crew/crew-part.ts";
import { Crew } from "../../src/crew/crew.ts";
import type { DefinitionRegistry } from "../../src/crew/definition/definition-registry.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import type { DeclarativeFlows } from "../../src/flow/declarative-flows.ts";
import { flowPart } from "../../src/flow/flow-part.ts";
import { InMemoryFlowStore } from "../../src/flow/flow-store.ts";
import type { BuiltFlow } from "../../src/flow/built-flow.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import { apiOf } from "../../src/http/api-of.ts";
import type { Api, BoundPart, Part, PartEnv } from "../../src/parts/part.ts";
import { createApp, type App } from "../../src/http/app.ts";
import { descriptionPart } from "../../src/http/openapi/description-part.ts";
import { openApiDocument } from "../../src/http/openapi/openapi.ts";
import type { AppServices } from "../../src/http/services.ts";
import type { DefinitionRules } from "../../src/llm/definition-rules.ts";
import type { LanguageModel } from "../../src/llm/language-model.ts";
import { modelCatalog } from "../../src/llm/model-catalog.ts";
import { bindParts } from "../../src/parts/bind-parts.ts";
import { MAX_BODY_BYTES } from "../../src/parts/request-body.ts";
import { openServices, runCare } from "../../src/parts/services.ts";
import type { DefinitionReaders } from "../../src/parts/definition-body.ts";
import { allReaders } from "./all-readers.ts";
import { crewaiPart } from "../../src/protocols/crewai/server.ts";
import {
  scriptedModel,
  type Script,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedModel,
} from "../../src/llm/scripted/scripted-model.ts";
import type { RunHostPorts } from "../../src/runtime/run-host.ts";
import type { OutboxSink } from "../../src/runtime/deliveries/outbox.ts";
import { isTerminal } from "../../src/runtime/run.ts";
import { SimulatedClock } from "../../src/testing/simulated-clock.ts";
import type { ToolCatalog } from "../../src/tools/tool-catalog.ts";
import { toolsPart } from "../../src/tools/tools-part.ts";
import { tool } from "../../src/tools/tool.ts";
import { describedAnswers } from "./described-answers.ts";
import { InMemoryRunDirectory } from "./in-memory-run-directory.ts";
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
export function askingScript(
  question = "Go on?",
  choices?: readonly string[],
): (request: ScriptedRequest) => ScriptedReply {
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

export type HttpWorldOptions = {
  readonly script?: Script;
  /** In place of the scripted model. */
  readonly runModel?: LanguageModel;
  /** The models of runs by what they are named. @default the same one for all */
  readonly runModels?: RunHostPorts["models"];
  readonly crews?: Readonly<Record<string, Crew>>;
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly flows?: Readonly<Record<string, BuiltFlow>>;
  /** @default those of an app that accepts every form */
  readonly readers?: DefinitionReaders;
  readonly declarativeFlows?: DeclarativeFlows;
  readonly limits?: { readonly maxBodyBytes?: number; readonly maxBatchInputs?: number };
  readonly catalogs?: readonly ToolCatalog[];
  /** Beside crews, agents, flows and the CrewAI-compatible routes. */
  readonly parts?: readonly Part[];
  /** Services of runs, over those of the parts. */
  readonly runServices?: (tenant: string) => RunServices;
  readonly env?: PartEnv;
  /** Delivers the webhooks of runs. @default they are dropped */
  readonly webhookSink?: (
    clock: SimulatedClock,
    parts: readonly Part[],
  ) => NonNullable<OutboxSink["webhook"]>;
  /** What the hosts of runs have beside. */
  readonly host?: Pick<RunHostPorts, "report" | "listeners">;
  readonly allowPrivate?: boolean;
  /** The Worker's variables, as parts find them. @default {} */
  readonly placeVariables?: Readonly<Record<string, string | undefined>>;
  /** What models of definitions may name. */
  readonly definitionRules?: DefinitionRules;
} & DefinitionRegistry &
  Partial<Omit<AppServices, "parts" | "env">>;

export class HttpWorld {
  readonly clock = new SimulatedClock();
  readonly keys: D1KeyStore;
  readonly definitions: D1DefinitionStore;
  readonly trained = perTenant(() => new InMemoryTrainedStore());
  readonly evaluations = perTenant(() => new InMemoryEvaluationStore());
  flowStates = perTenant(() => new InMemoryFlowStore());
  readonly model: ScriptedModel;
  readonly runs: InMemoryRunDirectory;
  readonly app: App;
  /** The parts at work, by name. */
  readonly bound: ReadonlyMap<string, BoundPart>;
  readonly services: AppServices;
  readonly api: Api;
  /** What the app took for bugs. */
  readonly reported: unknown[] = [];
  #ids = 0;

  constructor(options: HttpWorldOptions = {}) {
    const {
      script = () => "A fine answer",
      runModel,
      runModels,
      crews = { briefing, greeting },
      agents = { researcher, writer },
      flows = { review },
      tools = [ask],
      catalogs = [],
      functions,
      schemas,
      declarativeFlows,
      limits = {},
      parts: more = [],
      readers = allReaders,
      runServices = () => ({}),
      env,
      allowPrivate = false,
      definitionRules,
      placeVariables = {},
      webhookSink,
      host,
      ...services
    } = options;
    // Threads and runs are joined in queries: one database has both.
    const database =
      env !== undefined && "DB" in env ? (env.DB as ReturnType<typeof sqliteD1>) : sqliteD1();
    this.keys = new D1KeyStore(database);
    this.definitions = new D1DefinitionStore(
      database,
      (tenant) => this.services.placeOf(tenant).services.quotas,
    );
    this.model = scriptedModel(script, { clock: this.clock });
    const registry = { tools, catalogs, functions, schemas };
    const stores: Part = {
      name: "stores",
      services: {
        trained: ({ tenant }) => this.trained(tenant),
        evaluations: ({ tenant }) => this.evaluations(tenant),
        flowStates: ({ tenant }) => this.flowStates(tenant),
        storedDefinitions:
          ({ tenant }) =>
          (kind, name) =>
            this.definitions.get(tenant, kind, name),
        runEnded:
          ({ tenant }) =>
          (id) =>
            this.runs.get(tenant, id).then(
              ({ status }) => isTerminal(status),
              () => undefined,
            ),
      },
    };
    const parts: readonly Part[] = [
      crewPart({ crews, registry, maxBatchInputs: limits.maxBatchInputs, readers }),
      agentPart(agents),
      flowPart({ flows, declarativeFlows, registry: { ...registry, crews }, readers }),
      ...more,
      toolsPart({ tools, catalogs }),
      crewaiPart(),
      descriptionPart(),
      stores,
    ];
    const environment = {
      variables: placeVariables,
      ...(definitionRules === undefined ? undefined : { definitions: definitionRules }),
    };
    const bindings = env ?? { DB: database };
    const placeOf = (tenant: string): ReturnType<AppServices["placeOf"]> => {
      const { clock } = this;
      const place = { tenant, env: bindings, environment, outbound: { allowPrivate }, clock };
      return { ...place, services: openServices(parts, place, runServices(tenant)) };
    };
    this.runs = new InMemoryRunDirectory({
      clock: this.clock,
      database,
      parts,
      model: runModel ?? this.model,
      ...(runModels === undefined ? undefined : { models: runModels }),
      services: (tenant) => placeOf(tenant).services,
      care: runCare(parts, placeOf),
      ...(host === undefined ? undefined : { host }),
      ...(webhookSink === undefined ? undefined : { webhook: webhookSink(this.clock, parts) }),
    });
    this.services = {
      parts,
      env: bindings,
      placeOf,
      runs: this.runs,
      definitions: this.definitions,
      keys: this.keys,
      models: modelCatalog(environment),
      variables: {},
      auth: { mode: "open-to-everybody" }, // tests ask hosts of all names
      maxBodyBytes: limits.maxBodyBytes ?? MAX_BODY_BYTES,
      clock: this.clock,
      randomId: () => `id-${++this.#ids}`,
      randomSecret: () => `secret-${++this.#ids}`,
      report: (error) => this.reported.push(error),
      ...services,
    };
    for (const part of parts) part.check?.(parts);
    this.bound = bindParts(this.services);
    this.api = apiOf(this.services, [...this.bound.values()]);
    this.app = asDescribed(createApp(this.services, [...this.bound.values()]), this.api);
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

/** Checkers by the operations that they know: many worlds have the same. */
const checkers = new Map<string, ReturnType<typeof describedAnswers>>();

/** The app, whose requests reject where an answer is not as the app describes it. */
function asDescribed(app: App, api: Api): App {
  const { fetch } = app;
  app.fetch = async (request, ...rest) => {
    const answer = await fetch(request, ...rest);
    const key = api.operations.map(({ id, path, scope }) => `${id} ${path} ${scope}`).join("\n");
    const check = checkers.get(key) ?? describedAnswers(openApiDocument(api));
    checkers.set(key, check);
    const fault = await check(request, answer);
    if (fault !== undefined) throw new Error(fault);
    return answer;
  };
  return app;
}
