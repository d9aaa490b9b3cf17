// The model of the Worker: it follows the orders of the caller's message, and needs no network.
import { sleep } from "../../../src/base/clock.ts";
import { systemClock } from "../../../src/base/system.ts";
import type {
  CallOptions,
  ContentPart,
  LanguageModel,
  Message,
} from "../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { followOrders } from "./orders.ts";

/** Time of a model to its first word, and from each word to the next, in milliseconds. */
const FIRST_MS = 150;
const NEXT_MS = 15;

/** A model that sees images and files as `[image image/png]`, so that an order can ask for what it saw. */
export function obedientModel(): LanguageModel {
  const scripted = scriptedModel(({ messages }) =>
    followOrders(messages.map(({ role, content }) => ({ role, text: content }))),
  );
  return {
    ...scripted,
    generate: async (request, options) => {
      const { listen, say } = spoken(options);
      const response = await scripted.generate(
        { ...request, messages: request.messages.map(described) },
        { ...options, ...listen },
      );
      await say();
      return response;
    },
  };
}

/** Keeps what the script says at once, and says it at the pace of a model. */
function spoken({ signal, onDelta, onThinking }: CallOptions): {
  readonly listen: Pick<CallOptions, "onDelta" | "onThinking">;
  readonly say: () => Promise<void>;
} {
  const pieces: (() => void)[] = [];
  const slowly = (listener: ((text: string) => void) | undefined) =>
    listener && ((text: string) => void pieces.push(() => listener(text)));
  return {
    listen: { onDelta: slowly(onDelta), onThinking: slowly(onThinking) },
    say: async () => {
      for (const [index, piece] of pieces.entries()) {
        await sleep(systemClock, index === 0 ? FIRST_MS : NEXT_MS, signal);
        piece();
      }
    },
  };
}

function described(message: Message): Message {
  if (message.role !== "user" || typeof message.content === "string") return message;
  return { ...message, content: message.content.map(wordsOf).join("\n") };
}

function wordsOf(part: ContentPart): string {
  if (part.type === "text") return part.text;
  if ("runFile" in part) return `[${part.type}]`;
  return `[${part.type} ${part.mediaType ?? "at an address"}]`;
}
