import { describe, expect, it } from "vitest";
import { mcpServer } from "../../../../../src/entry/mcp.ts";
import { bodyOf, handServer, listed } from "../../../../support/mcp-answers.ts";
import { cutAfterEveryWrite, type Subject } from "../../../../support/cut-off.ts";
import { crewCalling, quiet, rawOf, startMcpRun } from "../../../../support/mcp-runs.ts";
import { openShop, type Shop, type ShopOptions } from "../../../../support/mcp-shop.ts";

const URL_OF = "https://shop.example.com/mcp";
const SHOP = { url: URL_OF, name: "shop" };

function subject(
  calls: ReadonlyArray<readonly [string, Record<string, unknown>]>,
  answer?: Subject["answer"],
): Subject & { readonly shop: Shop } {
  const shop = openShop();
  const { crew } = crewCalling(calls, { mcps: [mcpServer(SHOP, { fetch: shop.fetch })] });
  return {
    shop,
    program: crew.program(),
    calls: shop.calls,
    ...(answer === undefined ? undefined : { answer }),
  };
}

const times = (calls: readonly string[] | undefined, call: string): number =>
  (calls ?? []).filter((each) => each === call).length;

describe("a process that dies after any write", () => {
  it("XT1: never sends a call with an effect twice", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      subject([["shop_order", { article: "cup" }]]),
    );
    expect(whole.course.status).toBe("completed");
    expect(cut.length).toBeGreaterThan(10);
    for (const { calls, run } of cut) {
      expect(run.status).toBe("completed");
      expect(times(calls, 'order {"article":"cup"}')).toBeLessThanOrEqual(1);
    }
    // In one place the answer came and was not recorded: the model learns that nobody knows.
    const unknown = cut.filter(({ run }) => JSON.stringify(run.output).includes("unknown"));
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.length).toBeLessThan(5);
  });

  it("XT2, XT3: repeats a call the server declares idempotent, with the same key", async () => {
    const shops: Shop[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const made = subject([["shop_reserve", { article: "cup" }]]);
      shops.push(made.shop);
      return made;
    });
    for (const { course } of cut) expect(course).toEqual(whole.course);
    const keys = shops.map(({ requests }) =>
      requests
        .filter(({ body }) => body.method === "tools/call")
        .map(
          ({ body }) =>
            (body.params?.["_meta"] as Record<string, unknown> | undefined)?.[
              "edgecrew/idempotencyKey"
            ],
        ),
    );
    expect(keys.some((each) => each.length > 1)).toBe(true);
    for (const each of keys) expect(new Set(each).size).toBe(1);
  });

  it("XQ1: asks a person once, and goes on with the answer", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      subject([["shop_confirm", { article: "cup" }]], () => ({ value: { pieces: 3 } })),
    );
    expect(JSON.stringify(whole.run.output)).toContain("sold 3 cup");
    for (const { calls, run } of cut) {
      expect(run.status).toBe("completed");
      expect(times(calls, 'confirm {"article":"cup"}')).toBeLessThanOrEqual(2);
    }
  });
});

function shopping(
  call: readonly [string, Record<string, unknown>],
  { settings = {}, ...options }: ShopOptions & { readonly settings?: object } = {},
) {
  const shop = openShop(options);
  const source = mcpServer({ ...SHOP, ...settings }, { fetch: shop.fetch });
  const { crew, model } = crewCalling([call], { mcps: [source] });
  return { shop, model, run: startMcpRun(crew, shop.underWay) };
}

/** Answers the first so many tool calls in the server's place, with no answer at all or a failure. */
function failing(count: number, how: "hangs" | 503): NonNullable<ShopOptions["before"]> {
  let left = count;
  return async (request) => {
    const body = (await request.clone().json()) as { readonly method?: string };
    if (body.method !== "tools/call" || left-- <= 0) return undefined;
    return how === 503 ? new Response("busy", { status: 503 }) : new Promise(() => {});
  };
}

describe("a call that fails on its way", () => {
  it("vector P9: is not repeated", async () => {
    const { shop, run } = shopping(["shop_order", { article: "cup" }], { before: failing(9, 503) });
    expect(await rawOf(run)).toContain("whether the call took effect is unknown");
    expect(shop.requests.filter(({ body }) => body.method === "tools/call")).toHaveLength(1);
    expect(run.of("mcp_tool_execution_failed")[0]).toMatchObject({ errorType: "server_error" });
  });

  it("is repeated when the tool only reads", async () => {
    const { shop, run } = shopping(["shop_search_docs", { q: "x" }], { before: failing(2, 503) });
    expect(await rawOf(run)).toContain("found x");
    expect(shop.requests.filter(({ body }) => body.method === "tools/call")).toHaveLength(3);
  });

  it("is not repeated when the settings allow no retries", async () => {
    const { shop, run } = shopping(["shop_search_docs", { q: "x" }], {
      before: failing(2, 503),
      settings: { max_retries: 0 },
    });
    expect(await rawOf(run)).toContain("503");
    expect(shop.requests.filter(({ body }) => body.method === "tools/call")).toHaveLength(1);
  });
});

