// MCP over the HTTP layer of tests: the official client, whose requests reach the app without a network.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Agent } from "../../src/agent/description/agent.ts";
import { Crew } from "../../src/crew/crew.ts";
import { Task } from "../../src/crew/tasks/task.ts";
import { D1CallerCounts } from "../../src/cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "../../src/cloudflare/stores/d1-thread-store.ts";
import type { PartSession } from "../../src/parts/part.ts";
import type { McpOptions } from "../../src/protocols/mcp/server/mcp-options.ts";
import { mcpPart } from "../../src/protocols/mcp/server/mcp-part.ts";
import { ask, HttpWorld, type Answer, type HttpWorldOptions } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

export const MODERN = "2026-07-28";

const asker = new Agent({
  role: "Asker",
  goal: "Ask on {topic}",
  backstory: "Asks.",
  tools: [ask],
});

/** A crew of two tasks, each of which asks. */
export const askingTwice = new Crew({
  name: "briefing",
  tasks: ["first", "second"].map(
    (name) =>
      new Task({
        name,
        description: `The ${name} of {topic}`,
        expectedOutput: "Facts",
        agent: asker,
      }),
  ),
});

/** The official client, as tests connect it. */
export type ClientSetup = {
  /** @default the current revision */
  readonly legacy?: boolean;
  readonly capabilities?: Readonly<Record<string, object>>;
  readonly key?: string;
  /** Leaves questions to the test. @default false */
  readonly manual?: boolean;
};

export class McpWorld extends HttpWorld {
  readonly origin = "http://localhost";

  constructor(
    mcp: McpOptions = { expose: "all" },
    options: HttpWorldOptions = {},
    sessions?: (name: string) => PartSession,
  ) {
    const database = sqliteD1();
    const part = mcpPart(mcp, {
      threads: () => new D1ThreadStore(database),
      counts: () => new D1CallerCounts(database),
      sessions: () => sessions,
    });
    super({ ...options, parts: [...(options.parts ?? []), part] });
  }

  /** A client that has shaken hands, or asked what the server is. */
  async connect({
    legacy = false,
    capabilities = {},
    key,
    manual = false,
  }: ClientSetup = {}): Promise<Client> {
    const client = new Client(
      { name: "test", version: "1" },
      {
        capabilities,
        versionNegotiation: { mode: legacy ? "legacy" : { pin: MODERN } },
        inputRequired: { autoFulfill: !manual },
      },
    );
    const headers: Record<string, string> =
      key === undefined ? {} : { authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${this.origin}/mcp`), {
      fetch: async (url, init) => this.app.request(String(url), init),
      requestInit: { headers },
    });
    await client.connect(transport);
    return client;
  }

  /** Lets runs go on until something is there. */
  async until<Value>(pending: Promise<Value>): Promise<Value> {
    const outcome = { isDone: false };
    const done = (): void => {
      outcome.isDone = true;
    };
    pending.then(done, done);
    while (!outcome.isDone) {
      await this.clock.settle();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return pending;
  }

  /** One request of the current revision, as it goes over the wire. */
  async rpc(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    { capabilities = {}, headers = {}, meta = {}, ...options }: RpcOptions = {},
  ): Promise<Answer> {
    const name = params["name"] ?? params["uri"] ?? params["taskId"];
    return this.until(
      this.ask("/mcp", {
        ...options,
        json: {
          jsonrpc: "2.0",
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              "io.modelcontextprotocol/protocolVersion": MODERN,
              "io.modelcontextprotocol/clientCapabilities": capabilities,
              ...meta,
            },
          },
        },
        headers: {
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": MODERN,
          "mcp-method": method,
          ...(typeof name === "string" ? { "mcp-name": name } : undefined),
          ...headers,
        },
      }),
    );
  }
}

export type RpcOptions = {
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly key?: string;
};
