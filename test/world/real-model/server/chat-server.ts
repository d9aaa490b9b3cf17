// A small server on loopback that speaks chat completions with a real model, keeps a log, and can be away as real ones are.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { FullWindow, type Completion, type Engine } from "./engine.ts";
import { promptOf } from "./prompt.ts";
import {
  callIn,
  readChatRequest,
  REFUSALS,
  type ChatRequest,
  type ToolMood,
  type WireCall,
} from "./wire.ts";

/** How a request went, in the order in which requests came. */
export type LogEntry = {
  /** Arrival of the request, in milliseconds since the program began. */
  readonly atMs: number;
  /** Hash of the body: equal ones are the same request. */
  readonly request: string;
  readonly status: number;
  /** `length`, `stop` or `tool_calls`; `dropped` where the connection ended first. */
  readonly finish?: "stop" | "length" | "tool_calls" | "dropped";
  readonly isShaped?: boolean;
  readonly isEmpty?: boolean;
  readonly isFullWindow?: boolean;
  readonly completionTokens?: number;
  readonly text?: string;
};

/** Ways to be away. */
export type Faults = {
  /** 503 "Loading model" until then, in milliseconds since the epoch. */
  loadingUntilMs: number;
  /** So many connections end after a few pieces, or before the answer of one that is not streamed. */
  drops: number;
  /** Connections end at once. */
  isDown: boolean;
  /** After a drop the server is away for so long, as one that crashed and is started again; then it loads its model. */
  awayAfterDropMs: number;
};

const NO_FAULTS: Faults = { loadingUntilMs: 0, drops: 0, isDown: false, awayAfterDropMs: 0 };
const LOADS_MS = 500;

export class ChatServer {
  readonly faults: Faults = { ...NO_FAULTS };
  mood: ToolMood = "free";
  readonly #engine: Engine;
  readonly #server: Server;
  #url = "";
  #log: LogEntry[] = [];
  #count = 0;
  #seed = 1;
  #startedAtMs = Date.now();
  #open = 0;
  #lastAtMs = Date.now();

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(engine: Engine): Promise<ChatServer> {
    const chat = new ChatServer(engine);
    chat.#server.listen(0, "127.0.0.1");
    await once(chat.#server, "listening");
    chat.#url = `http://127.0.0.1:${(chat.#server.address() as AddressInfo).port}/v1`;
    return chat;
  }

  get url(): string {
    return this.#url;
  }

  /** Begins a program: no faults, an empty log, and a seed of its own. */
  begin(seed: number): void {
    Object.assign(this.faults, NO_FAULTS);
    this.mood = "free";
    this.#log = [];
    this.#seed = seed;
    this.#count = 0;
    this.#startedAtMs = Date.now();
    this.#lastAtMs = Date.now();
  }

  get log(): readonly LogEntry[] {
    return this.#log;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Time since the last request ended; 0 while one is answered. */
  get idleForMs(): number {
    return this.#open > 0 ? 0 : Date.now() - this.#lastAtMs;
  }

  /** Counts other work, such as the restart of a Worker, as an answer that is being made. */
  async busyWith<Value>(work: Promise<Value>): Promise<Value> {
    this.#open++;
    try {
      return await work;
    } finally {
      this.#open--;
      this.#lastAtMs = Date.now();
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answered = this.#answer(request, response).catch(() => request.socket.destroy());
    await this.busyWith(answered);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const log = this.#log;
    const number = this.#count++;
    const atMs = Date.now() - this.#startedAtMs;
    if (this.faults.isDown) {
      log.push({ atMs, request: "", status: 0, finish: "dropped" });
      request.socket.destroy();
      return;
    }
    let text = "";
    for await (const piece of request) text += String(piece);
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const refuse = (refusal: { readonly status: number; readonly error: object }): void => {
      log.push({
        atMs,
        request: hash,
        status: refusal.status,
        isFullWindow: "n_ctx" in refusal.error,
      });
      response.writeHead(refusal.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: refusal.error }));
    };
    if (request.url !== "/v1/chat/completions") {
      refuse(REFUSALS.invalid(`no such path: ${request.url}`));
      return;
    }
    if (Date.now() < this.faults.loadingUntilMs) {
      refuse(REFUSALS.loading);
      return;
    }
    try {
      const chat = readChatRequest(JSON.parse(text) as Record<string, unknown>, this.mood);
      const answer = new Answer(response, chat, {
        id: `chatcmpl-${hash}-${number}`,
        drops: this.faults.drops > 0,
      });
      if (this.faults.drops > 0) this.faults.drops--;
      const done = await this.#completion(chat, answer, number);
      const ended = answer.end(done);
      log.push({ atMs, request: hash, ...ended });
      if (ended.finish === "dropped" && this.faults.awayAfterDropMs > 0) await this.#restart();
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (error instanceof FullWindow)
        refuse(REFUSALS.fullWindow(error.promptTokens, this.#engine.contextSize));
      else if (error instanceof SyntaxError) refuse(REFUSALS.invalid("the body is no JSON"));
      else refuse(REFUSALS.broken((error as Error).message));
    }
  }

  /** Refuses connections for a while, then listens at the same port and loads. */
  async #restart(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    this.#server.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => setTimeout(resolve, this.faults.awayAfterDropMs));
    this.faults.awayAfterDropMs = 0;
    this.faults.loadingUntilMs = Date.now() + LOADS_MS;
    this.#server.listen(port, "127.0.0.1");
  }

  #completion(chat: ChatRequest, answer: Answer, number: number): Promise<Completion> {
    return this.#engine.complete({
      prompt: promptOf(chat.messages, chat.tools),
      grammar: chat.grammar,
      maxTokens: chat.maxTokens,
      stops: chat.stops,
      temperature: chat.temperature,
      seed: this.#seed + number,
      signal: answer.signal,
      ...(chat.isStream ? { onText: (piece) => answer.say(piece) } : {}),
    });
  }
}