/** As `shopping`, for servers that do not answer: what hangs is not waited for. */
function hanging(call: readonly [string, Record<string, unknown>], calls: number) {
  const shop = openShop({ before: failing(calls, "hangs") });
  const source = mcpServer({ ...SHOP, execution_timeout: 5 }, { fetch: shop.fetch });
  const { crew } = crewCalling([call], { mcps: [source] });
  return { shop, run: startMcpRun(crew, () => 0) };
}

it("XG2: ends a request when the run is cancelled", async () => {
  const shop = openShop();
  const aborted: unknown[] = [];
  const fetch: typeof globalThis.fetch = (input, init) =>
    bodyOf(init).includes('"tools/call"')
      ? new Promise((_, reject) => {
          init?.signal?.addEventListener("abort", () => {
            aborted.push(init.signal?.reason);
            reject(init.signal?.reason as Error);
          });
        })
      : shop.fetch(input, init);
  const { crew } = crewCalling([["shop_order", { article: "cup" }]], {
    mcps: [mcpServer(SHOP, { fetch })],
  });
  const run = startMcpRun(crew, shop.underWay);
  await quiet(run.clock, shop.underWay);
  expect(run.of("mcp_tool_execution_started")).toHaveLength(1);
  await run.handle.cancel();
  await quiet(run.clock, shop.underWay);
  expect(aborted).toHaveLength(1);
  expect((await run.handle.status()).status).toBe("cancelled");
});

describe("a call that times out", () => {
  it("is not repeated (MC6)", async () => {
    const { shop, run } = hanging(["shop_order", { article: "cup" }], 9);
    expect(await rawOf(run)).toContain("gave no answer within 5000 ms; whether the call");
    expect(shop.requests.filter(({ body }) => body.method === "tools/call")).toHaveLength(1);
    expect(run.of("mcp_tool_execution_failed")[0]).toMatchObject({ errorType: "timeout" });
  });

  it("is repeated when the server declares it idempotent (MC6)", async () => {
    const { shop, run } = hanging(["shop_reserve", { article: "cup" }], 1);
    expect(await rawOf(run)).toContain("reserved cup");
    expect(shop.requests.filter(({ body }) => body.method === "tools/call")).toHaveLength(2);
  });
});

/** A call that a person approves after the server has changed. */
async function changedServer(first: "modern" | "legacy", then: "modern" | "legacy") {
  const shops = { old: openShop({ era: first }), new: openShop({ era: then }) };
  const state = { hasChanged: false };
  const fetch: typeof globalThis.fetch = (input, init) =>
    (state.hasChanged ? shops.new : shops.old).fetch(input, init);
  const { crew } = crewCalling([["shop_order", { article: "cup" }]], {
    mcps: [mcpServer({ ...SHOP, needs_approval: true }, { fetch })],
  });
  const run = startMcpRun(crew, () => shops.old.underWay() + shops.new.underWay());
  const { waits } = await run.settle();
  state.hasChanged = true;
  await run.handle.resume({ key: waits[0]?.key ?? "", approve: true });
  return { raw: await rawOf(run), calls: shops.new.calls };
}

describe("a server that changes its era in the middle of a run", () => {
  it("is found again when it has become a modern one", async () => {
    const { raw, calls } = await changedServer("legacy", "modern");
    expect(raw).toContain("ordered cup");
    expect(calls).toHaveLength(1);
  });

  it("fails a call with unknown effect when the server has become older", async () => {
    const { raw, calls } = await changedServer("modern", "legacy");
    expect(raw).toContain("MCP server shop");
    expect(calls.length).toBeLessThanOrEqual(1);
  });
});

