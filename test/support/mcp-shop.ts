// A real MCP server, as agents in tests use it: a shop, of either era, called without a network.
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** A request as it reached the server. */
export type McpRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: Record<string, unknown>;
  };
};

export type Shop = {
  readonly fetch: typeof fetch;
  /** All requests, in order. */
  readonly requests: McpRequest[];
  /** What its tools were called with: `order {"article":"cup"}`. */
  readonly calls: string[];
  /** Requests that the server has not answered yet. */
  readonly underWay: () => number;
};

export type ShopOptions = {
  /** @default both eras */
  readonly era?: "modern" | "legacy";
  /** Leaves out what the shop offers by itself. @default false */
  readonly bare?: boolean;
  /** Adds tools of a test's own. */
  readonly add?: (server: McpServer) => void;
  /** Comes before the server: answers in its place, or undefined. */
  readonly before?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Comes after the server. */
  readonly after?: (response: Response, request: McpRequest) => Response | Promise<Response>;
};

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A shop that sells one article, and nothing else. */
export function openShop(options: ShopOptions = {}): Shop {
  const { era, bare = false, add, before, after } = options;
  const calls: string[] = [];
  const requests: McpRequest[] = [];
  let open = 0;
  const handler = createMcpHandler(
    () => {
      const server = bare ? bareServer() : shopServer(calls);
      add?.(server);
      return server;
    },
    { ...(era === "modern" ? { legacy: "reject" as const } : undefined), keepAliveMs: 0 },
  );
  const serve = async (request: Request): Promise<Response> => {
    const text = await request.clone().text();
    const body = (text === "" ? {} : safely(text)) as McpRequest["body"];
    const { url, method, headers } = request;
    const noted = { url, method, headers, body };
    requests.push(noted);
    const early = await before?.(request);
    if (early !== undefined) return early;
    if (era === "legacy" && headers.has("mcp-method"))
      return Response.json(
        { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no such thing" } },
        { status: 400 },
      );
    const response = await handler.fetch(request);
    return (await after?.(response, noted)) ?? response;
  };
  return {
    calls,
    requests,
    underWay: () => open,
    fetch: async (input, init) => {
      open += 1;
      try {
        return await serve(new Request(input, init));
      } finally {
        open -= 1;
      }
    },
  };
}

function safely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function bareServer(): McpServer {
  return new McpServer(
    { name: "shop", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
}

function shopServer(calls: string[]): McpServer {
  const server = bareServer();
  const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
  const note = (name: string, input: unknown): void =>
    void calls.push(`${name} ${JSON.stringify(input)}`);
  server.registerTool(
    "searchDocs",
    {
      description: "Searches the shop's documents.",
      inputSchema: z.object({
        q: z.string(),
        f: z.string().nullable().optional(),
        o: z.record(z.string(), z.string()).optional(),
        l: z.array(z.string()).optional(),
      }),
      annotations: { readOnlyHint: true },
    },
    (input) => {
      note("searchDocs", input);
      return text(`found ${input.q}`);
    },
  );
  server.registerTool(
    "order",
    { description: "Orders an article.", inputSchema: z.object({ article: z.string() }) },
    (input) => {
      note("order", input);
      return text(`ordered ${input.article}`);
    },
  );
  server.registerTool(
    "reserve",
    {
      description: "Reserves an article, once for each customer.",
      inputSchema: z.object({ article: z.string() }),
      annotations: { idempotentHint: true, destructiveHint: false },
    },
    (input) => {
      note("reserve", input);
      return text(`reserved ${input.article}`);
    },
  );
  server.registerTool("picture", { description: "A picture, and what is known of it." }, () => {
    note("picture", {});
    return {
      content: [
        { type: "text", text: "The first text." },
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "resource_link", uri: "shop://cup", name: "The cup" },
        { type: "resource", resource: { uri: "shop://note", text: "A note." } },
        { type: "text", text: "The second text." },
      ],
      structuredContent: { price: 12 },
    };
  });
  server.registerTool("broken", { description: "Fails." }, () => {
    note("broken", {});
    return { content: [{ type: "text", text: "no cups left" }], isError: true };
  });
  server.registerTool(
    "confirm",
    {
      description: "Sells an article to a person who confirms it.",
      inputSchema: z.object({ article: z.string() }),
    },
    ({ article }, context) => {
      note("confirm", { article });
      const { inputResponses } = context.mcpReq;
      const confirmed = acceptedContent<{ pieces: number }>(inputResponses, "pieces");
      if (confirmed !== undefined) return text(`sold ${confirmed.pieces} ${article}`);
      const answer = inputResponses?.["pieces"] as { readonly action?: string } | undefined;
      if (answer !== undefined) return text(`not sold: ${answer.action}`);
      return inputRequired({
        requestState: `state-of-${article}`,
        inputRequests: {
          pieces: inputRequired.elicit({
            message: `How many of ${article}?`,
            requestedSchema: {
              type: "object",
              properties: { pieces: { type: "integer", minimum: 1, title: "Pieces" } },
              required: ["pieces"],
            },
          }),
        },
      });
    },
  );
  server.registerResource("cup", "shop://cup", { description: "The cup" }, (uri) => ({
    contents: [{ uri: uri.href, text: "A cup of clay." }],
  }));
  server.registerPrompt(
    "greet",
    { description: "Greets a customer.", argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
    }),
  );
  return server;
}
