import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../../src/agent/description/agent.ts";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { Crew } from "../../../../src/crew/crew.ts";
import { Task } from "../../../../src/crew/tasks/task.ts";
import { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import type { RunServices } from "../../../../src/events/run-services.ts";
import { InMemoryFileStore } from "../../../../src/files/in-memory-file-store.ts";
import { markAsData } from "../../../../src/llm/definition-rules.ts";
import { modelCatalog } from "../../../../src/llm/model-catalog.ts";
import { mcpService } from "../../../../src/entry/mcp.ts";
import {
  codeExecutionTool,
  fileSearchTool,
  imageGenerationTool,
  mcpServerTool,
  webFetchTool,
  webSearchTool,
} from "../../../../src/tools/catalog/provider/index.ts";
import { tool, type Tool } from "../../../../src/tools/tool.ts";
import type { ToolSource } from "../../../../src/tools/tool-source.ts";
import { openShop } from "../../../support/mcp-shop.ts";
import { RunWorld } from "../../../support/run-world.ts";

type Body = Readonly<Record<string, JsonValue>>;

const RESPONSES = { model: "openai/gpt-5", api: "responses" } as const;
const CLAUDE = "anthropic/claude-sonnet-4-5";
const GROQ = "groq/llama-3.3-70b-versatile";

/** What a provider answers in the end, in its own form. */
function saying(url: string, said: string, parts: readonly JsonObject[] = []): JsonObject {
  if (url.endsWith("/responses")) {
    const content = [{ type: "output_text", text: said }];
    return {
      id: "resp_1",
      status: "completed",
      output: [...parts, { type: "message", id: "msg_1", content }],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    };
  }
  const usage = { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1 };
  if (url.endsWith("/messages"))
    return {
      id: "msg_1",
      content: [...parts, { type: "text", text: said }],
      stop_reason: "end_turn",
      usage,
    };
  return { id: "c_1", choices: [{ message: { content: said }, finish_reason: "stop" }], usage };
}

type Answering = (url: string, body: Body, index: number) => JsonObject | Response;

/** A crew of one agent with these tools, whose model is a provider's. */
async function asked(
  llm: NonNullable<Agent["llm"]>,
  tools: readonly (Tool | ToolSource)[],
  {
    answer = (url) => saying(url, "done"),
    services = {},
    ...options
  }: {
    readonly answer?: Answering;
    readonly services?: RunServices;
    readonly deferTools?: number;
  } = {},
) {
  const requests: { readonly url: string; readonly body: Body; readonly headers: Headers }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = JSON.parse(await request.text()) as Body;
    requests.push({ url: request.url, body, headers: request.headers });
    const answered = answer(request.url, body, requests.length - 1);
    return answered instanceof Response ? answered : Response.json(answered);
  };
  const keys = ["OPENAI", "ANTHROPIC", "GROQ"].map((name) => [`${name}_API_KEY`, "a-key"]);
  const variables = { ...Object.fromEntries(keys), ...services.variables } as Record<
    string,
    string
  >;
  const agent = new Agent({
    role: "Scout",
    goal: "Find",
    backstory: "You look.",
    tools,
    llm,
    ...options,
  });
  const task = new Task({ description: "Look", expectedOutput: "A line", agent });
  const world = new RunWorld(new Crew({ tasks: [task] }).program().run, {
    models: modelCatalog({ variables, fetch }),
    services: { ...services, variables },
  });
  const run = await world.begin();
  const raw = (run.output as { readonly raw?: string } | undefined)?.raw;
  const journal = JSON.stringify(world.host.reader.steps({ values: true, limit: 200 }).items);
  const events = world.host.export().events;
  return { run, raw, requests, journal, events };
}

const toolsOf = ({ body }: { readonly body: Body }): readonly JsonObject[] =>
  (body["tools"] ?? []) as readonly JsonObject[];

const webSearch = tool({
  name: "web_search",
  description: "Searches.",
  input: z.object({ query: z.string() }),
  envVars: [{ name: "SEARCH_KEY", description: "the key of the search" }],
  run: ({ query }) => `found ${query}`,
});

