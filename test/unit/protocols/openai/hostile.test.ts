import { describe, expect, it } from "vitest";
import { arrayOf, textOf } from "../../../support/http-app.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { clerk, EXPOSED, OpenAiWorld, WEATHER } from "../../../support/openai-world.ts";

const user = { role: "user", content: "Hi" };
const chat = { model: "agent/clerk", messages: [user] };
const response = { model: "agent/clerk", input: "Hi" };

function image(url: unknown) {
  return {
    ...chat,
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
  };
}

function tooled(...tools: unknown[]) {
  return { ...chat, tools };
}

function nested(depth: number): unknown {
  return depth === 0 ? {} : { a: nested(depth - 1) };
}

const REFUSED: ReadonlyArray<[what: string, path: string, body: unknown, param: string | null]> = [
  ["no body", "chat/completions", "", "model"],
  ["no JSON", "chat/completions", "{", null],
  ["a list", "chat/completions", "[]", null],
  ["no model", "chat/completions", { messages: [user] }, "model"],
  ["a model that is a number", "chat/completions", { ...chat, model: 5 }, "model"],
  ["no messages", "chat/completions", { model: "agent/clerk" }, "messages"],
  ["an empty list of messages", "chat/completions", { ...chat, messages: [] }, "messages"],
  ["messages that are a text", "chat/completions", { ...chat, messages: "Hi" }, "messages"],
  [
    "a strange role",
    "chat/completions",
    { ...chat, messages: [{ ...user, role: "root" }] },
    "messages[0].role",
  ],
  [
    "an empty word of the user's",
    "chat/completions",
    { ...chat, messages: [{ ...user, content: "" }] },
    "messages",
  ],
  [
    "content that is a number",
    "chat/completions",
    { ...chat, messages: [{ ...user, content: 7 }] },
    "messages[0].content",
  ],
  [
    "audio",
    "chat/completions",
    { ...chat, messages: [{ ...user, content: [{ type: "input_audio" }] }] },
    "messages[0].content[0].type",
  ],
  ["an image without a URL", "chat/completions", image(undefined), "messages[0].content[0]"],
  [
    "an image that is a file of the machine",
    "chat/completions",
    image("file:///etc/passwd"),
    "messages[0].content[0]",
  ],
  [
    "an image with script",
    "chat/completions",
    image("javascript:alert(1)"),
    "messages[0].content[0]",
  ],
  [
    "a result of a tool without a call",
    "chat/completions",
    { ...chat, messages: [user, { role: "tool", content: "x" }] },
    "messages[1].tool_call_id",
  ],
  ["n = 5", "chat/completions", { ...chat, n: 5 }, "n"],
  ["n = 0", "chat/completions", { ...chat, n: 0 }, "n"],
  ["negative max_tokens", "chat/completions", { ...chat, max_tokens: -2 }, "max_tokens"],
  ["no tokens", "chat/completions", { ...chat, max_tokens: 0 }, "max_tokens"],
  ["a temperature of 99", "chat/completions", { ...chat, temperature: 99 }, "temperature"],
  ["stream as a text", "chat/completions", { ...chat, stream: "yes" }, "stream"],
  ["functions of old", "chat/completions", { ...chat, functions: [{ name: "x" }] }, "functions"],
  ["a tool of another type", "chat/completions", tooled({ type: "web_search" }), "tools[0].type"],
  [
    "a tool without a name",
    "chat/completions",
    tooled({ type: "function", function: {} }),
    "tools[0]",
  ],
  [
    "a tool with a bad name",
    "chat/completions",
    tooled({ type: "function", function: { name: "a b" } }),
    "tools[0]",
  ],
  ["two tools of a name", "chat/completions", tooled(WEATHER, WEATHER), "tools[1]"],
  ["129 tools", "chat/completions", tooled(...Array.from({ length: 129 }, () => WEATHER)), "tools"],
  [
    "parameters that are no schema",
    "chat/completions",
    tooled({ type: "function", function: { name: "a", parameters: { type: "nonsense" } } }),
    "tools[0]",
  ],
  [
    "a tool_choice that is no tool",
    "chat/completions",
    { ...tooled(WEATHER), tool_choice: { type: "function", function: { name: "x" } } },
    "tool_choice",
  ],
  [
    "allowed tools that are none of the tools",
    "chat/completions",
    {
      ...tooled(WEATHER),
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "x" } }] },
      },
    },
    "tool_choice",
  ],
  [
    "a strange response_format",
    "chat/completions",
    { ...chat, response_format: { type: "xml" } },
    "response_format.type",
  ],
  [
    "a json_schema without a schema",
    "chat/completions",
    { ...chat, response_format: { type: "json_schema" } },
    "response_format",
  ],
  [
    "a schema that refers to itself",
    "chat/completions",
    { ...chat, response_format: { type: "json_schema", json_schema: { schema: { $ref: "#" } } } },
    "response_format",
  ],
  [
    "a form for a crew that has its own",
    "chat/completions",
    { ...chat, model: "crew/report", response_format: { type: "json_object" } },
    "response_format",
  ],
  ["a deep body", "chat/completions", { ...chat, deep: nested(200) }, null],
  ["no input", "responses", { model: "agent/clerk" }, "input"],
  ["an input that is a number", "responses", { ...response, input: 5 }, "input"],
  [
    "an item of a strange type",
    "responses",
    { ...response, input: [{ type: "computer_call" }] },
    "input[0].type",
  ],
  [
    "an item without a role",
    "responses",
    { ...response, input: [{ content: "x" }] },
    "input[0].role",
  ],
  [
    "a reference to nothing",
    "responses",
    { ...response, input: [{ type: "item_reference", id: "msg_x" }] },
    "input[0].id",
  ],
  [
    "a background that is not stored",
    "responses",
    { ...response, background: true, store: false },
    "background",
  ],
  [
    "two threads",
    "responses",
    { ...response, conversation: "a", previous_response_id: "resp_b" },
    "conversation",
  ],
  [
    "an unknown response before",
    "responses",
    { ...response, previous_response_id: "resp_b" },
    "previous_response_id",
  ],
];

