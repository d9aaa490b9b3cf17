// Prompts and resources of a server, for code outside of a run.
import type { Prompt } from "@modelcontextprotocol/client";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { systemClock } from "../../../base/system.ts";
import { ConnectionFailed, REQUEST, type McpConnection } from "./connection.ts";
import {
  accessOf,
  serverSettings,
  type McpServerInput,
  type McpSurroundings,
} from "./mcp-server.ts";
import { withConnection } from "./with-connection.ts";

/** A prompt prepared by a server. */
export type McpPrompt = {
  readonly name: string;
  readonly description?: string;
  readonly arguments: ReadonlyArray<{
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }>;
};

/** A message of a prompt. `content` is a part in the protocol's form. */
export type McpPromptMessage = {
  readonly role: "user" | "assistant";
  readonly content: JsonObject;
};

/** A document of a server. */
export type McpResource = {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
};

/** Reads a server outside of a run. Every method fails with `tool_failed` if the server does not answer. */
export interface McpReader {
  prompts(): Promise<readonly McpPrompt[]>;
  prompt(
    name: string,
    args?: Readonly<Record<string, string>>,
  ): Promise<readonly McpPromptMessage[]>;
  resources(): Promise<readonly McpResource[]>;
  /** Reads the contents of a document, each with its `text`, or its `blob` in base64. */
  resource(uri: string): Promise<readonly JsonObject[]>;
}

function toPrompt({ name, description, arguments: args = [] }: Prompt): McpPrompt {
  return {
    name,
    ...(description === undefined ? undefined : { description }),
    arguments: args.map((each) => ({
      name: each.name,
      ...(each.description === undefined ? undefined : { description: each.description }),
      required: each.required === true,
    })),
  };
}

/** Reads the prompts and resources of a server: `await mcpReader("https://docs.example.com/mcp").prompts()`. */
export function mcpReader(
  server: string | McpServerInput,
  surroundings: McpSurroundings = {},
): McpReader {
  const settings = serverSettings(server);
  const access = accessOf(surroundings)({ services: {} });
  const ask = async <Value>(
    work: (connection: McpConnection) => Promise<Value>,
  ): Promise<Value> => {
    const controller = new AbortController();
    const { executionTimeoutMs } = settings;
    const cancel = systemClock.after(executionTimeoutMs, () =>
      controller.abort(
        new EngineError("timeout", `the MCP server gave no answer within ${executionTimeoutMs} ms`),
      ),
    );
    try {
      const { signal } = controller;
      return await withConnection({ settings, access, signal, now: () => systemClock.now() }, work);
    } catch (error) {
      throw error instanceof ConnectionFailed ? error.failure.error : error;
    } finally {
      cancel();
    }
  };
  return {
    prompts: () =>
      ask(async ({ client }) => {
        const { prompts } = await client.listPrompts(undefined, REQUEST);
        return prompts.map(toPrompt);
      }),
    prompt: (name, args = {}) =>
      ask(async ({ client }) => {
        const { messages } = await client.getPrompt({ name, arguments: { ...args } }, REQUEST);
        return messages.map(({ role, content }) => ({ role, content: content as JsonObject }));
      }),
    resources: () =>
      ask(async ({ client }) => {
        const { resources } = await client.listResources(undefined, REQUEST);
        return resources.map(({ uri, name, description, mimeType }) => ({
          uri,
          name,
          ...(description === undefined ? undefined : { description }),
          ...(mimeType === undefined ? undefined : { mimeType }),
        }));
      }),
    resource: (uri) =>
      ask(async ({ client }) => {
        const { contents } = await client.readResource({ uri }, REQUEST);
        return contents as readonly JsonObject[];
      }),
  };
}
