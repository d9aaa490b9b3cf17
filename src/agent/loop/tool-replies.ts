// Replies to tool calls as the conversation has them.
import type { ContentPart } from "../../llm/language-model.ts";
import type { AgentWork } from "../agent-work.ts";
import { imageParts, isShownImages, namingImages, type PicturedReply } from "./tool-images.ts";
import type { ToolReply } from "./tool-round.ts";

/** Returns the text of a reply; for a model without vision it names the images. */
export function worded(
  { text, images }: ToolReply = { text: "" },
  { model, prompts }: Pick<AgentWork, "model" | "prompts">,
): string {
  return isShownImages(model) ? text : namingImages(text, images, prompts);
}

/** Returns the images of replies, for a model with vision. */
export function imagesOf(
  replies: readonly PicturedReply[],
  { model, prompts }: Pick<AgentWork, "model" | "prompts">,
): readonly ContentPart[] | undefined {
  return isShownImages(model) ? imageParts(replies, prompts) : undefined;
}

/** Throws the failure of code around a call, once the results of all calls are in the conversation (AL8). */
export function throwFailed(replies: readonly ToolReply[]): void {
  const failed = replies.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) throw failed.failure?.error;
}

/** Returns the answer that a tool has given in place of the model, if one has. */
export function answerAmong(
  replies: readonly ToolReply[],
): { readonly answer: string } | undefined {
  const answer = replies.find((reply) => reply.answer !== undefined)?.answer;
  return answer === undefined ? undefined : { answer };
}
