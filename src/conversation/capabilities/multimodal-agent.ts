// An agent whose model sees images named in texts of others.
//
//   MMA1. Tags in messages of others become images for its model; the log keeps the texts.
import { memberOptions } from "../agents/member-option-names.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import type { ConversableAgentOptions } from "../agents/conversable-agent-options.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import { imageParts, type AcceptsImage } from "../image-tags.ts";
import type { MessagePart } from "../messages.ts";
import { perMessage } from "../per-message.ts";

/** Options of a `MultimodalConversableAgent`. */
export type MultimodalAgentOptions = ConversableAgentOptions & {
  /**
   * Filter of addresses that become images. The model's provider loads them, so other agents can make it load any
   * accepted address.
   *
   * @default all
   */
  readonly acceptImage?: AcceptsImage;
};

const OPTIONS = memberOptions<MultimodalAgentOptions>("new MultimodalConversableAgent()", {
  acceptImage: true,
});

/** A `ConversableAgent` for a vision model: `<img https://…>` in a received text is an image. */
export class MultimodalConversableAgent extends ConversableAgent {
  constructor(options: MultimodalAgentOptions) {
    refuseUnknownOptions(options, OPTIONS, new.target !== MultimodalConversableAgent);
    const { acceptImage, ...own } = options;
    super(own);
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
