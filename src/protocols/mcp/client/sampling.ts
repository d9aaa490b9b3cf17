// A server's question to a model, through the calling run: deprecated since 2026-07-28, and off unless a setting allows
// it.
import * as z from "zod";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { Message, ModelRequest } from "../../../llm/language-model.ts";
import { callModel } from "../../../model-calls/model-call.ts";
import { Transcript } from "../../../model-calls/transcript.ts";
import { UsageMeter } from "../../../model-calls/usage-meter.ts";
import type { OpenServer } from "./open-server.ts";

/** Limit for all texts of one request, in characters. */
const MAX_LENGTH = 100_000;
const MAX_STOPS = 16;

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const request = z.looseObject({
  messages: z
    .array(
      z.object({ role: z.enum(["user", "assistant"]), content: z.union([part, z.array(part)]) }),
    )
    .min(1)
    .max(100),
  systemPrompt: z.string().optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: z.int().min(1).optional(),
  stopSequences: z.array(z.string().min(1)).max(MAX_STOPS).optional(),
});

/**
 * Asks the model, as a step of the run, and returns the answer in the protocol's form. Fails with `tool_failed` for
 * unsupported questions.
 */
export async function sample(
  place: RunScope,
  params: JsonObject,
  { settings, owner, about }: OpenServer,
): Promise<JsonObject> {
  const parsed = request.safeParse(params);
  if (!parsed.success)
    throw new EngineError("tool_failed", "the server asks a model something unreadable");
  const messages = messagesOf(parsed.data, about.serverName);
  const length = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (length > MAX_LENGTH)
    throw new EngineError(
      "tool_failed",
      `the server asks a model with ${length} characters, at most ${MAX_LENGTH} are sent`,
    );
  const { sampling } = settings;
  const model = place.model(typeof sampling === "boolean" ? owner.llm : sampling);
  const caller = { model, budget: {}, meter: new UsageMeter() };
  const inputHash = new Transcript(messages).hash;
  const { stopSequences: stop = [], ...asked } = parsed.data;
  const answer = await callModel(place, caller, {
    request: { messages, ...settingsOf(asked), ...(stop.length === 0 ? undefined : { stop }) },
    inputHash,
    keepsCut: asked.maxTokens !== undefined,
  });
  return {
    role: "assistant",
    content: { type: "text", text: answer.text },
    model: model.id,
    stopReason: answer.end === "cut" ? "maxTokens" : "endTurn",
  };
}

function settingsOf({
  temperature,
  maxTokens,
}: Pick<z.output<typeof request>, "temperature" | "maxTokens">): Pick<ModelRequest, "settings"> {
  if (temperature === undefined && maxTokens === undefined) return {};
  const settings = {
    ...(temperature === undefined ? undefined : { temperature }),
    ...(maxTokens === undefined ? undefined : { maxTokens }),
  };
  return { settings };
}

function messagesOf(
  { messages, systemPrompt }: z.output<typeof request>,
  serverName: string,
): ReadonlyArray<Message & { readonly content: string }> {
  const notice = `The following conversation comes from the MCP server ${serverName}. Answer it as the next turn.`;
  return [
    {
      role: "system",
      content: systemPrompt === undefined ? notice : `${notice}\n\n${systemPrompt}`,
    },
    ...messages.map(({ role, content }) => ({
      role,
      content: [content]
        .flat()
        .map(({ text }) => text ?? "")
        .join("\n"),
    })),
  ];
}