describe("a tool of the model's provider", () => {
  it("SHW1: is passed on by OpenAI's Responses API, and ours is called elsewhere (AG6)", async () => {
    const options = { maxUses: 2, allowedDomains: ["example.com"], contextSize: "low" } as const;
    const made = webSearchTool({ ...options, otherwise: webSearch });
    const passed = await asked(RESPONSES, [made]);
    expect(passed.raw).toBe("done");
    expect(toolsOf(passed.requests[0] as never)).toEqual([
      {
        type: "web_search",
        filters: { allowed_domains: ["example.com"] },
        search_context_size: "low",
      },
    ]);
    const services = { variables: { SEARCH_KEY: "x" } };
    const ours = await asked(GROQ, [made], { services });
    expect(toolsOf(ours.requests[0] as never)).toMatchObject([
      { type: "function", function: { name: "web_search" } },
    ]);
  });

  it("SHW1: needs no variables of our fallback when it is passed on, and all of them elsewhere", async () => {
    const made = webSearchTool({ otherwise: webSearch });
    expect((await asked(CLAUDE, [made])).run.status).toBe("completed");
    const { run, requests } = await asked(GROQ, [made]);
    expect(run.error).toMatchObject({ message: expect.stringContaining("SEARCH_KEY") });
    expect(requests).toEqual([]);
  });

  it("SHW1: is refused when the model lacks it and it has no fallback", async () => {
    const { run, requests } = await asked(GROQ, [codeExecutionTool()]);
    expect(run.error).toMatchObject({
      code: "invalid_definition",
      message: expect.stringMatching(/"code_execution".*groq\/llama.*otherwise/),
    });
    expect(requests).toEqual([]);
  });

  it("has its own form at Anthropic, and its name is not available to our tools", async () => {
    const own = tool({
      name: "web_search",
      description: "Ours.",
      input: z.object({}),
      run: () => "",
    });
    const { requests } = await asked(CLAUDE, [
      webSearchTool({
        blockedDomains: ["bad.example"],
        userLocation: { country: "IT" },
        maxUses: 3,
      }),
      webFetchTool({ maxContentTokens: 500 }),
      codeExecutionTool(),
      own,
    ]);
    expect(toolsOf(requests[0] as never)).toEqual([
      {
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 3,
        blocked_domains: ["bad.example"],
        user_location: { type: "approximate", country: "IT" },
      },
      { type: "web_fetch_20250910", name: "web_fetch", max_content_tokens: 500 },
      { type: "code_execution_20250825", name: "code_execution" },
      {
        name: "web_search_2",
        description: "Ours.",
        input_schema: { type: "object", properties: {} },
      },
    ]);
  });

  it("has the other forms of OpenAI", async () => {
    const { requests } = await asked(RESPONSES, [
      codeExecutionTool(),
      fileSearchTool({ vectorStoreIds: ["vs_1"], maxResults: 3 }),
      imageGenerationTool({ size: "1024x1024", outputFormat: "webp" }),
    ]);
    expect(toolsOf(requests[0] as never)).toEqual([
      { type: "code_interpreter", container: { type: "auto" } },
      { type: "file_search", vector_store_ids: ["vs_1"], max_num_results: 3 },
      { type: "image_generation", size: "1024x1024", output_format: "webp" },
    ]);
  });

  it("SHW1: is replaced by our tool after the provider refuses it, with a warning in the run", async () => {
    const made = webSearchTool({ otherwise: webSearch });
    const { raw, requests, events } = await asked(CLAUDE, [made], {
      services: { variables: { SEARCH_KEY: "x" } },
      answer: (url, body) =>
        JSON.stringify(body["tools"]).includes("web_search_20250305")
          ? Response.json(
              {
                type: "error",
                error: { type: "invalid_request_error", message: "no such tool type" },
              },
              { status: 400 },
            )
          : saying(url, "done"),
    });
    expect(raw).toBe("done");
    expect(toolsOf(requests[1] as never)).toMatchObject([
      { name: "web_search", description: "Searches." },
    ]);
    const warnings = events.filter(({ type }) => type === "agent_warning");
    expect(JSON.stringify(warnings)).toContain("refused its own tools (web_search)");
  });

  it("SHW2: many tools are left to the search of Anthropic's larger models, and of no other model", async () => {
    const tools = Array.from({ length: 3 }, (_, index) =>
      tool({ name: `t_${index}`, description: "Does.", input: z.object({}), run: () => "" }),
    );
    const typesOf = async (llm: string): Promise<readonly unknown[]> => {
      const { requests } = await asked(llm, tools, { deferTools: 2 });
      return toolsOf(requests[0] as never).map((each) => each["type"] ?? each["defer_loading"]);
    };
    const searching = ["tool_search_tool_bm25_20251119", true, true, true];
    expect(await typesOf("anthropic/claude-opus-4-5-20251101")).toEqual(searching);
    expect(await typesOf("anthropic/claude-sonnet-5")).toEqual(searching);
    for (const model of ["claude-haiku-4-5", "claude-opus-4-1", "claude-sonnet-4-20250514"])
      expect(await typesOf(`anthropic/${model}`)).toEqual([undefined]);
  });

  it("is passed on in conversations, too", async () => {
    const bodies: Body[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      bodies.push(JSON.parse(await request.text()) as Body);
      return Response.json(saying(request.url, "done"));
    };
    const clerk = new ConversableAgent({
      name: "clerk",
      llm: CLAUDE,
      tools: [webSearchTool()],
      humanInputMode: "NEVER",
    });
    const customer = new ConversableAgent({ name: "customer", humanInputMode: "NEVER" });
    const models = modelCatalog({ variables: { ANTHROPIC_API_KEY: "a-key" }, fetch });
    await customer.initiateChat(clerk, { message: "Hello", maxTurns: 1 }, { models });
    expect(bodies[0]?.["tools"]).toEqual([{ type: "web_search_20250305", name: "web_search" }]);
  });
});

