import { describe, expect, it } from "vitest";
import { openapiTools } from "../../../../../src/tools/catalog/openapi/openapi-tools.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";
import type { Tool } from "../../../../../src/tools/tool.ts";

const SHOP = {
  openapi: "3.1.0",
  info: { title: "Tea shop", version: "1" },
  servers: [{ url: "https://shop.example/v1/" }],
  paths: {
    "/teas/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: {
        operationId: "getTea",
        summary: "One tea",
        description: "With its price.",
        parameters: [
          { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-Trace", in: "header", schema: { type: "string" } },
          { name: "Authorization", in: "header", schema: { type: "string" } },
        ],
      },
      delete: { operationId: "dropTea", deprecated: true },
    },
    "/orders": {
      post: {
        operationId: "orderTea",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
        },
      },
      get: { summary: "Orders" },
    },
  },
  components: {
    schemas: {
      Order: {
        type: "object",
        properties: { tea: { type: "string" }, more: { $ref: "#/components/schemas/Order" } },
        required: ["tea"],
      },
    },
  },
};
const auth = { env: "SHOP_KEY" };
const variables = { SHOP_KEY: "shop-key-0123456789" };

function toolOf(name: string, options: Parameters<typeof openapiTools>[1] = { auth }): Tool {
  const found = openapiTools(SHOP, options).find(({ safeName }) => safeName === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

describe("tools of an API's description", () => {
  it("are its operations, with their arguments", () => {
    const tools = openapiTools(JSON.stringify(SHOP), { auth });
    expect(tools.map(({ name }) => name)).toEqual(["getTea", "get_/orders", "orderTea"]);
    expect(tools[0]).toMatchObject({
      description: "One tea\nWith its price.",
      service: "Tea shop",
      parameters: {
        properties: { id: { type: "string" }, fields: { type: "array" }, "X-Trace": {} },
        required: ["id"],
      },
    });
    expect(tools[0]?.parameters["properties"]).not.toHaveProperty("Authorization");
    expect(tools[2]?.parameters).toMatchObject({
      properties: { body: { properties: { tea: { type: "string" } }, required: ["tea"] } },
      required: ["body"],
    });
  });

  it("OAT1: need no approval for reading, and a person's for the rest", () => {
    expect(toolOf("get_tea")).toMatchObject({ needsApproval: false, effect: "idempotent" });
    expect(toolOf("order_tea")).toMatchObject({ needsApproval: true, effect: "once" });
    expect(toolOf("order_tea", { auth, needsApproval: false })).toMatchObject({
      needsApproval: false,
    });
  });

  it("OAT1: are called once with effects, even if the run's process dies", async () => {
    const { cut } = await cutAfterEveryWrite(() =>
      toolSubject(
        toolOf("order_tea"),
        { body: { tea: "green" } },
        { answers: [Response.json({ id: 1 })], variables },
      ),
    );
    for (const { calls } of cut) expect(calls.length).toBeLessThanOrEqual(1);
  });

  it("put each argument at its operation's place, and the key into the header", async () => {
    const { requests, data } = await callOf(
      toolOf("get_tea"),
      { id: "a/b", fields: ["name", "price"], "X-Trace": "t" },
      { answers: [Response.json({ name: "Green" })], variables },
    );
    expect(requests[0]).toMatchObject({
      method: "GET",
      url: "https://shop.example/v1/teas/a%2Fb?fields=name&fields=price",
      headers: { "x-trace": "t", authorization: "Bearer shop-key-0123456789" },
    });
    expect(data).toEqual({ name: "Green" });
    const order = await callOf(
      toolOf("order_tea", { auth: { env: "SHOP_KEY", query: "key" } }),
      { body: { tea: "green" } },
      { answers: [new Response(null, { status: 204 })], variables },
    );
    expect(order.requests[0]).toMatchObject({
      method: "POST",
      url: "https://shop.example/v1/orders?key=shop-key-0123456789",
      body: { tea: "green" },
    });
    expect(order.text).toContain("Done.");
  });

  it.each(["..", ".", ""])("refuse %j for a part of an address", async (id) => {
    const { failure, requests } = await callOf(toolOf("get_tea"), { id }, { variables });
    expect(failure?.code).toBe("bad_request");
    expect(requests).toEqual([]);
  });

  it("OAT2: go to the server in the code", async () => {
    const { requests } = await callOf(
      toolOf("get_tea", { baseUrl: "https://test.example" }),
      { id: "1" },
      { answers: [new Response("plain", { headers: { location: "https://evil.example" } })] },
    );
    expect(requests[0]?.url).toBe("https://test.example/teas/1");
    expect(() => openapiTools({ ...SHOP, servers: [{ url: "/v1" }] })).toThrow(/give baseUrl/);
  });

  it("OAT3: are refused when they are too many for a model", () => {
    expect(() => openapiTools(SHOP, { maxTools: 2 })).toThrow(/has 3 operations.*include/);
    expect(openapiTools(SHOP, { maxTools: 1, include: ["GET /orders"] })).toHaveLength(1);
    expect(() => openapiTools(SHOP, { include: ["getCoffee"] })).toThrow(
      /no operation "getCoffee"; it has getTea/,
    );
  });

  it.each([{}, { paths: [] }, "no description", "[]"])("refuse %j", (description) => {
    expect(() => openapiTools(description)).toThrow(/expected an OpenAPI 3 description/);
  });
});
