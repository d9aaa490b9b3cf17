import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { expect, it } from "vitest";
import { anthropicClient } from "../../../../src/llm/anthropic/client.ts";
import { toEngineError } from "../../../../src/llm/anthropic/errors.ts";
import type { Connection } from "../../../../src/llm/connection.ts";

const CONNECTION: Connection = {
  baseUrl: "https://provider.test",
  apiKey: "key",
  missingKey: undefined,
  model: "m",
  headers: {},
  query: {},
  isOwnEndpoint: false,
};

const BODY = { model: "m", max_tokens: 5, messages: [] };

type Sent = { readonly url: string; readonly init: RequestInit | undefined };

/** A `fetch` that notes what is asked. */
function noting(answer: () => Response = () => new Response("{}")): {
  readonly fetch: typeof fetch;
  readonly sent: readonly Sent[];
} {
  const sent: Sent[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    sent.push({ url: url instanceof Request ? url.url : String(url), init });
    return answer();
  };
  return { fetch, sent };
}

/** All but who sends it, and how long and how often: the SDK's client says that too. */
function comparable(sent: Sent | undefined): object {
  const headers = Object.fromEntries(new Headers(sent?.init?.headers));
  for (const name of Object.keys(headers))
    if (name === "user-agent" || name.startsWith("x-stainless-")) delete headers[name];
  const { method, body } = sent?.init ?? {};
  return { url: sent?.url, method: method?.toUpperCase(), body, headers };
}

it.each([
  { what: "a key", connection: {} },
  { what: "a base URL with /v1", connection: { baseUrl: "https://gateway.test/anthropic/v1" } },
  { what: "a base URL with a path", connection: { baseUrl: "https://gateway.test/anthropic" } },
  { what: "headers of its own", connection: { headers: { "anthropic-beta": "a", "x-team": "b" } } },
  {
    what: "headers in place of those that are always sent",
    connection: { headers: { "Anthropic-Version": "2023-06-01", Authorization: "Bearer other" } },
  },
])("sends the same requests as the SDK's own client, with $what", async ({ connection }) => {
  const used = { ...CONNECTION, ...connection };
  const ours = noting();
  const client = anthropicClient({
    connection: used,
    fetch: ours.fetch,
  });
  const headers = { "Idempotency-Key": "step-1" };
  await client.json("/v1/messages", { body: BODY, headers, signal: new AbortController().signal });
  const theirs = noting();
  const sdk = new BaseAnthropic({
    apiKey: "key",
    baseURL: used.baseUrl.replace(/\/v1$/, ""),
    defaultHeaders: used.headers,
    fetch: theirs.fetch,
    maxRetries: 0,
  });
  await sdk.post("/v1/messages", { body: BODY, headers });
  expect(comparable(ours.sent[0])).toEqual(comparable(theirs.sent[0]));
});

it("sends no key without a setting, and the user's own header in its place", async () => {
  const { fetch, sent } = noting();
  const connection = { ...CONNECTION, apiKey: undefined, headers: { "X-Api-Key": "own" } };
  const client = anthropicClient({ connection, fetch });
  await client.json("/v1/messages", { body: BODY, signal: new AbortController().signal });
  const headers = new Headers(sent[0]?.init?.headers);
  expect([headers.get("authorization"), headers.get("x-api-key")]).toEqual([null, "own"]);
});

it.each([
  {
    form: "Anthropic's",
    body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
  },
  { form: "the error itself", body: `{"type":"overloaded_error","message":"Overloaded"}` },
  { form: "no object", body: `"Overloaded"` },
  { form: "no JSON", body: "Overloaded" },
])("quotes the provider's error in the form of $form", async ({ body }) => {
  const { fetch, sent } = noting(
    () => new Response(body, { status: 529, headers: { "retry-after": "7" } }),
  );
  const client = anthropicClient({ connection: CONNECTION, fetch });
  const { signal } = new AbortController();
  const thrown: unknown = await client
    .json("/v1/messages", { body: BODY, signal })
    .catch((error: unknown) => error);
  const failure = toEngineError(thrown, { modelId: "m", nowMs: 0 });
  expect(failure.message).toContain("Overloaded");
  expect(failure.retryable).toBe(true);
  expect(failure.retryAfterMs).toBe(7000);
  expect(sent).toHaveLength(1);
});

it("skips pings, and throws an error from the middle of a stream", async () => {
  const events = [
    'event: message_start\ndata: {"type":"message_start"}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  ];
  const { fetch } = noting(() => new Response(events.join("")));
  const client = anthropicClient({ connection: CONNECTION, fetch });
  const { signal } = new AbortController();
  const stream = await client.stream("/v1/messages", { body: BODY, signal });
  const read: unknown[] = [];
  const thrown: unknown = await (async () => {
    for await (const event of stream) read.push(event);
  })().catch((error: unknown) => error);
  expect(read).toEqual([{ type: "message_start" }]);
  const failure = toEngineError(thrown, { modelId: "m", nowMs: 0 });
  expect(failure).toMatchObject({ retryable: true });
  expect(failure.message).toContain("Overloaded");
});
