import type { AgentWork } from "../../agent/agent-work.ts";
import {
  outputShape,
  toStructured,
  type OutputSchema,
} from "../../agent/loop/structured-output.ts";
import { fingerprint } from "../../base/hash.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { callModel } from "../../model-calls/model-call.ts";
import type { Transcript } from "../../model-calls/transcript.ts";
import { toolBox } from "../../tools/tool-box.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversationMessage } from "../messages.ts";
import { repairedName } from "../names.ts";

/**
 * The model's next message, as a step at `place`: words, calls of tools, or both. With a `responseFormat` words are JSON of that shape;
 * what does not fit goes back to the model. Throws `output_invalid` when it stays so.
 */
export async function modelReply(
  work: AgentWork,
  place: RunScope,
  {
    transcript,
    tools,
    responseFormat,
  }: {
    readonly transcript: Transcript;
    readonly tools: readonly Tool[];
    readonly responseFormat?: OutputSchema | undefined;
  },
): Promise<ConversationMessage> {
  const box = toolBox(tools);
  const shape = responseFormat === undefined ? undefined : outputShape(responseFormat);
  const { text, toolCalls } = await callModel(place, work, {
    request: {
      messages: transcript.messages,
      ...(tools.length === 0 ? undefined : { tools: box.specs }),
      ...(shape === undefined || !work.model.capabilities.responseSchema
        ? undefined
        : { responseSchema: { name: "answer", schema: shape.schema } }),
    },
    inputHash: transcript.hash,
    stream: work.stream,
  });
  const { role: name } = work.identity;
  if (toolCalls.length === 0) {
    const content =
      shape === undefined ? text : JSON.stringify(await toStructured(place, text, { shape, work }));
    return { role: "assistant", content, name };
  }
  return {
    role: "assistant",
    content: text === "" ? null : text,
    toolCalls: toolCalls.map(({ id, name: called, arguments: input }, index) => ({
      id: id === "" ? `call_${fingerprint(place.path)}_${index}` : id,
      name: box.find(called)?.safeName ?? repairedName(called),
      arguments: input,
    })),
  };
}