describe("items of a provider's tools", () => {
  const search = {
    type: "server_tool_use",
    id: "srv_1",
    name: "web_search",
    input: { query: "cups" },
  };
  const found = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] };
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    run: () => "seen",
  });

  it("are kept, and sent back unchanged", async () => {
    const { raw, requests } = await asked(CLAUDE, [webSearchTool(), look], {
      answer: (url, _, index) => {
        if (index > 0) return saying(url, "done");
        const use = { type: "tool_use", id: "t_1", name: "look", input: {} };
        const message = saying(url, "Looking.", [search, found]);
        const content = [...(message["content"] as readonly JsonObject[]), use];
        return { ...message, content, stop_reason: "tool_use" };
      },
    });
    expect(raw).toBe("done");
    const messages = requests[1]?.body["messages"] as readonly JsonObject[];
    expect(messages[1]).toMatchObject({
      role: "assistant",
      content: [search, found, { type: "text", text: "Looking." }, { type: "tool_use" }],
    });
  });

  it("ANP1: a paused answer continues from its last place, and is one answer", async () => {
    const { raw, requests, run } = await asked(CLAUDE, [webSearchTool()], {
      answer: (url, _, index) =>
        index === 0
          ? { ...saying(url, "First, "), content: [search], stop_reason: "pause_turn" }
          : saying(url, "then this.", [found]),
    });
    expect(raw).toBe("then this.");
    expect(requests).toHaveLength(2);
    const messages = requests[1]?.body["messages"] as readonly JsonObject[];
    expect(messages.at(-1)).toEqual({ role: "assistant", content: [search] });
    expect(run.usage.totalTokens).toBe(4);
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[1]).toBe(`${keys[0]}:2`);
  });

  it("ANP1: limits how often an answer may pause", async () => {
    const { requests, run } = await asked(CLAUDE, [webSearchTool()], {
      answer: (url) => ({ ...saying(url, "still"), stop_reason: "pause_turn" }),
    });
    expect(requests).toHaveLength(6);
    expect(run).toMatchObject({ status: "failed", error: { code: "answer_cut_off" } });
  });

  it.each([
    ["of unknown types", [{ type: "strange_call", id: "x", data: { deep: [1] } }]],
    ["without types", [{ id: "x" }, { type: 7 }]],
    ["of a search", [{ type: "web_search_call", id: "ws_1", status: "completed", action: null }]],
  ])("are ignored in the text of the answer: items %s", async (_, parts) => {
    const { raw } = await asked(RESPONSES, [webSearchTool()], {
      answer: (url) => saying(url, "done", parts),
    });
    expect(raw).toBe("done");
  });

  it("GIM1: images are in the workspace, and in no record", async () => {
    const data = btoa("an image ".repeat(100));
    const drawn = {
      type: "image_generation_call",
      id: "ig_1",
      status: "completed",
      result: data,
      output_format: "webp",
    };
    const files = new InMemoryFileStore();
    const answer: Answering = (url) => ({
      ...saying(url, ""),
      output: [drawn],
    });
    const {
      raw = "",
      journal,
      events,
    } = await asked(RESPONSES, [imageGenerationTool()], {
      services: { files },
      answer,
    });
    const [, path = ""] = /^\[image image\/webp: (images\/[0-9a-f]{16}-1\.webp)\]$/.exec(raw) ?? [];
    const file = await files.get(`runs/run-1/${path}`);
    expect(new TextDecoder().decode(file?.content)).toBe("an image ".repeat(100));
    for (const record of [journal, JSON.stringify(events)])
      expect(record).not.toContain(data.slice(0, 60));
    expect((await asked(RESPONSES, [imageGenerationTool()], { answer })).raw).toBe(
      "[image image/webp, 900 bytes]",
    );
  });
});

