// Long work of the provider's own tools: an answer in several parts.
//
//   ANP1. The next request continues a paused answer, up to five times. Its parts are one answer. If it is still paused
//         after that, it fails with `answer_cut_off`.
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { EngineError } from "../../base/error.ts";
import { addUsage } from "../../base/usage.ts";
import type { ModelResponse } from "../language-model.ts";
import { wholeBlock } from "../kept-parts.ts";
import { fieldsOf, isFields, listOf, type Fields } from "../wire.ts";
import { fromResponse, type ResponseContext } from "./from-response.ts";

const MAX_PARTS = 6;

/** Requests an answer, and its next part while it is paused. */
export async function wholeAnswer(
  messages: MessageParam[],
  ask: (messages: MessageParam[], part: number) => Promise<unknown>,
  context: ResponseContext,
): Promise<ModelResponse> {
  let last = await ask(messages, 1);
  let response = fromResponse(last, context);
  const content = [...blocksOf(fieldsOf(last))];
  for (let part = 2; fieldsOf(last)["stop_reason"] === "pause_turn" && part <= MAX_PARTS; part++) {
    const { usage } = response;
    const said = { role: "assistant", content: [...content] } as unknown as MessageParam;
    last = await ask([...messages, said], part);
    content.push(...blocksOf(fieldsOf(last)));
    const { usage: own } = fromResponse(last, context);
    response = {
      ...fromResponse({ ...fieldsOf(last), content }, context),
      usage: addUsage(usage, own),
    };
  }
  if (fieldsOf(last)["stop_reason"] === "pause_turn")
    throw new EngineError(
      "answer_cut_off",
      `${context.modelId} paused its answer ${MAX_PARTS} times; ask for less at once`,
    );
  return response;
}

function blocksOf(message: Fields): readonly Fields[] {
  return listOf(message["content"]).filter(isFields).map(wholeBlock);
}
