import { expect, it } from "vitest";
import { systemClock } from "../../../../src/base/system.ts";
import { OpenAIClient } from "../../../../src/llm/openai/client.ts";

it.each([
  { form: "OpenAI's", body: `{"error":{"message":"Incorrect API key"}}` },
  { form: "the error itself", body: `{"message":"Incorrect API key"}` },
  { form: "an empty error beside it", body: `{"error":null,"message":"Incorrect API key"}` },
  { form: "a text in place of the error", body: `{"error":"Incorrect API key"}` },
  { form: "no JSON", body: "Incorrect API key" },
])("quotes what the provider says in the form of $form", async ({ body }) => {
  const client = await OpenAIClient.load({
    connection: {
      baseUrl: "https://provider.test/v1",
      apiKey: "key",
      missingKey: undefined,
      model: "m",
      headers: {},
      query: {},
      isOwnEndpoint: false,
    },
    fetch: async () => new Response(body, { status: 401 }),
    clock: systemClock,
  });
  const { signal } = new AbortController();
  const answer = client.json("/chat/completions", { body: {}, signal });
  await expect(answer).rejects.toThrow(/^401 .*Incorrect API key/);
});
