// A deployment with agents that A2A callers call, in memory, and the ways to call it.
import { a2a, type A2AOptions } from "../../../../../src/entry/a2a.ts";
import type { JsonValue } from "../../../../../src/base/json.ts";
import type { StreamResponse, Task } from "../../../../../src/protocols/a2a/schema.ts";
import {
  HttpWorld,
  type Answer,
  type AskOptions,
  type HttpWorldOptions,
  type JsonAnswer,
} from "../../../../support/http-app.ts";
import { a2aConformance } from "../../../../conformance/a2a-agent.ts";

export const VERSION = { "a2a-version": "1.0" } as const;

export type A2AWorldOptions = HttpWorldOptions & { readonly a2a?: Partial<A2AOptions> };

/** The conformance agent as `conformance`, beside what else is exposed. */
export class A2AWorld extends HttpWorld {
  #messages = 0;

  constructor({ a2a: options = {}, parts = [], ...others }: A2AWorldOptions = {}) {
    const { flows } = a2aConformance();
    const { expose = {} } = options;
    const part = a2a({
      ...options,
      expose:
        expose === "all"
          ? expose
          : {
              "flow/conformance": {
                request: "request",
                replies: true,
                outputModes: ["text/plain", "application/json"],
              },
              "agent/writer": true,
              "crew/briefing": { input: "topic" },
              ...expose,
            },
    });
    super({
      variables: { EDGECREW_AUTH: "open-to-everybody" },
      webhooks: { hasSecret: true },
      ...others,
      flows: { ...flows, ...others.flows },
      parts: [part, ...parts],
    });
  }

  /** A message with one text. */
  message(text: string, more: object = {}): object {
    return {
      messageId: `message-${++this.#messages}`,
      role: "ROLE_USER",
      parts: [{ text }],
      ...more,
    };
  }

  async #settled<T>(answer: Promise<T>): Promise<T> {
    const state = { done: false };
    const watched = answer.finally(() => (state.done = true));
    void watched.catch(() => undefined);
    for (let turn = 0; turn < 30 && !state.done; turn++) await this.clock.settle();
    // What is left waits for a moment to pass.
    for (let turn = 0; turn < 20 && !state.done; turn++) await this.clock.advance(100);
    return watched;
  }

  /** Calls an operation over JSON-RPC. */
  rpc(
    method: string,
    params: object = {},
    { agent = "conformance", ...options }: AskOptions & { agent?: string } = {},
  ): Promise<Answer> {
    return this.#settled(
      this.ask(`/a2a/${agent}`, {
        json: { jsonrpc: "2.0", id: 1, method, params },
        ...options,
        headers: { ...VERSION, ...options.headers },
      }),
    );
  }

  /** The result of an operation over JSON-RPC. */
  async result(
    method: string,
    params: object = {},
    options: AskOptions & { agent?: string } = {},
  ): Promise<JsonAnswer> {
    const { json, status } = await this.rpc(method, params, options);
    const { result } = json;
    if (result === undefined)
      throw new Error(`${method} answered ${status} ${JSON.stringify(json)}`);
    return result;
  }

  /** Calls an operation over HTTP+JSON. */
  rest(
    path: string,
    { agent = "conformance", ...options }: AskOptions & { agent?: string } = {},
  ): Promise<Answer> {
    return this.#settled(
      this.ask(`/a2a/${agent}${path}`, { ...options, headers: { ...VERSION, ...options.headers } }),
    );
  }

  /** The task of a message. */
  async task(params: object, options: AskOptions & { agent?: string } = {}): Promise<Task> {
    const { task } = await this.result("SendMessage", params, options);
    return task as unknown as Task;
  }
}

/** The data of Server-Sent Events, in order. */
export function dataOf(text: string): readonly JsonValue[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as JsonValue);
}

/** The updates of a stream over JSON-RPC. */
export function updatesOf({ text }: Pick<Answer, "text">): readonly StreamResponse[] {
  return dataOf(text).map((data) => (data as { result?: unknown }).result as StreamResponse);
}

/** What an update is, in a word. */
export function kindOf(update: StreamResponse): string {
  if ("task" in update) return `task ${update.task.status.state.slice(11)}`;
  if ("message" in update) return "message";
  if ("statusUpdate" in update) return `status ${update.statusUpdate.status.state.slice(11)}`;
  const { artifact, append, lastChunk } = update.artifactUpdate;
  return `artifact ${artifact.name ?? artifact.artifactId}${append ? " append" : ""}${lastChunk ? " last" : ""}`;
}
