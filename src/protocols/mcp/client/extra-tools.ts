// Tools for an agent to read a server's resources and prompts, if the settings allow it. They have no effects.
import * as z from "zod";
import { cleanText } from "../../../base/clean-text.ts";
import { cut } from "../../../base/cut.ts";
import { errorMessage } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { RunScope } from "../../../events/run-scope.ts";
import { toolFailure } from "../../../tools/tool-failure.ts";
import { toolResult } from "../../../tools/tool-result.ts";
import { tool, type Tool } from "../../../tools/tool.ts";
import { textOfResource, textOfResult } from "./call-result.ts";
import { REQUEST, type McpConnection } from "./connection.ts";
import type { Discovery } from "./discovery.ts";
import { connected, type OpenServer } from "./open-server.ts";
import { exposedName, serverNameOf } from "./tool-names.ts";

type Reading<Input> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly read: (connection: McpConnection, input: Input) => Promise<string>;
};

/** Returns the tools for resources and prompts. */
export function extraTools(
  { hasResources, hasPrompts }: Pick<Discovery, "hasResources" | "hasPrompts">,
  server: OpenServer,
): readonly Tool[] {
  const { resources, prompts } = server.settings;
  return [
    ...(resources && hasResources
      ? [readingTool(LIST_RESOURCES, server), readingTool(READ_RESOURCE, server)]
      : []),
    ...(prompts && hasPrompts
      ? [readingTool(LIST_PROMPTS, server), readingTool(GET_PROMPT, server)]
      : []),
  ];
}

const LIST_RESOURCES: Reading<object> = {
  name: "list_resources",
  description:
    "Lists the documents that the server has, with the URI of each, and patterns of URIs.",
  input: z.object({}),
  read: async ({ client }) => {
    const { resources } = await client.listResources(undefined, REQUEST);
    const { resourceTemplates } = await client.listResourceTemplates(undefined, REQUEST);
    const lines = [
      ...resources.map(({ uri, name, description }) => line(uri, name, description)),
      ...resourceTemplates.map(({ uriTemplate, name, description }) =>
        line(uriTemplate, name, description),
      ),
    ];
    return lines.join("\n") || "There are no resources.";
  },
};

const READ_RESOURCE: Reading<{ uri: string }> = {
  name: "read_resource",
  description: "Reads one document of the server by its URI.",
  input: z.object({ uri: z.string().min(1) }),
  read: async ({ client }, { uri }) => {
    const { contents } = await client.readResource({ uri }, REQUEST);
    return contents.map((each) => textOfResource(each as JsonObject)).join("\n\n");
  },
};

const LIST_PROMPTS: Reading<object> = {
  name: "list_prompts",
  description: "Lists the prompts that the server has prepared, with the arguments of each.",
  input: z.object({}),
  read: async ({ client }) => {
    const { prompts } = await client.listPrompts(undefined, REQUEST);
    const lines = prompts.map(({ name, description, arguments: args = [] }) => {
      const named = args.map((each) => `${each.name}${each.required === true ? "" : "?"}`);
      return line(`${name}(${named.join(", ")})`, undefined, description);
    });
    return lines.join("\n") || "There are no prompts.";
  },
};

const GET_PROMPT: Reading<{ name: string; arguments: Record<string, string> }> = {
  name: "get_prompt",
  description: "Gets one prompt of the server, with its arguments filled in.",
  input: z.object({
    name: z.string().min(1),
    arguments: z.record(z.string(), z.string()).default({}),
  }),
  read: async ({ client }, params) => {
    const { messages } = await client.getPrompt(params, REQUEST);
    return messages
      .map(({ role, content }) => `${role}: ${textOfResult({ content: [content as JsonObject] })}`)
      .join("\n\n");
  },
};

/** Limit of one text for a model, in characters. */
const MAX_TEXT = 65_536;
const RETRY = { initialDelayMs: 1_000, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 };

function readingTool<Input>(reading: Reading<Input>, server: OpenServer): Tool {
  const { settings, about } = server;
  const name = settings.name ?? serverNameOf(settings.url);
  return tool({
    name: exposedName(name, reading.name),
    description: `${reading.description} Server: ${about.serverName}.`,
    input: reading.input,
    effect: "pure",
    cache: () => false,
    timeoutMs: settings.executionTimeoutMs,
    retry: { ...RETRY, maxAttempts: settings.maxRetries + 1 },
    run: async (input, { signal }) => {
      const scope = RunScope.current();
      if (scope === undefined) throw new Error(`${reading.name} can be called within a run only`);
      try {
        const text = await connected(server, { scope, signal }, (connection) =>
          reading.read(connection, input),
        );
        return toolResult({ text: cut(cleanText(text), MAX_TEXT), untrusted: [about.serverName] });
      } catch (error) {
        if (signal.aborted) throw error;
        const message = errorMessage(error);
        return toolFailure({ message, reason: "mcp_error", code: "server_error" });
      }
    },
  });
}

function line(id: string, name: string | undefined, description: string | undefined): string {
  const words = [name === id ? undefined : name, description].filter((word) => word !== undefined);
  return words.length === 0 ? `- ${id}` : `- ${id}: ${words.join(", ")}`;
}
