// What holds for every tool of the catalogue that asks a service, tried with each: keys, limits, retries, failures, texts.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { CatalogEntry } from "../../src/tools/catalog/base/entry.ts";
import { isToolSource } from "../../src/tools/tool-source.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { callOf, type Answered, type SeenRequest, type ToolCallOptions } from "./tool-world.ts";

export type ToolFixture = {
  /** Options of the tool. @default {} */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly input: JsonObject;
  /** Values of its variables; those that are not named get a secret of the test's. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What the service answers when all goes well, in turn. */
  readonly success: readonly Answered[];
  /** What must be true of the requests of a success. */
  readonly requests: readonly Partial<SeenRequest>[];
  /** What must stand in the text that the model gets. */
  readonly text: string | RegExp;
  readonly data?: object;
  readonly services?: ToolCallOptions["services"];
  /** The service takes no key. @default false */
  readonly keyless?: boolean;
  /** Its answers are texts or bytes, not JSON. @default false */
  readonly isText?: boolean;
  /** Whether it sends again what a broken service may have done. @default unless it acts outside, once */
  readonly repeats?: boolean;
  /** The code of its failure where the service is broken. @default "unavailable" */
  readonly brokenCode?: string;
};

const SECRET = "sk-live-0123456789abcdef";

/** One suite for a tool. */
export function toolContract(
  { entry }: { readonly entry: CatalogEntry },
  fixture: ToolFixture,
): void {
  const { options = {}, input, keyless = false } = fixture;
  const variables = Object.fromEntries(
    entry.variables.map(({ name, isPlain }) => [name, isPlain === true ? "plain" : SECRET]),
  );
  const world = { variables: { ...variables, ...fixture.variables }, services: fixture.services };
  const call = (answers: ToolCallOptions["answers"]): ReturnType<typeof callOf> =>
    callOf(toolOf(entry, options), input, { ...world, ...(answers ? { answers } : {}) } as never);
  const actsOnce = entry.effectClass === "X" && toolOf(entry, options).effect === "once";
  const { repeats = !actsOnce, brokenCode = "unavailable" } = fixture;

  describe(`${entry.className} (tool contract)`, () => {
    it("asks as its service expects, and gives the model the answer", async () => {
      const { requests, text, data, failure } = await call(fixture.success);
      expect(failure).toBeUndefined();
      expect(requests).toMatchObject(fixture.requests);
      expect(text).toMatch(fixture.text);
      expect({ data }).toMatchObject(fixture.data === undefined ? {} : { data: fixture.data });
    });

    it("keeps its secrets out of all that a run keeps", async () => {
      const echo = (request: SeenRequest): Response =>
        Response.json({ error: { message: `no: ${JSON.stringify(request)}` } }, { status: 400 });
      for (const { everything } of [await call(fixture.success), await call(echo)])
        expect(everything).not.toContain(SECRET);
    });

    it("says which key was refused", async () => {
      const { failure } = await call([
        Response.json({ error: `bad key ${SECRET}` }, { status: 401 }),
      ]);
      expect(failure).toMatchObject({ code: "unauthorized", retryable: false });
      const key = entry.variables.find(({ send, isPlain }) => send && isPlain !== true);
      const message = keyless ? "" : failure?.message; // without a key there is nothing to hide
      expect(message).toContain((keyless ? undefined : key)?.name ?? "");
      expect(message).not.toContain(SECRET);
    });

    it("waits as long as it is asked to, and tries again", async () => {
      const { requests, failure } = await call([
        new Response("slow down", { status: 429, headers: { "retry-after": "2" } }),
        ...fixture.success,
      ]);
      expect(failure).toBeUndefined();
      expect(requests.length).toBe(fixture.requests.length + 1);
    });

    it(`${repeats ? "repeats" : "does not repeat"} what a broken service may have done`, async () => {
      const { requests, failure } = await call([
        new Response("oops", { status: 500 }),
        ...fixture.success,
      ]);
      expect(failure?.code).toBe(repeats ? undefined : brokenCode);
      expect(requests.length).toBe(repeats ? fixture.requests.length + 1 : 1);
    });

    it("fails on what is no answer of the service", async () => {
      if (fixture.isText === true) return;
      const html = new Response("<html>Login</html>", { headers: { "content-type": "text/html" } });
      expect((await call([html])).failure?.code).toBe("bad_response");
    });

    it("stops reading an answer without end", async () => {
      let sent = 0;
      const endless = (): Response =>
        new Response(
          new ReadableStream({
            pull(controller) {
              sent += 65_536;
              if (sent > 200 << 20) throw new Error("it reads on and on");
              controller.enqueue(new Uint8Array(65_536).fill(0x20));
            },
          }),
        );
      expect((await call(endless)).failure?.code).toBe("too_large");
    });

    it("has a schema that costs a model little", () => {
      const { name, description, parameters } = toolOf(entry, options);
      expect(JSON.stringify({ name, description, parameters }).length).toBeLessThanOrEqual(1536);
    });
  });
}

function toolOf(entry: CatalogEntry, options: Readonly<Record<string, unknown>>): Tool {
  const { tool } = entry.make(options);
  if (isToolSource(tool)) throw new Error(`${entry.className} is a source of tools`);
  return tool;
}