const DROPS_AFTER_PIECES = 3;

/** One answer, streamed or whole. */
class Answer {
  readonly #response: ServerResponse;
  readonly #chat: ChatRequest;
  readonly #about: { readonly id: string; readonly drops: boolean };
  readonly #stop = new AbortController();
  #pieces = 0;
  #said = "";

  constructor(
    response: ServerResponse,
    chat: ChatRequest,
    about: { readonly id: string; readonly drops: boolean },
  ) {
    this.#response = response;
    this.#chat = chat;
    this.#about = about;
    response.on("close", () => this.#stop.abort());
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** A piece of text of a stream. One that begins as a call is told when it is whole. */
  say(piece: string): void {
    this.#said += piece;
    if (this.#said.startsWith("<")) return;
    this.#delta({ content: piece });
    if (this.#about.drops && ++this.#pieces >= DROPS_AFTER_PIECES) this.#drop();
  }

  end(done: Completion): Omit<LogEntry, "request" | "atMs"> {
    const { text, completionTokens, promptTokens } = done;
    const call = this.#chat.tools.length === 0 ? undefined : callIn(text, `call_${this.#about.id}`);
    const finish = call !== undefined && done.finish === "stop" ? "tool_calls" : done.finish;
    const about = { status: 200, completionTokens, isShaped: this.#chat.isShaped, text } as const;
    if (this.#about.drops || this.signal.aborted) {
      this.#drop();
      return { ...about, finish: "dropped" };
    }
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
    if (this.#chat.isStream) this.#endStream({ call, finish, usage });
    else this.#endWhole({ call, text, finish, usage });
    return { ...about, finish, isEmpty: text.trim() === "" };
  }

  #endWhole(done: {
    readonly call: WireCall | undefined;
    readonly text: string;
    readonly finish: string;
    readonly usage: object;
  }): void {
    const message =
      done.call === undefined
        ? { role: "assistant", content: done.text }
        : { role: "assistant", content: null, tool_calls: [done.call] };
    this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.end(
      JSON.stringify({
        ...this.#head("chat.completion"),
        choices: [{ index: 0, message, finish_reason: done.finish }],
        usage: done.usage,
      }),
    );
  }

  #endStream(done: {
    readonly call: WireCall | undefined;
    readonly finish: string;
    readonly usage: object;
  }): void {
    if (done.call !== undefined) this.#delta({ tool_calls: [{ index: 0, ...done.call }] });
    else if (this.#said.startsWith("<")) this.#delta({ content: this.#said });
    this.#send({ choices: [{ index: 0, delta: {}, finish_reason: done.finish }] });
    if (this.#chat.includesUsage) this.#send({ choices: [], usage: done.usage });
    this.#open().end("data: [DONE]\n\n");
  }

  #delta(delta: object): void {
    this.#send({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  #send(fields: object): void {
    const chunk = { ...this.#head("chat.completion.chunk"), ...fields };
    this.#open().write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  #open(): ServerResponse {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { "content-type": "text/event-stream" });
      const role = { index: 0, delta: { role: "assistant", content: null }, finish_reason: null };
      const chunk = { ...this.#head("chat.completion.chunk"), choices: [role] };
      this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
    return this.#response;
  }

  #head(object: string): object {
    return { id: this.#about.id, object, created: 0, model: "smollm2" };
  }

  #drop(): void {
    this.#stop.abort();
    this.#response.destroy();
  }
}
