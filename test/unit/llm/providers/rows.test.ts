// Each row about a provider: it has a source, the provider's own words, and a test that fails without it.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import { isContextRefusal, PHRASES } from "../../../../src/llm/context-phrases.ts";
import type { ModelRequest } from "../../../../src/llm/language-model.ts";
import { MODEL_ROWS } from "../../../../src/llm/providers/model-rows.ts";
import { NATIVE_ROWS } from "../../../../src/llm/providers/native-rows.ts";
import {
  CONTEXT_SOURCES,
  MODEL_SOURCES,
  PROVIDER_SOURCES,
  REFUSAL_SOURCES,
} from "../../../support/provider-row-sources.ts";
import { PROVIDERS } from "../../../../src/llm/providers.ts";
import { KNOWN_REFUSALS, refusedPart } from "../../../../src/llm/known-refusals.ts";
import { resolveModel } from "../../../../src/llm/resolve-model.ts";
import {
  CONTEXT_FIXTURES,
  REFUSAL_FIXTURES,
  ROW_FIXTURES,
  type RowFixture,
} from "../../../support/provider-fixtures.ts";

const modelRows = [...MODEL_ROWS, ...NATIVE_ROWS];
const providerRows = PROVIDERS.flatMap(({ id, chat = {}, lacks, roles }) =>
  [...(lacks ?? chat.lacks ?? []), ...Object.keys(roles ?? chat.roles ?? {})].map(
    (what) => `${id}:${what}`,
  ),
);
const rowsOf = (sources: readonly { readonly row: string }[]): string[] =>
  sources.map(({ row }) => row).toSorted();

