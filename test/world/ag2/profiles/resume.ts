import type { CaseWriter } from "../case-writer.ts";
import type { ConversationCase } from "../conversation-case.ts";
import { makeAgent } from "../make-agent.ts";

/** A group chat that goes on from messages of an earlier one. */
export function resume(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  const names = ["ana", "ben", "cyd"].slice(0, 2 + random.below(2));
  const agents = names.map((name) => {
    const agent = makeAgent(writer, name, { human: 0, llm: 1, extras: false });
    delete agent.maxReply;
    return agent;
  });
  const isCut = random.chance(0.3);
  const count = 1 + random.below(4);
  const messages = writer.list(count, (index) => ({
    name: names[index % names.length] ?? "ana",
    content: `${writer.phrase()}${isCut && index === count - 1 ? " TERMINATE" : ""}`,
  }));
  return {
    id,
    profile: "resume",
    agents,
    members: names,
    register: [],
    resume: isCut ? { messages, cut: "TERMINATE" } : { messages },
    group: {
      method: "round_robin",
      maxRound: 2 + random.below(5),
      ...(random.chance(0.3) ? { term: true } : {}),
    },
    choices: [],
    script: Object.fromEntries(names.map((name) => [name, writer.script([], 7, 0.06)])),
  };
}
