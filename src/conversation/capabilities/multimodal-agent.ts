// An agent whose model sees the images that others name in their texts.
//
//   MMA1. Tags in what others say become images for its model; the log keeps the texts.
import type { ConversableAgentOptions } from "../agents/conversable-agent-options.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import { imageParts, type AcceptsImage } from "../image-tags.ts";
import type { MessagePart } from "../messages.ts";
import { perMessage } from "../per-message.ts";

/** What a `MultimodalConversableAgent` is made of. */
export type MultimodalAgentOptions = ConversableAgentOptions & {
  /**
   * Which addresses become images. The model's provider loads them: what others can make the agent name, it can make them load.
   *
   * @default all
   */
  readonly acceptImage?: AcceptsImage;
};

/** A `ConversableAgent` for a model that sees: `<img https://…>` in a text that it receives is an image. */
export class MultimodalConversableAgent extends ConversableAgent {
  constructor({ acceptImage, ...options }: MultimodalAgentOptions) {
    super(options);
    const inParts = (text: string): readonly MessagePart[] =>
      imageParts(text, acceptImage) ?? [{ type: "text", text }];
    const seen = perMessage((message) => {
      const { role, content } = message;
      if (role !== "user" || content === null) return message;
      if (typeof content === "string") {
        const parts = imageParts(content, acceptImage);
        return parts === undefined ? message : { ...message, content: parts };
      }
      const parts = content.flatMap((part) =>
        part.type === "text" && typeof part["text"] === "string" ? inParts(part["text"]) : [part],
      );
      return { ...message, content: parts };
    });
    this.registerHook("transform_messages", (messages) => messages.map(seen));
  }
}
