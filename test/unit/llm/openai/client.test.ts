import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { openaiClient } from "../../../../src/llm/openai/client.ts";
import { STREAM_END } from "../../../../src/llm/provider-events.ts";
import type { ProviderClient } from "../../../../src/llm/provider-client.ts";

it.each([
  { form: "OpenAI's", body: `{"error":{"message":"Incorrect API key"}}` },
  { form: "the error itself", body: `{"message":"Incorrect API key"}` },
  { form: "an empty error beside it", body: `{"error":null,"message":"Incorrect API key"}` },
  { form: "a text in place of the error", body: `{"error":"Incorrect API key"}` },
  { form: "no JSON", body: "Incorrect API key" },
])("quotes the provider's error in the form of $form", async ({ body }) => {
  const client = clientOf(async () => new Response(body, { status: 401 }));
  const { signal } = new AbortController();
  const answer = client.json("/chat/completions", { body: {}, signal });
  await expect(answer).rejects.toMatchObject({ status: 401, message: "Incorrect API key" });
});

it("leaves no listener on the caller's signal", async () => {
  const events = 'data: {"n":1}\n\ndata: {"n":2}\n\ndata: [DONE]\n\n';
  const answers = [
    () => new Response("{}"),
    () => new Response("{}", { status: 500 }),
    () => new Response(events),
    () => new Response(events),
    () => new Response("{}", { status: 500 }),
  ];
  const client = clientOf(async () => answers.shift()?.() ?? Response.error());
  const { signal } = new AbortController();
  const request = { body: {}, signal };
  await client.json("/a", request);
  await client.json("/b", request).catch(() => undefined);
  const whole: unknown[] = [];
  for await (const event of await client.stream("/c", request)) whole.push(event);
  for await (const event of await client.stream("/d", request)) if (event !== undefined) break;
  await client.stream("/e", request).catch(() => undefined);
  expect(whole).toEqual([{ n: 1 }, { n: 2 }, STREAM_END]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("aborts open requests with the caller's signal, also a begun stream", async () => {
  const asked: AbortSignal[] = [];
  const client = clientOf(async (_, init) => {
    asked.push(init?.signal as AbortSignal);
    return new Response('data: {"n":1}\n\n');
  });
  const caller = new AbortController();
  await client.stream("/a", { body: {}, signal: caller.signal });
  caller.abort();
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
});

it("sends one header when the settings name a default header, in any spelling", async () => {
  let sent = new Headers();
  const answer: typeof fetch = async (_, init) => {
    sent = new Headers(init?.headers);
    return new Response("{}");
  };
  const client = clientOf(answer, { Authorization: "Bearer own", "Content-Type": "text/x" });
  await client.json("/a", { body: {}, signal: new AbortController().signal });
  expect(sent.get("authorization")).toBe("Bearer own");
  expect(sent.get("content-type")).toBe("text/x");
});

function clientOf(
  answer: typeof fetch,
  headers: Readonly<Record<string, string>> = {},
): ProviderClient {
  return openaiClient({
    connection: {
      baseUrl: "https://provider.test/v1",
      apiKey: "key",
      missingKey: undefined,
      model: "m",
      headers,
      query: {},
      isOwnEndpoint: false,
    },
    fetch: answer,
  });
}
