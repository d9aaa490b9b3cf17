// Plays the scripts of cases to any client of OpenAI's API: `/<side>/case/<id>/v1/chat/completions`.
import type { ServerResponse } from "node:http";
import { LoopbackServer, sendJson, type Handler } from "../support/loopback-server.ts";
import type { CrewCase, Reply } from "./crew-case.ts";
import {
  promptFacts,
  taskOf,
  textsOf,
  type PromptFacts,
  type WireMessage,
} from "./prompt-facts.ts";

/** What one side asked for one case. */
export type Asked = {
  /** Model calls by task. */
  readonly calls: Record<string, number>;
  /** Facts about the first prompt of each task. */
  readonly seen: Record<string, PromptFacts>;
};

type ChatRequest = {
  readonly model?: string;
  readonly messages?: readonly WireMessage[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly stop?: string | readonly string[];
  readonly stream?: boolean;
};

const CONVERTED: Reply = { text: '{"title":"converted","count":7}' };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export class ScriptServer {
  readonly #cases = new Map<string, CrewCase>();
  readonly #asked = new Map<string, Asked>();
  readonly #server = new LoopbackServer((request, response) => this.#answer(request, response));

  constructor(cases: readonly CrewCase[]) {
    for (const each of cases) this.#cases.set(each.id, each);
  }

  /** Listens on a free port of loopback and returns its address. */
  listen(): Promise<string> {
    return this.#server.listen();
  }

  close(): void {
    this.#server.close();
  }

  asked(side: string, id: string): Asked {
    const key = `${side}/${id}`;
    const asked = this.#asked.get(key) ?? { calls: {}, seen: {} };
    this.#asked.set(key, asked);
    return asked;
  }

  #answer({ path: url, body: text }: Parameters<Handler>[0], response: ServerResponse): void {
    const path = /^\/(\w+)\/case\/([^/]+)(?:\/v1)?\/(chat\/completions|calls)$/.exec(url);
    const [, side = "", id = "", what] = path ?? [];
    if (path === null) return sendJson(response, { error: { message: "no such path" } }, 404);
    if (what === "calls") return sendJson(response, this.asked(side, id));
    const body = JSON.parse(text || "{}") as ChatRequest;
    this.#play(body, { response, asked: this.asked(side, id), played: this.#cases.get(id) });
  }

  #play(
    body: ChatRequest,
    {
      response,
      asked,
      played,
    }: {
      readonly response: ServerResponse;
      readonly asked: Asked;
      readonly played: CrewCase | undefined;
    },
  ): void {
    const texts = textsOf(body.messages ?? []);
    const task = taskOf(texts);
    const replies = played?.script[task] ?? [CONVERTED];
    const turn = asked.calls[task] ?? 0;
    asked.calls[task] = turn + 1;
    if (turn === 0 && played !== undefined) asked.seen[task] = promptFacts(played, task, texts);
    const scripted = replies[Math.min(turn, replies.length - 1)] ?? CONVERTED;
    if (scripted.error !== undefined) {
      const { status, type, message } = scripted.error;
      return sendJson(response, { error: { message, type } }, status);
    }
    const names = (body.tools ?? []).map((each) => each.function?.name ?? "");
    const reply = offered(scripted, { replies, names, isOdd: played?.profile === "tools" });
    send(response, body, { reply, id: `${task}_${turn}` });
  }
}

/** The reply, or the last text in place of calls that were not offered. */
function offered(
  reply: Reply,
  {
    replies,
    names,
    isOdd,
  }: { readonly replies: readonly Reply[]; readonly names: readonly string[]; isOdd: boolean },
): Reply {
  if (reply.tools === undefined) return reply;
  const has = (name: string): boolean =>
    names.some((each) => each.toLowerCase().startsWith(name.slice(0, 20)));
  if (names.length > 0 && (isOdd || reply.tools.every(({ name }) => has(name)))) return reply;
  return (
    replies.findLast(({ text, action }) => text !== undefined && text !== "" && !action) ?? {
      text: "no tool offered",
    }
  );
}

function send(
  response: ServerResponse,
  body: ChatRequest,
  { reply, id }: { readonly reply: Reply; readonly id: string },
): void {
  const calls = reply.tools?.map(({ name, args, rawArgs }, index) => ({
    id: `call_${id}_${index}`,
    type: "function",
    function: { name, arguments: rawArgs ?? JSON.stringify(args) },
  }));
  const content = calls === undefined ? stopped(reply.text ?? "", body) : (reply.say ?? null);
  const finish = calls === undefined ? "stop" : "tool_calls";
  const head = { id: `r_${id}`, created: 1, model: body.model };
  if (body.stream !== true) {
    const message = { role: "assistant", content, ...(calls && { tool_calls: calls }) };
    return sendJson(response, {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: USAGE,
    });
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (choices: readonly object[], more: object = {}): void =>
    void response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`,
    );
  const delta = (part: object, reason: string | null = null): void =>
    chunk([{ index: 0, delta: part, finish_reason: reason }]);
  delta({ role: "assistant", content: calls ? null : "" });
  for (const part of (content ?? "").match(/[\s\S]{1,5}/g) ?? []) delta({ content: part });
  for (const [index, call] of (calls ?? []).entries()) {
    const { name, arguments: text } = call.function;
    delta({ tool_calls: [{ ...call, index, function: { name, arguments: "" } }] });
    for (const part of text.match(/[\s\S]{1,7}/g) ?? [])
      delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  delta({}, finish);
  chunk([], { usage: USAGE });
  response.end("data: [DONE]\n\n");
}

/** The text up to a stop word, as a real server ends it. */
function stopped(text: string, { stop = [] }: ChatRequest): string {
  return [stop].flat().reduce((left, word) => {
    const at = left.indexOf(word);
    return at >= 0 ? left.slice(0, at) : left;
  }, text);
}