describe("sources", () => {
  it("exist for every row of the code, and no others", () => {
    expect(rowsOf(MODEL_SOURCES)).toEqual(modelRows.map(({ id }) => id).toSorted());
    expect(rowsOf(PROVIDER_SOURCES)).toEqual(providerRows.toSorted());
    expect(rowsOf(REFUSAL_SOURCES)).toEqual(
      [...KNOWN_REFUSALS.map(({ name }) => name), "a keyword of a schema"].toSorted(),
    );
    expect(rowsOf(CONTEXT_SOURCES)).toEqual([...PHRASES].toSorted());
  });

  it("have a public address and a day", () => {
    const all = [MODEL_SOURCES, PROVIDER_SOURCES, REFUSAL_SOURCES, CONTEXT_SOURCES].flat();
    for (const { source, date } of all) {
      expect(URL.parse(source)?.protocol).toBe("https:");
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
  });
});

const COMPLETION = { id: "c", choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };
const MESSAGE = { id: "m", content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" };
const STREAM =
  'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const VARIABLES = {
  ...Object.fromEntries(PROVIDERS.map(({ id }) => [`${id.toUpperCase()}_API_KEY`, "key"])),
  AZURE_API_BASE: "https://acme.openai.azure.com",
  CLOUDFLARE_ACCOUNT_ID: "acme",
  CLOUDFLARE_API_TOKEN: "key",
  AWS_BEARER_TOKEN_BEDROCK: "key",
  HOUSE_BASE_URL: "https://house.test/v1",
};

/** Requests of one call to a provider that refuses those of the fixture. */
async function sent(
  settings: RowFixture["settings"],
  { request, refuses, refusal }: RowFixture,
): Promise<readonly JsonObject[]> {
  const bodies: JsonObject[] = [];
  const model = resolveModel(
    { price: 0, ...settings },
    {
      variables: VARIABLES,
      fetch: async (url, init) => {
        const body = JSON.parse(init?.body as string) as JsonObject;
        bodies.push(body);
        if (refuses(body))
          return Response.json({ error: refusal.error }, { status: refusal.status });
        if (body["stream"] === true) return new Response(STREAM);
        const isMessage = typeof url === "string" && url.includes("/messages");
        return Response.json(isMessage ? MESSAGE : COMPLETION);
      },
    },
  );
  const asked: ModelRequest = { messages: [{ role: "user", content: "Hello" }], ...request };
  const { signal } = new AbortController();
  await model.generate(asked, { signal }).catch(() => undefined);
  return bodies;
}

/** Rows that say what a model can, which shows before it is asked. */
const ABILITIES = ["claude-tool-search", "workers-ai-schema", "bedrock-schema", "bedrock-caches"];

describe.each(Object.entries(ROW_FIXTURES).filter(([id]) => !ABILITIES.includes(id)))(
  "the row %s",
  (_, fixture) => {
    it("spares a request the provider would refuse", async () => {
      const [first] = await sent(fixture.settings, fixture);
      expect(first).toBeDefined();
      expect(first !== undefined && fixture.refuses(first)).toBe(false);
    });

    it("is needed: a model without it sends a refused request", async () => {
      const [first] = await sent(fixture.other, fixture);
      expect(first !== undefined && fixture.refuses(first)).toBe(true);
    });
  },
);

describe("rows of abilities", () => {
  it("claude-tool-search: the model searches by itself", () => {
    const { settings, other } = ROW_FIXTURES["claude-tool-search"] as RowFixture;
    const searches = [settings, other].map(
      (each) => resolveModel(each, { variables: VARIABLES }).capabilities.toolSearch,
    );
    expect(searches).toEqual([true, false]);
  });

  it.each([
    ["bedrock-schema", '"textFormat"'],
    ["bedrock-caches", '"cachePoint"'],
  ])("%s: the model alone is sent %s", async (id, field) => {
    const fixture = ROW_FIXTURES[id] as RowFixture;
    const first = [fixture.settings, fixture.other].map(async (settings) => {
      const [body] = await sent(settings, fixture);
      return JSON.stringify(body).includes(field);
    });
    expect(await Promise.all(first)).toEqual([true, false]);
  });

  it("workers-ai-schema: the model takes a schema", () => {
    const { settings, other } = ROW_FIXTURES["workers-ai-schema"] as RowFixture;
    const ai = { run: async () => ({}) };
    const takes = [settings, other].map(
      (each) => resolveModel(each, { variables: {}, ai }).capabilities.responseSchema,
    );
    expect(takes).toEqual([true, false]);
  });
});

describe("rows of models", () => {
  it.each(modelRows.map((row) => [row.id, row] as const))(
    "%s decides alone",
    (id, { models, behaviour }) => {
      const name = ROW_FIXTURES[id]?.settings.model ?? "";
      const bare = name.slice(name.indexOf("/") + 1);
      expect([name, bare].some((each) => models.test(each))).toBe(true);
      const others = modelRows.filter((row) => row.behaviour === behaviour && row.id !== id);
      expect(others.some((row) => row.models.test(name) || row.models.test(bare))).toBe(false);
    },
  );
});

describe("rows of refusals", () => {
  it.each(KNOWN_REFUSALS.map((part) => [part.name, part] as const))(
    "%s is known by the server's words, and the next request is another one",
    (name, { without }) => {
      const { message, body } = REFUSAL_FIXTURES[name] ?? { message: "", body: {} };
      expect(refusedPart(message, body)).toBe(name);
      const next = without(body);
      expect(next).toBeDefined();
      expect(next).not.toEqual(body);
      expect(refusedPart(message, next ?? {})).not.toBe(name);
    },
  );
});

describe("rows of full windows", () => {
  it.each(PHRASES)("%s decides by itself", (phrase) => {
    const message = CONTEXT_FIXTURES[phrase] ?? "";
    const known = PHRASES.filter((each) => message.toLowerCase().includes(each));
    expect(known).toEqual([phrase]);
    // With this status numbers count for nothing.
    expect(isContextRefusal({ status: 502, message })).toBe(true);
    expect(
      isContextRefusal({ status: 502, message: message.toLowerCase().replace(phrase, "") }),
    ).toBe(false);
  });
});