describe("a session lost by a server", () => {
  /** A server of the older era with sessions, which forgets so many of them before it answers a call. */
  function forgetful(forgotten: number) {
    const sessions: string[] = [];
    const calls: string[] = [];
    const answers: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = JSON.parse(bodyOf(init)) as { id?: number; method: string };
      if (request.headers.has("mcp-method")) return new Response("no", { status: 400 });
      if (id === undefined) return new Response(null, { status: 202 });
      const result = (value: object, headers = {}): Response =>
        Response.json({ jsonrpc: "2.0", id, result: value }, { headers });
      if (method === "initialize") {
        const session = `s-${sessions.push("") + 1}`;
        const serverInfo = { name: "old", version: "1" };
        const said = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
        return result(said, { "mcp-session-id": session });
      }
      if (method === "tools/list") return result({ tools: [listed("order")] });
      calls.push(request.headers.get("mcp-session-id") ?? "");
      if (calls.length <= forgotten) return new Response("no such session", { status: 404 });
      return result({ content: [{ type: "text", text: "ordered" }] });
    };
    const mcps = [mcpServer(SHOP, { fetch: answers })];
    const { crew } = crewCalling([["shop_order", {}]], { mcps });
    return { calls, run: startMcpRun(crew, () => 0) };
  }

  it("XN1: is replaced, and the call is made, once", async () => {
    const { calls, run } = forgetful(1);
    expect(await rawOf(run)).toContain("ordered");
    expect(calls).toHaveLength(2);
    expect(new Set(calls).size).toBe(2);
  });

  it("XN1: is not replaced again and again", async () => {
    const { calls, run } = forgetful(5);
    expect(await rawOf(run)).toContain("it answered 404");
    expect(calls).toHaveLength(2);
  });
});

describe("a server's list of tools", () => {
  it("XS1: is asked for once, and stays so for the run, also when a tool is gone (MC5)", async () => {
    const shop = openShop();
    const renamed = { tools: false };
    const fetchRenamed: typeof fetch = async (input, init) => {
      if (renamed.tools && bodyOf(init).includes('"tools/call"'))
        return Response.json({
          jsonrpc: "2.0",
          id: (JSON.parse(bodyOf(init)) as { id: number }).id,
          error: { code: -32602, message: "unknown tool confirm" },
        });
      return shop.fetch(input, init);
    };
    const source = mcpServer(SHOP, { fetch: fetchRenamed });
    const { crew, model } = crewCalling([["shop_confirm", { article: "cup" }]], { mcps: [source] });
    const run = startMcpRun(crew, shop.underWay);
    const waiting = await run.settle();
    renamed.tools = true;
    const [wait] = waiting.waits;
    await run.handle.resume({ key: wait?.key ?? "", value: { pieces: 2 } });
    expect(await rawOf(run)).toContain("unknown tool confirm");
    expect(shop.requests.filter(({ body }) => body.method === "tools/list")).toHaveLength(1);
    const tools = model.calls.map(({ request }) => request.tools?.map(({ name }) => name));
    expect(new Set(tools.map((names) => JSON.stringify(names))).size).toBe(1);
    expect(run.of("tool_failure_detected")[0]).toMatchObject({ reason: "mcp_error" });
  });

  it("XL3: is requested again after the server's change notice", async () => {
    const last = { id: 0 };
    const server = handServer([listed("sell")], () => {
      const events = [
        { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
        { jsonrpc: "2.0", id: last.id, result: { resultType: "complete", content: [] } },
      ];
      const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    });
    const fetch: typeof globalThis.fetch = (input, init) => {
      last.id = (JSON.parse(bodyOf(init)) as { id: number }).id;
      return server.fetch(input, init);
    };
    const mcps = [mcpServer({ ...SHOP, cacheSeconds: 86_400 }, { fetch })];
    for (const calls of [[], [["shop_sell", {}]], []] as const) {
      const { crew } = crewCalling(calls, { mcps });
      await rawOf(startMcpRun(crew, () => 0));
    }
    expect(server.requests.map(({ method }) => method)).toEqual([
      "server/discover",
      "tools/list",
      "tools/call",
      "server/discover",
      "tools/list",
    ]);
  });

  it("is cached for other runs with the setting, for each caller's headers separately (MC1)", async () => {
    const shop = openShop();
    const source = (token: string): ReturnType<typeof mcpServer> =>
      mcpServer(
        { ...SHOP, headers: { "x-key": token }, cacheToolsList: true },
        { fetch: shop.fetch },
      );
    const lists = (): number =>
      shop.requests.filter(({ body }) => body.method === "tools/list").length;
    const first = source("one");
    for (const mcps of [[first], [first], [source("two")]]) {
      const { crew } = crewCalling([], { mcps });
      await rawOf(startMcpRun(crew, shop.underWay));
    }
    expect(lists()).toBe(2);
  });
});
