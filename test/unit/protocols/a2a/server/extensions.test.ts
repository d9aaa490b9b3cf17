// Extensions of the protocol, and user interfaces as data.
import { describe, expect, it } from "vitest";
import { a2aResult } from "../../../../../src/entry/a2a.ts";
import { defineFlow } from "../../../../../src/flow/define-flow.ts";
import type { Task } from "../../../../../src/protocols/a2a/schema.ts";
import { A2AWorld } from "./world.ts";

const URI = "https://example.com/ext/v1";

describe("extensions", () => {
  it("are activated by the header, named in the answer, and declared on the card", async () => {
    const world = new A2AWorld({
      a2a: { extensions: [{ uri: URI, description: "One", required: true, params: { a: 1 } }] },
    });
    const card = await world.rest("/.well-known/agent-card.json");
    expect(card.json["capabilities"]?.["extensions"]).toEqual([
      { uri: URI, description: "One", required: true, params: { a: 1 } },
    ]);
    const headers = { "A2A-Extensions": `https://unknown.example/x, ${URI}` };
    const rpc = await world.rpc("SendMessage", { message: world.message("x") }, { headers });
    expect(rpc.headers.get("a2a-extensions")).toBe(URI);
    const rest = await world.rest("/tasks", { headers });
    expect(rest.headers.get("a2a-extensions")).toBe(URI);
  });

  it("change messages and tasks of callers that activated them; their errors are logged and skipped", async () => {
    const world = new A2AWorld({
      a2a: {
        extensions: [
          {
            uri: URI,
            onRequest: (message) => ({ ...message, parts: [{ text: "changed" }] }),
            onResponse: (task) => ({ ...task, metadata: { seen: true } }),
          },
          {
            uri: `${URI}/broken`,
            onRequest: () => {
              throw new Error("broken");
            },
          },
        ],
      },
    });
    const headers = { "a2a-extensions": `${URI},${URI}/broken` };
    const { task } = (await world.result(
      "SendMessage",
      { message: world.message("x") },
      { headers },
    )) as unknown as { task: Task };
    expect(task).toMatchObject({
      metadata: { seen: true },
      history: [{ parts: [{ text: "changed" }] }],
    });
    expect(world.reported).toHaveLength(1);
    const plain = (await world.result("SendMessage", {
      message: world.message("x"),
    })) as unknown as { task: Task };
    expect(plain.task.metadata).toBeUndefined();
    expect(plain.task.history).toMatchObject([{ parts: [{ text: "x" }] }]);
  });
});

describe("user interfaces", () => {
  const mediaType = "application/json+a2ui";
  const data = [
    {
      surfaceUpdate: {
        surfaceId: "s",
        components: [
          { id: "1", component: { Text: { text: { literalString: "Hi" } } } },
          { id: "2", component: { Script: { code: "evil()" } } },
          { id: "3", component: { Text: {}, Script: {} } },
        ],
      },
    },
    {
      version: "v0.9",
      updateComponents: {
        surfaceId: "s",
        components: [
          { id: "1", component: "Button" },
          { id: "2", component: "Frame" },
        ],
      },
    },
    { deleteSurface: { surfaceId: "s" } },
    { surfaceUpdate: {}, deleteSurface: {} },
    { evil: {} },
    "text",
  ];
  const ui = defineFlow({
    name: "ui",
    methods: {
      draw: {
        start: true,
        run: () =>
          a2aResult({
            artifacts: [{ id: "ui", parts: [{ text: "See" }, { data: data as never, mediaType }] }],
          }),
      },
    },
  });
  const flows = { ui };
  const partsOf = async (a2ui: object | undefined, header: string): Promise<unknown> => {
    const world = new A2AWorld({
      flows,
      a2a: { expose: { "flow/ui": true }, ...(a2ui && { a2ui }) },
    });
    const task = await world.task(
      { message: world.message("x") },
      { agent: "ui", headers: { "a2a-extensions": header } },
    );
    return task.artifacts?.[0]?.parts;
  };

  it("AU1: reach only callers that activated the extension", async () => {
    expect(await partsOf({}, "")).toEqual([{ text: "See" }]);
    expect(await partsOf(undefined, "https://a2ui.org/a2a-extension/a2ui/v0.8")).toEqual([
      { text: "See" },
    ]);
  });

  it("AU2: contain the listed messages and components", async () => {
    expect(await partsOf({}, "https://a2ui.org/a2a-extension/a2ui/v0.8")).toEqual([
      { text: "See" },
      {
        mediaType,
        data: [
          {
            surfaceUpdate: {
              surfaceId: "s",
              components: [{ id: "1", component: { Text: { text: { literalString: "Hi" } } } }],
            },
          },
          {
            version: "v0.9",
            updateComponents: { surfaceId: "s", components: [{ id: "1", component: "Button" }] },
          },
          { deleteSurface: { surfaceId: "s" } },
        ],
      },
    ]);
    expect(
      await partsOf({ components: ["Frame"] }, "https://a2ui.org/a2a-extension/a2ui/v0.9"),
    ).toMatchObject([
      {},
      {
        data: [
          { surfaceUpdate: { components: [] } },
          { updateComponents: { components: [{ component: "Frame" }] } },
          {},
        ],
      },
    ]);
  });

  it("are declared on the card", async () => {
    const world = new A2AWorld({ a2a: { a2ui: { versions: ["v0.8"], catalogId: "mine" } } });
    const { json } = await world.rest("/.well-known/agent-card.json");
    expect(json["capabilities"]?.["extensions"]).toMatchObject([
      { uri: "https://a2ui.org/a2a-extension/a2ui/v0.8", params: { catalogId: "mine" } },
    ]);
  });
});
