// The routes over real runs in memory, as tests ask them.
import * as z from "zod";
import { acp, type AcpOptions } from "../../src/entry/acp.ts";
import { tool } from "../../src/tools/tool.ts";
import {
  HttpWorld,
  textOf,
  type Answer,
  type AskOptions,
  type HttpWorldOptions,
} from "./http-app.ts";

export const add = tool({
  name: "add",
  description: "Add two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  effect: "pure",
  run: ({ a, b }) => ({ sum: a + b }),
});

export const breaks = tool({
  name: "breaks",
  description: "Fail.",
  input: z.object({}).loose(),
  run: () => {
    throw new Error("it broke");
  },
});

/** Signals of the calls of `slow`, which never end by themselves. */
export const slowSignals: AbortSignal[] = [];
export const slow = tool({
  name: "slow",
  description: "Take for ever.",
  input: z.object({}).loose(),
  run: (_, { signal }) => {
    slowSignals.push(signal);
    return new Promise<string>(() => undefined);
  },
});

export type AcpWorldOptions = HttpWorldOptions & { readonly acp?: Partial<AcpOptions> };

export class AcpWorld extends HttpWorld {
  constructor({ acp: options = {}, ...world }: AcpWorldOptions = {}) {
    super({ ...world, parts: [acp({ expose: "all", ...options })] });
  }

  /** Asks, and lets runs go on until the answer is there. */
  async post(path: string, json: unknown = {}, options: AskOptions = {}): Promise<Answer> {
    return this.settle(this.ask(path, { json, ...options }));
  }

  async settle<T>(asked: Promise<T>): Promise<T> {
    const over = new AbortController();
    const ended = asked.finally(() => over.abort());
    ended.catch(() => undefined);
    for (let turn = 0; turn < 200 && !over.signal.aborted; turn++) await this.clock.settle();
    return ended;
  }

  /** Makes a key, with the admin key `the-admin-key`. */
  async newKey(scopes: readonly string[]): Promise<string> {
    const json = { tenant: "default", scopes };
    return textOf((await this.ask("/keys", { json, key: "the-admin-key" })).json["key"]);
  }

  /** What the Worker does every minute. */
  async tick(): Promise<void> {
    await this.clock.advance(60_000);
    await this.settle(Promise.resolve(this.bound.get("acp")?.due?.()));
    await this.clock.settle();
  }
}

/** A message of a user. */
export function userSays(text: string): object {
  return { role: "user", parts: [{ type: "text", text }] };
}

/** The body of `/send`. */
export function sending(text: string, more: object = {}): object {
  return { agentId: "agent/writer", message: userSays(text), ...more };
}
