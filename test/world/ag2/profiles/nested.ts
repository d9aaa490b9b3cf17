import type { CaseWriter } from "../case-writer.ts";
import type { CaseChat, ConversationCase } from "../conversation-case.ts";
import { makeAgent, withSummary } from "../make-agent.ts";

/** An agent that talks with others before it answers. */
export function nested(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  const ana = makeAgent(writer, "ana", { human: 0.1, extras: false });
  const ben = makeAgent(writer, "ben", { human: 0.1, extras: false });
  const inner = ["cyd", "dan"].map((name) =>
    makeAgent(writer, name, { human: 0, llm: 1, extras: false }),
  );
  for (const each of inner) delete each.maxReply;
  ben.nested = {
    trigger: random.chance(0.9) ? "ana" : "cyd",
    queue: writer.list(1 + random.below(3), () => innerChat(writer)),
  };
  const agents = [ana, ben, ...inner];
  return {
    id,
    profile: "nested",
    agents,
    register: [],
    chat: withSummary(writer, { message: writer.phrase(), maxTurns: 1 + random.below(3) }),
    script: {
      _summary: writer.texts(5),
      ...Object.fromEntries(agents.map(({ name }) => [name, writer.script([], 6, 0.06)])),
    },
  };
}

function innerChat(writer: CaseWriter): CaseChat {
  const { random } = writer;
  const chat = withSummary(writer, {
    recipient: random.pick(["cyd", "dan"]),
    maxTurns: 1 + random.below(2),
  });
  if (random.chance(0.6))
    chat.message = random.pick([
      { made: true },
      writer.phrase(),
      writer.phrase(),
      writer.phrase(),
      "",
    ] as const);
  if (random.chance(0.15)) chat.carryover = "own words";
  if (random.chance(0.15)) chat.carryoverMethod = random.pick(["all", "last_msg", "last_msg"]);
  return chat;
}
