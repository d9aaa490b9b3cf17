import type { CaseWriter } from "../case-writer.ts";
import type { CaseAgent, ConversationCase, Registration, ToolName } from "../conversation-case.ts";
import { makeAgent, toolsOf, withSummary } from "../make-agent.ts";

const TOOLS: readonly ToolName[] = ["lookup", "add", "fails", "table", "slow"];

/** Two agents talk. */
export function chat(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  const ana = makeAgent(writer, "ana");
  const ben = makeAgent(writer, "ben", { llm: 0.9 });
  const register = registrations(writer, [ana, ben]);
  const message = writer.says(0.05);
  const talk = withSummary(writer, { message: message === "" ? writer.phrase() : message });
  if (random.chance(0.6)) talk.maxTurns = 1 + random.below(4);
  if (!ana.llm && !ben.llm) delete talk.summary;
  if (random.chance(0.15))
    talk.carryover = random.pick(["earlier words", ["one", "two"], "", [] as string[]]);
  if (random.chance(0.04)) delete talk.message;
  if (talk.message === undefined) ana.human ??= [writer.phrase(), "exit"];
  if ([talk.maxTurns, ana.maxReply, ben.maxReply].every((limit) => limit === undefined))
    ana.maxReply = 1 + random.below(4);
  return {
    id,
    profile: "chat",
    agents: [ana, ben],
    register,
    chat: talk,
    script: {
      ana: writer.script(toolsOf(register, "ana"), 5),
      ben: writer.script(toolsOf(register, "ben"), 5),
      _summary: writer.texts(1),
    },
  };
}

function registrations(writer: CaseWriter, agents: readonly CaseAgent[]): Registration[] {
  const { random } = writer;
  if (!random.chance(0.45)) return [];
  return writer
    .some(TOOLS, 0.6)
    .map((tool) => {
      const caller = random.chance(0.8) ? "ben" : "ana";
      const other = caller === "ben" ? "ana" : "ben";
      return { tool, caller, executor: random.chance(0.85) ? other : caller };
    })
    .filter(({ caller }) => agents.some(({ name, llm }) => name === caller && llm));
}
