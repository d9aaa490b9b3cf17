import type { AgentWork } from "../../agent/agent-work.ts";
import { runGuardrails } from "../../agent/loop/run-guardrails.ts";
import type { OutputShape } from "../../agent/loop/structured-output.ts";
import { fill } from "../../agent/prompts/prompts.ts";
import type { AgentOutput } from "../../agent/agent-output.ts";
import { isJsonObject, type JsonValue, parsedJson } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { textOfContent } from "../../llm/content.ts";
import { Transcript } from "../../model-calls/transcript.ts";
import { contentText, type ConversationMessage } from "../messages.ts";
import { hasCalls } from "./tool-reply.ts";

type Judged = { readonly raw: string };

/**
 * Passes an answer through the member's guardrails. A refused answer goes back to the model with the reason; other
 * members do not see it. Calls for other executors are not checked.
 */
export async function guardedReply(
  place: RunScope,
  reply: ConversationMessage,
  {
    work,
    transcript,
    shape,
    again,
  }: {
    readonly work: AgentWork;
    /** The model's request. */
    readonly transcript: Transcript;
    readonly shape: OutputShape | undefined;
    readonly again: (place: RunScope, transcript: Transcript) => Promise<ConversationMessage>;
  },
): Promise<ConversationMessage> {
  const { agent, identity, prompts, meter } = work;
  if (agent.guardrails.length === 0 || hasCalls(reply)) return reply;
  const { messages } = transcript;
  const passed = await runGuardrails<Judged, AgentOutput>(
    place,
    { raw: contentText(reply.content) },
    {
      run: {
        guardrails: agent.guardrails,
        maxRetries: agent.guardrailMaxRetries,
        owner: `agent "${identity.role}"`,
        reference: messages.map(({ content }) => textOfContent(content)).join("\n\n"),
        caller: work,
      },
      effects: {
        shown: ({ raw }) => ({
          raw,
          ...objectOf(raw, shape),
          agentRole: identity.role,
          usage: meter.total,
          replanCount: 0,
        }),
        replaced: async (_, judged, value) => ({ raw: replacement(value, shape) ?? judged.raw }),
        again: async (at, { error, output: { raw } }) => {
          const refusal = fill(prompts.errors.validationError, {
            guardrail_result_error: error,
            task_output: raw,
          });
          const refused = new Transcript([
            ...messages,
            { role: "assistant", content: raw },
            { role: "user", content: refusal },
          ]);
          return { raw: contentText((await again(at, refused)).content) };
        },
      },
    },
  );
  return { ...reply, content: passed.raw };
}

function objectOf(
  raw: string,
  shape: OutputShape | undefined,
): { readonly object: unknown } | undefined {
  if (shape === undefined) return undefined;
  const read = shape.read(JSON.parse(raw) as JsonValue);
  return "value" in read ? { object: read.value } : undefined;
}

/** Returns a guardrail's replacement as text; undefined if it does not fit. */
function replacement(value: JsonValue, shape: OutputShape | undefined): string | undefined {
  const text = isJsonObject(value) && typeof value["raw"] === "string" ? value["raw"] : value;
  if (shape === undefined) return typeof text === "string" ? text : undefined;
  const json = typeof text === "string" ? parsedJson(text) : text;
  return json === undefined || "issues" in shape.read(json) ? undefined : JSON.stringify(json);
}
