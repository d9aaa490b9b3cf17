// A real MCP server of revision 2025-11-25, with sessions: its tools ask the client while their call is open.
import {
  McpServer,
  UrlElicitationRequiredError,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";

export type AskingServer = {
  readonly fetch: typeof fetch;
  /** Calls that its tools received, and their answers. */
  readonly calls: string[];
  /** Errors of questions that got no answer. */
  readonly abandoned: readonly string[];
  /** Requests that it has not answered yet. */
  readonly underWay: () => number;
};

export type AskingServerOptions = {
  /** Message of the form. @default the same for all calls */
  readonly message?: (call: number) => string;
  /** Time after which the server gives up a question, in milliseconds of this process. */
  readonly patienceMs?: number;
};

const FORM = {
  type: "object",
  properties: { pieces: { type: "integer", minimum: 1 } },
  required: ["pieces"],
} as const;

/** Opens the server. Its tool `confirm` asks a person, `ponder` a model. */
export function askingServer(options: AskingServerOptions = {}): AskingServer {
  const { message = () => "How many?", patienceMs = 600_000 } = options;
  const calls: string[] = [];
  const abandoned: string[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let open = 0;
  const told = (text: string) => {
    calls.push(text);
    return { content: [{ type: "text" as const, text }] };
  };
  const newServer = (): McpServer => {
    const server = new McpServer({ name: "asking", version: "1" });
    const about = { inputSchema: z.object({}) };
    server.registerTool("confirm", about, async () => {
      calls.push("confirm");
      const request = { message: message(calls.length), requestedSchema: FORM };
      const asking = server.server.elicitInput(request as never, { timeout: patienceMs });
      const { action, content } = await asking.catch((error: unknown) => {
        abandoned.push(String(error));
        throw error;
      });
      return told(`${action} ${JSON.stringify(content ?? null)}`);
    });
    server.registerTool("pay", about, async () => {
      calls.push("pay");
      const page = { mode: "url", message: "Pay here", url: "https://pay.example.com/1" } as const;
      if (calls.length === 1)
        throw new UrlElicitationRequiredError([{ ...page, elicitationId: "1" }]);
      return told("paid");
    });
    server.registerTool("ponder", about, async () => {
      calls.push("ponder");
      const content = { type: "text" as const, text: "Why?" };
      const request = { messages: [{ role: "user" as const, content }], maxTokens: 9 };
      const answer = await server.server.createMessage(request);
      return told(JSON.stringify(answer.content));
    });
    return server;
  };
  const serve = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await newServer().connect(transport);
    return transport.handleRequest(request);
  };
  return {
    calls,
    abandoned,
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
