// Plays the replies of programs to any client of OpenAI's API, and keeps the requests: `/<side>/<program>/v1/…`.
import type { ServerResponse } from "node:http";
import { LoopbackServer, sendJson, type Handler } from "../support/loopback-server.ts";
import type { Program, Reply } from "./program.ts";

export type WireMessage = {
  readonly role: string;
  readonly name?: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
};

export type WireTool = {
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: object;
    readonly strict?: boolean;
  };
};

export type ChatRequest = {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: unknown;
  readonly stop?: unknown;
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly schema?: Shape };
  };
  readonly model?: string;
  readonly stream?: boolean;
};

type Shape = { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };

const DIMENSIONS = 64;

export class RecordingServer {
  readonly #programs: ReadonlyMap<string, Program>;
  readonly #requests = new Map<string, ChatRequest[]>();
  readonly #server = new LoopbackServer((request, response) => this.#answer(request, response));

  constructor(programs: readonly Program[]) {
    this.#programs = new Map(programs.map((each) => [each.id, each]));
  }

  /** Listens on a free port of loopback and returns its address. */
  listen(): Promise<string> {
    return this.#server.listen();
  }

  close(): void {
    this.#server.close();
  }

  /** The requests of one side for one program, in their order. */
  requests(side: "ours" | "theirs", id: string): readonly ChatRequest[] {
    return this.#requests.get(`${side}/${id}`) ?? [];
  }

  #answer({ path: url, body: text }: Parameters<Handler>[0], response: ServerResponse): void {
    const path = /^\/(ours|theirs)\/([^/]+)\/v1\/(chat\/completions|embeddings)$/.exec(url);
    const [, side = "", id = "", what] = path ?? [];
    const program = this.#programs.get(id);
    if (program === undefined) return sendJson(response, { error: { message: "no path" } }, 404);
    const body = JSON.parse(text) as ChatRequest & {
      readonly input?: unknown;
    };
    if (what === "embeddings") return sendJson(response, embeddings(body.input));
    const key = `${side}/${id}`;
    const requests = this.#requests.get(key) ?? [];
    this.#requests.set(key, requests);
    requests.push(body);
    const reply = program.replies[requests.length - 1] ?? program.replies.at(-1) ?? {};
    sendJson(response, completion(body, reply, `${id}_${requests.length}`));
  }
}

function completion(body: ChatRequest, reply: Reply, id: string): object {
  const name =
    reply.tool === undefined
      ? undefined
      : body.tools?.find((each) => each.function.name.startsWith(reply.tool ?? ""))?.function.name;
  const message =
    name === undefined
      ? { role: "assistant", content: fitting(reply.text ?? "no such tool", body) }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `call_${id}`,
              type: "function",
              function: { name, arguments: JSON.stringify(reply.args ?? {}) },
            },
          ],
        };
  const finish = name === undefined ? "stop" : "tool_calls";
  return {
    id: `r_${id}`,
    object: "chat.completion",
    created: 1,
    model: body.model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

/** Words in the shape that is asked for, where that has one text. */
function fitting(text: string, { response_format: format }: ChatRequest): string {
  const properties = Object.keys(format?.json_schema?.schema?.properties ?? {});
  const [only] = properties;
  if (properties.length !== 1 || only === undefined || text.startsWith("{")) return text;
  return JSON.stringify({ [only]: text });
}

/** Vectors of words: texts with equal words are near each other. */
function embeddings(input: unknown): object {
  const texts = Array.isArray(input) ? (input as readonly unknown[]).map(String) : [String(input)];
  return {
    object: "list",
    model: "text-embedding-3-small",
    data: texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  };
}

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.01);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let hash = 0;
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % DIMENSIONS;
    vector[hash] = (vector[hash] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
