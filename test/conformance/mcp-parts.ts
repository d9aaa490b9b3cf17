// What the conformance suite of MCP calls by fixed names, as features of `mcp()`.
import * as z from "zod";
import {
  askClient,
  logToClient,
  mcp,
  mcpResult,
  reportProgress,
  type McpContent,
  type McpPrompt,
  type McpResource,
  type McpResourceTemplate,
  type McpToolOptions,
} from "../../src/entry/mcp.ts";
import { fromBase64 } from "../../src/base/bytes.ts";
import { EngineError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { ToolContext } from "../../src/tools/tool-context.ts";
import { tool, toolFromSchema, type Tool } from "../../src/tools/tool.ts";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file of no length. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const image: McpContent = { type: "image", data: PNG, mimeType: "image/png" };
const nothing = z.object({});

function simple(name: string, run: (context: ToolContext) => unknown): Tool {
  return tool({
    name,
    description: `Conformance: ${name}`,
    input: nothing,
    run: (_, context) => run(context),
  });
}

function contents(...content: McpContent[]): JsonObject {
  return mcpResult({ content });
}

function form(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required: [...required] };
}

function sampling(text: string, maxTokens = 100): JsonObject {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens };
}

function textIn({ content }: JsonObject): string {
  const { text } = (content ?? {}) as { readonly text?: string };
  return text ?? JSON.stringify(content);
}