describe("MCPServerTool", () => {
  const SERVER = { server_url: "https://shop.example.com/mcp", server_label: "shop" };

  it("MST1: is passed on when the model has it, with its token", async () => {
    const variables = { SHOP_TOKEN: "token-of-the-shop" };
    const made = mcpServerTool({
      ...SERVER,
      authorization_token: { env: "SHOP_TOKEN" },
      allowed_tools: ["order"],
    });
    const openai = await asked(RESPONSES, [made], { services: { variables } });
    expect(toolsOf(openai.requests[0] as never)).toEqual([
      {
        type: "mcp",
        server_label: "shop",
        server_url: "https://shop.example.com/mcp",
        authorization: "token-of-the-shop",
        allowed_tools: ["order"],
        require_approval: "never",
      },
    ]);
    const claude = await asked(CLAUDE, [made], { services: { variables } });
    const [request] = claude.requests;
    expect(request?.body["mcp_servers"]).toEqual([
      {
        type: "url",
        name: "shop",
        url: SERVER.server_url,
        authorization_token: "token-of-the-shop",
      },
    ]);
    expect(toolsOf(request as never)).toEqual([
      {
        type: "mcp_toolset",
        mcp_server_name: "shop",
        default_config: { enabled: false },
        configs: { order: { enabled: true } },
      },
    ]);
    expect(request?.headers.get("anthropic-beta")).toContain("mcp-client");
    for (const { journal, events } of [openai, claude])
      expect(journal + JSON.stringify(events)).not.toContain("token-of-the-shop");
  });

  it("MST1: is asked by our own client when data names it", async () => {
    const shop = openShop();
    const { requests } = await asked(RESPONSES, [mcpServerTool(markAsData({ ...SERVER }))], {
      services: { mcp: mcpService({ fetch: shop.fetch }) },
    });
    expect(JSON.stringify(requests[0]?.body["tools"])).toContain("shop_order");
    expect(JSON.stringify(requests[0]?.body)).not.toContain('"type":"mcp"');
  });

  it.each([
    ["the model has no such tool", GROQ, {}],
    ["a person must approve", RESPONSES, { needs_approval: true }],
    ["headers are to be sent", CLAUDE, { headers: { "x-a": "b" } }],
    ["tools are blocked", CLAUDE, { blocked_tools: ["broken"] }],
  ])("MST1: is asked by our own client when %s", async (_, llm, options) => {
    const shop = openShop();
    const { requests } = await asked(llm, [mcpServerTool({ ...SERVER, ...options })], {
      services: { mcp: mcpService({ fetch: shop.fetch }) },
    });
    expect(JSON.stringify(requests[0]?.body["tools"])).toContain("shop_order");
    expect(requests[0]?.body["mcp_servers"]).toBeUndefined();
  });

  it.each([
    [{ server_url: "http://shop.example.com" }, "serverUrl"],
    [{ ...SERVER, colour: "red" }, "colour"],
    [{ ...SERVER, server_label: "1 2" }, "serverLabel"],
  ])("refuses %j", (options, field) => {
    expect(() => mcpServerTool(options)).toThrow(field);
  });
});