describe("an impossible request", () => {
  const world = new OpenAiWorld();

  it.each(REFUSED)(
    "%s is refused in OpenAI's form, with the field",
    async (...[, path, body, param]) => {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const headers = { "content-type": "application/json" };
      const { status, json } = await world.ask(`/v1/${path}`, {
        body: sent,
        method: "POST",
        headers,
      });
      expect({ status, error: json["error"] }).toEqual({
        status: 400,
        error: {
          message: expect.any(String),
          type: "invalid_request_error",
          param,
          code: param === "previous_response_id" ? "previous_response_not_found" : null,
        },
      });
      expect(world.reported).toEqual([]);
      expect(world.model.calls).toEqual([]);
    },
  );

  it.each([
    "crew/briefing",
    "nobody",
    "",
    "__proto__",
    "agent/",
    "/",
    "crew/../keys",
    "a".repeat(200),
  ])("the model %j is not found", async (model) => {
    const { status, json } = await world.ask("/v1/chat/completions", { json: { ...chat, model } });
    expect(status).toBe(model === "" ? 400 : 404);
    expect(json["error"]).toMatchObject({ param: "model" });
  });

  it("1 MB is too large, other media types and paths are refused", async () => {
    const large = { ...chat, messages: [{ ...user, content: "x".repeat(1024 * 1024) }] };
    const answers = [
      await world.ask("/v1/chat/completions", { json: large }),
      await world.ask("/v1/chat/completions", {
        body: JSON.stringify(chat),
        headers: { "content-type": "text/plain" },
      }),
      await world.ask("/v1/embeddings", { json: {} }),
      await world.ask("/v1/chat/completions"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([413, 415, 404, 405]);
    for (const { json, headers } of answers) {
      expect(json["error"]).toMatchObject({ type: "invalid_request_error" });
      expect(headers.get("content-type")).toBe("application/json");
    }
  });

  it("names missing inputs", async () => {
    const description = "Compare {this} with {that}";
    const compare = new Crew({
      tasks: [new Task({ description, expectedOutput: "x", agent: clerk })],
    });
    const two = new OpenAiWorld({
      crews: { compare },
      openai: { expose: { "crew/compare": true } },
    });
    const ask = (content: string) =>
      two.ask("/v1/chat/completions", {
        json: { model: "crew/compare", messages: [{ role: "user", content }] },
      });
    const { status, json } = await ask("Hi");
    expect(status).toBe(400);
    expect(textOf(json["error"]?.["message"])).toContain("this, that");
    expect((await ask('{"this": 1, "that": 2}')).status).toBe(200);
  });

  it("a key is needed, and one without the scope is refused", async () => {
    const closed = new OpenAiWorld({ auth: { mode: "keys", adminKey: "boss" } });
    await expect(closed.sdk.models.list()).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    const { json } = await closed.ask("/keys", {
      key: "boss",
      json: { tenant: "ann", scopes: ["read"] },
    });
    const reader = closed.client(textOf(json["key"]));
    expect(await arrayOf(await reader.models.list())).not.toEqual([]);
    await expect(
      reader.chat.completions.create({
        model: "agent/clerk",
        messages: [{ role: "user", content: "Hi" }],
      }),
    ).rejects.toMatchObject({ status: 403, code: "insufficient_permissions" });
  });

  it("too many calls are refused with a retry time", async () => {
    const limited = new OpenAiWorld({ openai: { expose: EXPOSED, limits: { perMinute: 1 } } });
    const ask = () =>
      limited.sdk.chat.completions.create({
        model: "agent/clerk",
        messages: [{ role: "user", content: "Hi" }],
      });
    await ask();
    const error = await ask().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(Number((error as { headers: Headers }).headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("further fields of clients", () => {
  it("is let through", async () => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    const { json } = await world.ask("/v1/chat/completions", {
      json: {
        ...chat,
        n: 1,
        temperature: 0.2,
        top_p: 1,
        max_tokens: 200,
        max_completion_tokens: null,
        presence_penalty: 0,
        frequency_penalty: 0,
        logit_bias: {},
        logprobs: false,
        seed: 4,
        stop: ["\n"],
        stream: false,
        stream_options: null,
        store: true,
        user: "ann",
        metadata: { chat: "7", count: 3 },
        reasoning_effort: "low",
        service_tier: "auto",
        tools: [],
        tool_choice: "auto",
        response_format: { type: "text" },
        chat_id: "x",
        session_id: "y",
        features: { web_search: false },
        __proto__: { polluted: true },
      },
    });
    expect(json["choices"]?.[0]?.["message"]?.["content"]).toBe("Fine.");
    const { items } = await world.runs.list({ tenant: "default", limit: 1 });
    const run = await world.runs.get("default", items[0]?.id ?? "");
    expect(run.meta).toEqual({ user: "ann", metadata: { chat: "7", count: 3 } });
  });

  it("a conversation of instructions alone asks with them", async () => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    const { json } = await world.ask("/v1/chat/completions", {
      json: { ...chat, messages: [{ role: "system", content: "Say something" }] },
    });
    expect(json["choices"]?.[0]?.["message"]?.["content"]).toBe("Fine.");
  });

  it("images and files come to the agent as they are", async () => {
    const world = new OpenAiWorld({ script: () => "A cat." });
    const data = "data:image/png;base64,iVBORw0KGgo=";
    await world.ask("/v1/chat/completions", {
      json: {
        ...chat,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is it?" },
              { type: "image_url", image_url: { url: data, detail: "low" } },
              { type: "image_url", image_url: { url: "https://pictures.test/cat.png" } },
              {
                type: "file",
                file: { filename: "a.txt", file_data: "data:text/plain;base64,SGk=" },
              },
            ],
          },
        ],
      },
    });
    const asked = JSON.stringify(world.model.calls[0]?.messages);
    for (const part of ["iVBORw0KGgo=", "https://pictures.test/cat.png", "SGk=", '"detail":"low"'])
      expect(asked).toContain(part);
  });

  it("calls of other tools in the history are passed on in words", async () => {
    const world = new OpenAiWorld({ script: () => "Fine." });
    const call = {
      id: "call_of_another",
      type: "function",
      function: { name: "look", arguments: "{}" },
    };
    await world.ask("/v1/chat/completions", {
      json: {
        ...chat,
        messages: [
          user,
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "call_of_another", content: "rain" },
          { role: "assistant", content: "It rains." },
          { role: "user", content: "Still?" },
        ],
      },
    });
    const asked = world.model.calls[0]?.request.messages.map(({ content }) => content).join("|");
    expect(asked).toContain("|(Used the tool look with {}. It answered: rain)|It rains.|");
  });

  it("works below a path, too", async () => {
    const world = new OpenAiWorld({ basePath: "/ai", script: () => "Fine." });
    const sdk = world.client("none", "/v1");
    const { choices } = await sdk.chat.completions.create({
      model: "crew/report",
      messages: [{ role: "user", content: "tea" }],
    });
    expect(choices[0]?.message.content).toBe("Fine.");
  });
});