function answered({ action, content }: JsonObject): string {
  return `Elicitation completed: action=${JSON.stringify(action)}, content=${JSON.stringify(content ?? {})}`;
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const NAME = form({ name: { type: "string" } }, ["name"]);
const OK = form({ ok: { type: "boolean" } }, ["ok"]);

const answering: readonly Tool[] = [
  simple("test_simple_text", () => "This is a simple text response for testing."),
  simple("test_image_content", () => contents(image)),
  simple("test_audio_content", () => contents({ type: "audio", data: WAV, mimeType: "audio/wav" })),
  simple("test_embedded_resource", () =>
    contents({
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    }),
  ),
  simple("test_multiple_content_types", () =>
    contents({ type: "text", text: "Multiple content types test:" }, image, {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    }),
  ),
  simple("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  }),
  simple("test_tool_with_logging", async () => {
    logToClient("info", "Tool execution started");
    await pause(50);
    logToClient("info", "Tool processing data");
    await pause(50);
    logToClient("info", "Tool execution completed");
    return "The tool has logged three times.";
  }),
  simple("test_logging_tool", () => {
    logToClient("info", "A line for whoever asked for lines");
    return "The tool has logged.";
  }),
  simple("test_tool_with_progress", async () => {
    for (const progress of [0, 50, 100]) {
      reportProgress({ progress, total: 100 });
      await pause(50);
    }
    return "The tool has reported its progress.";
  }),
  toolFromSchema({
    name: "json_schema_2020_12_tool",
    description: "Conformance: a schema with the words of 2020-12",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (input) => JSON.stringify(input),
  }),
];

const asking: readonly Tool[] = [
  tool({
    name: "test_sampling",
    description: "Conformance: asks the client's model",
    input: z.object({ prompt: z.string() }),
    run: async ({ prompt }, context) =>
      `LLM response: ${textIn(await askClient(context, "sampling", { sampling: sampling(prompt) }))}`,
  }),
  tool({
    name: "test_elicitation",
    description: "Conformance: asks the client's user",
    input: z.object({ message: z.string() }),
    run: async ({ message }, context) => {
      const schema = form(
        {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        },
        ["username", "email"],
      );
      const answer = await askClient(context, "user", { form: { message, schema } });
      return `User response: ${JSON.stringify(answer)}`;
    },
  }),
  simple("test_elicitation_sep1034_defaults", async (context) => {
    const schema = form({
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    });
    return answered(
      await askClient(context, "defaults", { form: { message: "Who are you?", schema } }),
    );
  }),
  simple("test_elicitation_sep1330_enums", async (context) => {
    const options = ["option1", "option2", "option3"];
    const titled = ["First", "Second", "Third"];
    const schema = form({
      untitledSingle: { type: "string", enum: options },
      titledSingle: {
        type: "string",
        oneOf: titled.map((each, index) => ({
          const: `value${index + 1}`,
          title: `${each} Option`,
        })),
      },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: {
        type: "array",
        items: {
          anyOf: titled.map((each, index) => ({
            const: `value${index + 1}`,
            title: `${each} Choice`,
          })),
        },
      },
    });
    return answered(await askClient(context, "enums", { form: { message: "Which?", schema } }));
  }),
  simple("test_input_required_result_elicitation", async (context) => {
    const answer = await askClient(context, "user_name", {
      form: { message: "What is your name?", schema: NAME },
    });
    return `Hello, ${JSON.stringify(answer["content"])}!`;
  }),
  simple("test_input_required_result_sampling", async (context) =>
    textIn(
      await askClient(context, "capital_question", {
        sampling: sampling("What is the capital of France?"),
      }),
    ),
  ),
  simple("test_input_required_result_list_roots", async (context) =>
    JSON.stringify(await askClient(context, "client_roots", { roots: true })),
  ),
  simple("test_input_required_result_request_state", async (context) => {
    await askClient(context, "confirm", { form: { message: "Please confirm", schema: OK } });
    return "state-ok";
  }),
  simple("test_input_required_result_tampered_state", async (context) => {
    await askClient(context, "confirm", { form: { message: "Please confirm", schema: OK } });
    return "state-ok";
  }),
  simple("test_input_required_result_multiple_inputs", async (context) =>
    JSON.stringify(
      await Promise.all([
        askClient(context, "user_name", { form: { message: "What is your name?", schema: NAME } }),
        askClient(context, "greeting", { sampling: sampling("Generate a greeting", 50) }),
        askClient(context, "client_roots", { roots: true }),
      ]),
    ),
  ),
  simple("test_input_required_result_multi_round", async (context) => {
    const first = await askClient(context, "step1", {
      form: { message: "Step 1: What is your name?", schema: NAME },
    });
    const schema = form({ color: { type: "string" } }, ["color"]);
    const second = await askClient(context, "step2", {
      form: { message: "Step 2: What is your favorite color?", schema },
    });
    return JSON.stringify([first, second]);
  }),
  simple("test_input_required_result_capabilities", async (context) =>
    JSON.stringify(
      await Promise.all([
        askClient(context, "user_name", { form: { message: "What is your name?", schema: NAME } }),
        askClient(context, "greeting", { sampling: sampling("Say hello") }),
      ]),
    ),
  ),
  simple("test_missing_capability", async (context) =>
    textIn(await askClient(context, "sampling", { sampling: sampling("Say hello") })),
  ),
  simple("test_streaming_elicitation", async (context) => {
    reportProgress({ progress: 1 });
    return answered(
      await askClient(context, "user_name", {
        form: { message: "What is your name?", schema: NAME },
      }),
    );
  }),
];

const tasks: readonly McpToolOptions[] = [
  {
    tool: tool({
      name: "greet",
      description: "Conformance: answers at once",
      input: z.object({ name: z.string() }),
      run: ({ name }) => `Hello, ${name}!`,
    }),
  },
  {
    task: "optional",
    tool: tool({
      name: "slow_compute",
      description: "Conformance: takes its time",
      input: z.object({ seconds: z.number(), label: z.string().optional() }),
      run: async ({ seconds, label = "" }, context) => {
        if (seconds > 0) await context.sleep("time", seconds * 1000);
        return `Done after ${seconds} s ${label}`;
      },
    }),
  },
  {
    task: "required",
    tool: simple("failing_job", async (context) => {
      await context.sleep("time", 1000);
      throw new Error("This job fails on purpose");
    }),
  },
  {
    task: "optional",
    tool: simple("protocol_error_job", () => {
      throw new EngineError("internal", "This job breaks on purpose");
    }),
  },
  {
    task: "optional",
    tool: tool({
      name: "confirm_delete",
      description: "Conformance: asks once",
      input: z.object({ filename: z.string() }),
      run: async ({ filename }, context) => {
        const schema = form({ confirm: { type: "boolean" } }, ["confirm"]);
        const question = { message: `Delete ${filename}?`, schema };
        return answered(await askClient(context, "confirm", { form: question }));
      },
    }),
  },
  {
    task: "optional",
    tool: simple("multi_input", async (context) => {
      const answers = await Promise.all(
        ["first", "second"].map((name) =>
          askClient(context, name, { form: { message: `The ${name}?`, schema: form({}) } }),
        ),
      );
      return answers.map(answered).join("\n");
    }),
  },
];

const marked = toolFromSchema({
  name: "marked_parameters",
  description: "Conformance: a parameter that is a header, too",
  parameters: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
    required: ["region"],
  },
  run: ({ region = "" }) => `In ${JSON.stringify(region)}`,
});

const resources: ReadonlyArray<McpResource | McpResourceTemplate> = [
  {
    uri: "test://static-text",
    name: "Static text",
    description: "A text that never changes",
    mimeType: "text/plain",
    read: () => "This is the content of the static text resource.",
  },
  {
    uri: "test://static-binary",
    name: "Static image",
    description: "An image that never changes",
    mimeType: "image/png",
    read: () => fromBase64(PNG),
  },
  {
    uri: "test://watched-resource",
    name: "Watched",
    description: "One that clients subscribe to",
    mimeType: "text/plain",
    read: () => "Nothing new.",
  },
  {
    uriTemplate: "test://template/{id}/data",
    name: "Data by id",
    description: "Data of an id",
    mimeType: "application/json",
    read: ({ id = "" }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    complete: { id: (typed) => ["123", "124", "200"].filter((each) => each.startsWith(typed)) },
  },
];

const prompts: readonly McpPrompt[] = [
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments",
    get: () => "This is a simple prompt for testing.",
  },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments",
    arguments: [
      {
        name: "arg1",
        description: "First test argument",
        required: true,
        complete: (typed) => ["paris", "park", "party"].filter((each) => each.startsWith(typed)),
      },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    get: ({ arg1 = "", arg2 = "" }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource in it",
    arguments: [{ name: "resourceUri", description: "URI of the resource", required: true }],
    get: ({ resourceUri = "" }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
      },
      {
        role: "user",
        content: { type: "text", text: "Please process the embedded resource above." },
      },
    ],
  },
  {
    name: "test_prompt_with_image",
    description: "A prompt with an image in it",
    get: () => [
      { role: "user", content: image },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ],
  },
  {
    name: "test_input_required_result_prompt",
    description: "A prompt that asks for its context",
    get: async (_, { ask }) => {
      const schema = form({ context: { type: "string" } }, ["context"]);
      const answer = await ask("user_context", {
        form: { message: "What context should the prompt use?", schema },
      });
      return `Use this context: ${JSON.stringify(answer["content"] ?? {})}`;
    },
  },
];

/** The server that the suite checks. */
export const mcpConformance = mcp({
  server: { name: "edgecrew-conformance", version: "1" },
  tools: [...answering, ...asking, ...tasks, marked],
  resources,
  prompts,
});
