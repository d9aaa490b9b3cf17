import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../../../src/base/json.ts";
import { badResponse } from "../../../../../src/tools/catalog/base/service-failure.ts";
import { serviceTools } from "../../../../../src/tools/catalog/base/service-tools.ts";
import { cutAfterEveryResult, runWhole } from "../../../../support/cut-off.ts";
import {
  callOf,
  toolSubject,
  type SeenRequest,
  type ToolCallOptions,
} from "../../../../support/tool-world.ts";

const shop = serviceTools({
  className: "ShopTools",
  displayName: "Shop",
  group: "automation",
  service: "Shop",
  effectClass: "X",
  untrusted: true,
  description: "What a shop can do.",
  options: () => z.object({ shelves: z.array(z.string()).default([]) }),
  env: [{ name: "SHOP_KEY", description: "its key", send: { header: "x-key" }, option: "apiKey" }],
  hosts: ["shop.example"],
  list: async ({ shelves }, io) => {
    const { body } = await io.send({ url: "https://shop.example/tools", query: { shelves } });
    if (!Array.isArray(body)) throw badResponse("Shop");
    return body.filter(isJsonObject).map((each) => ({
      name: each["name"] as string,
      description: (each["about"] ?? "") as string,
      parameters: (each["schema"] ?? { type: "object" }) as JsonObject,
      ...(each["reads"] === true ? { reads: true } : undefined),
      about: { id: JSON.stringify(each["id"]) },
    }));
  },
  call: async ({ offered, input }, io) => {
    const url = `https://shop.example/tools/${offered.about?.["id"]}`;
    return (await io.send({ url, body: input })).body;
  },
});

const TOOLS = [
  {
    name: "Order Tea",
    about: "Orders tea.",
    id: 7,
    schema: {
      type: "object",
      properties: { grams: { type: "integer" } },
      required: ["grams"],
    },
  },
  { name: "stock", id: 8, reads: true },
  { name: "odd", id: 9, schema: { $ref: "https://elsewhere.example/schema.json" } },
];

let shops = 0;
/** Lists are kept by key: each world has one of its own. */
function world(more: ToolCallOptions = {}): ToolCallOptions {
  return {
    variables: { SHOP_KEY: `key-of-the-shop-${++shops}` },
    answers: ({ method }: SeenRequest) =>
      method === "GET" ? Response.json(TOOLS) : Response.json({ ordered: true }),
    ...more,
  };
}

describe("tools offered by a service", () => {
  it("are made from its list, and called with the model's input", async () => {
    const { requests, data, extras } = await callOf(
      shop({ shelves: ["a", "b"] }),
      { grams: "50" },
      world(),
    );
    expect(requests).toMatchObject([
      { url: "https://shop.example/tools?shelves=a&shelves=b" },
      { url: "https://shop.example/tools/7", body: { grams: 50 } },
    ]);
    expect(data).toEqual({ ordered: true });
    expect(extras.untrusted).toEqual(["Shop"]);
  });

  it("ask a person, except for read-only ones", async () => {
    const subject = toolSubject(shop(), {}, world());
    const { program } = subject;
    const found: object[] = [];
    await runWhole({
      ...subject,
      program: {
        ...program,
        run: async (scope) => {
          const tools = await shop().open(scope.at("tools"), { agentRole: "Tester" });
          found.push(...tools);
          return null;
        },
      },
    });
    expect(found).toMatchObject([
      { safeName: "order_tea", description: "Orders tea.", needsApproval: true, effect: "once" },
      { safeName: "stock", description: "stock", needsApproval: false, effect: "idempotent" },
      { safeName: "odd", parameters: { type: "object" } },
    ]);
  });

  it("TSV1: are asked for once, wherever the run loses its process", async () => {
    const { whole, cut } = await cutAfterEveryResult(() =>
      toolSubject(shop(), { grams: 50 }, world({ toolName: "order_tea" })),
    );
    expect(whole.calls).toHaveLength(2);
    for (const { run, calls } of cut) {
      expect(run.output).toEqual(whole.run.output);
      expect(calls.filter((call) => call.startsWith("GET"))).toHaveLength(1);
    }
  });

  it("TSV1: are known to other runs with the same key and options, and to no others", async () => {
    const one = world();
    expect((await callOf(shop(), { grams: 1 }, one)).requests).toHaveLength(2);
    expect((await callOf(shop(), { grams: 1 }, one)).requests).toHaveLength(1);
    expect((await callOf(shop({ shelves: ["c"] }), { grams: 1 }, one)).requests).toHaveLength(2);
    expect((await callOf(shop(), { grams: 1 }, world())).requests).toHaveLength(2);
  });

  it("TSV2: end the run first when the service does not list them", async () => {
    const call = (answers: readonly Response[]): Promise<unknown> =>
      callOf(shop(), {}, world({ answers }));
    await expect(call([new Response("no", { status: 401 })])).rejects.toThrow(
      /^tool_failed: the tools of Shop are not known: Shop refused the key in SHOP_KEY/,
    );
    await expect(call([Response.json({ wrong: true })])).rejects.toThrow(/unexpected/);
    await expect(callOf(shop(), {}, { variables: {} })).rejects.toThrow(
      /needs variables that this deployment does not set: SHOP_KEY/,
    );
  });

  it("TSV2: are requested again when the service is away for a while", async () => {
    let away = 2;
    const answers = ({ method }: SeenRequest): Response => {
      if (method === "GET" && away-- > 0) return new Response("down", { status: 503 });
      return method === "GET" ? Response.json(TOOLS) : Response.json({});
    };
    const { requests } = await callOf(shop(), { grams: 1 }, world({ answers }));
    expect(requests.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "POST"]);
  });

  it("keep the key out of the run's records", async () => {
    const options = world({
      answers: ({ headers }) => Response.json({ error: headers["x-key"] }, { status: 400 }),
    });
    const subject = toolSubject(shop(), {}, options);
    const { run, events } = await runWhole(subject);
    expect(run.status).toBe("failed");
    expect(JSON.stringify([run, events])).not.toContain("key-of-the-shop");
  });
});
