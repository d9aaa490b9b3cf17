import { isJsonObject } from "../base/json.ts";
import { resultText } from "../conversation/messages.ts";
import { toolFailure } from "../tools/tool-failure.ts";
import {
  approval,
  hasMethod,
  methodOf,
  textField,
  type Candidate,
  type Framework,
} from "./foreign-tool.ts";
import { parsingSchema } from "./foreign-schema.ts";

/** Vercel AI SDK: `tool` of `ai`. Its tools have no name of their own and take parsed input. */
export const vercelAi: Framework = {
  shape: "inputSchema (or parameters) and execute",
  recognises: (candidate) =>
    hasMethod(candidate, "execute") && ("inputSchema" in candidate || "parameters" in candidate),
  read: (candidate) => {
    const schema = candidate["inputSchema"] ?? candidate["parameters"];
    const input = parsingSchema(schema);
    return {
      description: textField(candidate["description"]),
      ...(input === undefined ? { schema } : { input }),
      ...approval(candidate["needsApproval"], (asks, asked) =>
        asks(asked, { toolCallId: "", messages: [] }),
      ),
      run: async (value, { signal, idempotencyKey: toolCallId }) => {
        const options = { toolCallId, messages: [], abortSignal: signal, context: {} };
        const output = await lastOf(await methodOf(candidate, "execute")(value, options));
        return forModel(candidate, { toolCallId, input: value, output });
      },
    };
  },
};

/** Returns the last piece of a streamed result, which is complete. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result))
    return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}

/** Applies the tool's own formatting of results for a model. */
async function forModel(
  candidate: Candidate,
  call: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown },
): Promise<unknown> {
  if (!hasMethod(candidate, "toModelOutput")) return call.output;
  const output = await methodOf(candidate, "toModelOutput")(call);
  if (!isJsonObject(output)) return output;
  const { type, value = null, reason } = output;
  switch (type) {
    case "error-text":
    case "error-json":
      return toolFailure({ message: resultText(value) });
    case "execution-denied":
      return toolFailure({ message: `the tool denied the call: ${resultText(reason ?? null)}` });
    case "text":
    case "json":
      return value;
    default:
      return resultText(value);
  }
}
