import type { CaseWriter } from "../case-writer.ts";
import type { CaseChat, ConversationCase } from "../conversation-case.ts";
import { makeAgent, withSummary } from "../make-agent.ts";

/** Chats one after another, each with what the earlier ones came to. */
export function queue(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  const others = ["ben", "cyd", "dan"].slice(0, 2 + random.below(2));
  const agents = [
    makeAgent(writer, "ana", { human: 0.08 }),
    ...others.map((name) => makeAgent(writer, name, { human: 0.08, llm: 1 })),
  ];
  return {
    id,
    profile: "queue",
    agents,
    register: [],
    queue: writer.list(2 + random.below(3), (index) => oneOf(writer, others, index)),
    script: {
      _summary: writer.texts(3),
      ...Object.fromEntries(agents.map(({ name }) => [name, writer.script([], 7, 0.08)])),
    },
  };
}

function oneOf(writer: CaseWriter, others: readonly string[], index: number): CaseChat {
  const { random } = writer;
  const recipient = random.pick(others);
  const message = writer.says(0.03);
  const chat = withSummary(writer, {
    recipient,
    message: message === "" ? writer.phrase() : message,
    maxTurns: 1 + random.below(3),
  });
  if (random.chance(0.2)) chat.carryover = random.pick(["own words", ["one", "two"]]);
  if (index > 0 && random.chance(0.3))
    chat.exclude = writer.some(writer.list(index, (each) => each));
  if (random.chance(0.3)) chat.clear = false;
  if (random.chance(0.2)) chat.sender = random.pick(others.filter((name) => name !== recipient));
  return chat;
}
