// Lists of models against servers that answer with real statuses, in real wire forms.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { ModelResponse } from "../../../src/llm/language-model.ts";
import { modelListFrom, type ModelListOptions } from "../../../src/llm/model-list.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import {
  startModelServer,
  type ModelServer,
  type ServedReply,
} from "../../support/model-server.ts";

let server: ModelServer;
/** By the name of the model that is asked. */
let replies: Readonly<Record<string, ServedReply | string>> = {};
let seen = 0;

beforeAll(async () => {
  server = await startModelServer({ reply: ({ model }) => replies[model] ?? "ok" });
});
afterAll(() => server.stop());
beforeEach(() => {
  seen = server.calls.length;
});

const KINDS = [
  { kind: "openai", entry: { api_type: "openai" }, path: "/v1" },
  { kind: "responses", entry: { api_type: "responses" }, path: "/v1" },
  { kind: "anthropic", entry: { api_type: "anthropic" }, path: "" },
] as const;

const asked = (): readonly string[] => server.calls.slice(seen).map(({ model }) => model);

describe.each(KINDS)("a list of $kind entries", ({ kind, entry, path }) => {
  const call = (options: ModelListOptions = {}, count = 2): Promise<ModelResponse> => {
    const names = ["gpt-4.1", "gpt-4o", "o3"].slice(0, count);
    const list = modelListFrom({
      ...options,
      config_list: names.map((model) => ({
        ...entry,
        model,
        api_key: "k",
        base_url: server.url.replace("http://", "") + path,
      })),
    });
    return resolveModel(list, { variables: {} }).generate(
      { messages: [{ role: "user", content: "Hello?" }] },
      { signal: AbortSignal.timeout(20_000) },
    );
  };
  const failureOf = (options?: ModelListOptions, count?: number): Promise<EngineError> =>
    call(options, count).then(
      ({ text }) => {
        throw new Error(`it answered ${text}`);
      },
      (error: unknown) => {
        if (EngineError.is(error)) return error;
        throw error;
      },
    );
  const error = { message: "no" };

  it.each([408, 409, 429, 500, 502, 503, 529])(
    "FBK2: %i leaves the call to the next (D6.56)",
    async (status) => {
      replies = { "gpt-4.1": { status, error }, "gpt-4o": "here" };
      expect(await call()).toMatchObject({ text: "here", configIndex: 1 });
      expect(asked()).toEqual(["gpt-4.1", "gpt-4o"]);
    },
  );

  it.each(["reset", "cut", "garbage"] as const)(
    "FBK2: a connection that is %s leaves the call to the next",
    async (fault) => {
      replies = { "gpt-4.1": { fault }, "gpt-4o": "here" };
      expect(await call()).toMatchObject({ text: "here", configIndex: 1 });
    },
  );

  it("FBK2: a slow model leaves the call to the next", async () => {
    replies = { "gpt-4.1": { fault: "hang" }, "gpt-4o": "here" };
    expect(await call({ timeoutMs: 150 })).toMatchObject({ text: "here", configIndex: 1 });
  });

  it.each([400, 401, 403, 404])(
    "FBK2: %i ends the call, unless the list allows more",
    async (status) => {
      replies = { "gpt-4.1": { status, error }, "gpt-4o": "here" };
      expect((await failureOf()).message).toContain(`answered ${status}`);
      expect(asked()).toEqual(["gpt-4.1"]);
      expect(await call({ fallbackOnClientError: true })).toMatchObject({ configIndex: 1 });
    },
  );

  it("FBK2: an answer stopped by a content filter is tried with no other model (D6.56)", async () => {
    const message =
      kind === "anthropic"
        ? "Output blocked by content filtering policy"
        : "The response was filtered";
    const filtered = { message, code: "content_filter", type: "invalid_request_error" };
    replies = { "gpt-4.1": { status: 400, error: filtered }, "gpt-4o": "here" };
    expect(await failureOf({ fallbackOnClientError: true })).toMatchObject({
      code: "content_filtered",
      retryable: false,
    });
    expect(asked()).toEqual(["gpt-4.1"]);
  });

  it("FBK4: when every entry fails, one error names each", async () => {
    replies = {
      "gpt-4.1": { status: 429, error: { message: "slow down" } },
      "gpt-4o": { status: 503, error: { message: "down for repair" } },
      o3: { fault: "reset" },
    };
    const { message, retryable, issues } = await failureOf({}, 3);
    expect(retryable).toBe(true);
    for (const part of [
      /\[0\] \S*gpt-4\.1 at \S+ answered 429: .*slow down/,
      /\[1\] \S*gpt-4o at \S+ answered 503: .*down for repair/,
      /\[2\] \S*o3 /,
    ])
      expect(message).toMatch(part);
    expect(issues?.map(({ path: place }) => place)).toEqual(["/0", "/1", "/2"]);
  });
});
