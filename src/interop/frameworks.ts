// Recognises and calls tools of other frameworks. It goes by their shapes, as none of their packages is loaded.
import { isJsonObject } from "../base/json.ts";
import { RunScope } from "../events/run-scope.ts";
import { toolResultOf, withFiles } from "../protocols/mcp/client/call-files.ts";
import { readResult, textOfResult } from "../protocols/mcp/client/call-result.ts";
import { toolFailure } from "../tools/tool-failure.ts";
import {
  approval,
  hasMethod,
  methodOf,
  textField,
  type Candidate,
  type Framework,
} from "./foreign-tool.ts";
import { openaiFunction } from "./openai-function.ts";
import { vercelAi } from "./vercel-ai.ts";

const TEXT_INPUT = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** Run context for tools of the OpenAI Agents SDK, which have no run of their own here. */
const RUN_CONTEXT = { context: {} };

/** LangChain.js: `@langchain/core/tools`. Its tools check and parse their input themselves. */
const langchain: Framework = {
  shape: "name, schema, invoke and lc_namespace",
  recognises: (candidate) =>
    hasMethod(candidate, "invoke") && "schema" in candidate && "lc_namespace" in candidate,
  read: (candidate) => ({
    name: textField(candidate["name"]),
    description: candidate["description"],
    schema: candidate["schema"],
    resultAsAnswer: candidate["returnDirect"] === true,
    run: async (input, { signal }) => {
      const result = await methodOf(candidate, "invoke")(input, { signal });
      // A tool may return a complete message; only its content is for the model.
      return isJsonObject(result) && result["lc_direct_tool_output"] === true
        ? result["content"]
        : result;
    },
  }),
};

/** OpenAI Agents SDK: `@openai/agents`. Its tools take a text of JSON, and turn most of their errors into texts themselves. */
const openaiAgents: Framework = {
  shape: 'type: "function", name, parameters and invoke',
  recognises: (candidate) =>
    candidate["type"] === "function" &&
    hasMethod(candidate, "invoke") &&
    isJsonObject(candidate["parameters"]),
  read: (candidate) => {
    const timeoutMs = candidate["timeoutMs"];
    return {
      name: textField(candidate["name"]),
      description: candidate["description"],
      schema: candidate["parameters"],
      ...approval(candidate["needsApproval"], (asked, input) => asked(RUN_CONTEXT, input, "")),
      ...(typeof timeoutMs === "number" ? { timeoutMs } : undefined),
      run: async (input, { signal }) => {
        const invoke = methodOf(candidate, "invoke");
        const result = await invoke(RUN_CONTEXT, JSON.stringify(input), { signal });
        return isJsonObject(result) && result["type"] === "text" ? result["text"] : result;
      },
    };
  },
};

/** Mastra: `createTool` of `@mastra/core/tools`. Its tools check and parse their input themselves. */
const mastra: Framework = {
  shape: "id, description, inputSchema and execute",
  recognises: (candidate) =>
    hasMethod(candidate, "execute") &&
    typeof candidate["id"] === "string" &&
    candidate["type"] === undefined,
  read: (candidate) => ({
    name: textField(candidate["id"]),
    description: candidate["description"],
    schema: candidate["inputSchema"],
    ...approval(candidate["needsApprovalFn"] ?? candidate["requireApproval"], (asked, input) =>
      asked(input, {}),
    ),
    run: async (input, { signal }) => {
      const result = await methodOf(candidate, "execute")(input, { abortSignal: signal });
      if (!isJsonObject(result) || result["error"] !== true || !("validationErrors" in result))
        return result;
      return toolFailure({
        message: textField(result["message"]) ?? "the input does not fit",
        reason: "invalid_input",
      });
    },
  }),
};

/** A listed tool of an MCP server, with the connected client to call it. */
const mcp: Framework = {
  shape: "name, inputSchema, and client with callTool",
  recognises: (candidate) => {
    const { client } = candidate;
    return isJsonObject(client) && hasMethod(client, "callTool") && "inputSchema" in candidate;
  },
  read: (candidate) => {
    const { name, description, inputSchema, annotations, client } = candidate;
    const hints = isJsonObject(annotations) ? annotations : {};
    const mayRepeat = hints["readOnlyHint"] === true || hints["idempotentHint"] === true;
    return {
      name: textField(name),
      description,
      schema: inputSchema,
      effect: mayRepeat ? "idempotent" : "once",
      run: async (input, { idempotencyKey }) => {
        const callTool = methodOf(client as Candidate, "callTool");
        // The same form as our own client sends (XT3).
        const meta = { "edgecrew/idempotencyKey": idempotencyKey };
        const answer = await callTool({ name, arguments: input, _meta: meta });
        const answered = readResult(isJsonObject(answer) ? answer : {});
        if (answered.isError === true)
          return toolFailure({ message: textOfResult(answered), reason: "mcp_error" });
        const result = await withFiles(answered, RunScope.current());
        return toolResultOf(result, `the MCP server of ${textField(name) ?? "the tool"}`);
      },
    };
  },
};

/** LlamaIndex.TS: `tool` of `llamaindex`, and classes with `metadata` and `call`. */
const llamaindex: Framework = {
  shape: "metadata with a name, and call",
  recognises: (candidate) => {
    const { metadata } = candidate;
    return (
      hasMethod(candidate, "call") &&
      isJsonObject(metadata) &&
      textField(metadata["name"]) !== undefined
    );
  },
  read: (candidate) => {
    const metadata = candidate["metadata"] as Candidate;
    const { name, description, parameters } = metadata;
    return {
      name: textField(name),
      description,
      // Without parameters its tools take one text.
      schema: parameters ?? TEXT_INPUT,
      run: (input) => methodOf(candidate, "call")(input),
    };
  },
};

/** Frameworks by kind. Unmistakable ones come first. */
export const FRAMEWORKS = {
  langchain,
  llamaindex,
  "openai-agents": openaiAgents,
  "openai-function": openaiFunction,
  mcp,
  mastra,
  "vercel-ai": vercelAi,
} satisfies Readonly<Record<string, Framework>>;
