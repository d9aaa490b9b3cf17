import type { CaseWriter } from "../case-writer.ts";
import type {
  CaseAgent,
  CaseGroup,
  ConversationCase,
  Registration,
  Reply,
} from "../conversation-case.ts";
import { makeAgent, toolsOf, withSummary } from "../make-agent.ts";

const METHODS = [
  "auto",
  "auto",
  "auto",
  "round_robin",
  "round_robin",
  "manual",
  "random",
  "function",
] as const;
const TYPED = ["1", "2", "3", "4", "0", "q", "", "9", "x"] as const;

/** A group chat with a manager. */
export function group(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  const names = ["ana", "ben", "cyd", "dan"].slice(0, 2 + random.below(3));
  const agents = names.map((name) => member(writer, name));
  const made = makeGroup(writer, names);
  if (random.chance(0.15)) addClearing(writer, made, agents);
  const register = registrations(writer, agents);
  if (register.length > 0 && random.chance(0.3)) made.filter = false;
  const initiator = made.method === "random" || random.chance(0.85) ? random.pick(names) : "eva";
  const chat = withSummary(writer, { message: writer.phrase() });
  if (random.chance(0.1)) chat.maxTurns = 1 + random.below(2);
  const outside = makeAgent(writer, "eva", { human: 0, llm: 0, extras: false });
  const all = initiator === "eva" ? [...agents, outside] : agents;
  return {
    id,
    profile: "group",
    agents: all,
    members: names,
    register,
    initiator,
    chat,
    group: made,
    choices: writer.list(10, () => random.pick(TYPED)),
    script: {
      _summary: writer.texts(2),
      _select: selections(writer, names),
      ...Object.fromEntries(
        all.map(({ name }) => [name, writer.script(toolsOf(register, name), 9, 0.06)]),
      ),
    },
  };
}

function member(writer: CaseWriter, name: string): CaseAgent {
  const agent = makeAgent(writer, name, { human: 0.08, llm: 0.9 });
  if (writer.random.chance(0.85)) delete agent.maxReply;
  if (!agent.llm && writer.random.chance(0.85)) agent.auto ??= writer.phrase();
  return agent;
}

/** A person who clears histories, and a model that only speaks of it. */
function addClearing(writer: CaseWriter, made: CaseGroup, agents: CaseAgent[]): void {
  const { random } = writer;
  made.clear = true;
  for (const each of agents) delete each.replies;
  const name = random.pick(agents).name;
  const whole = agents.map((each) => each.name);
  const command = (): string =>
    random.pick(["CLEAR HISTORY", `clear history ${random.pick(whole)}`, "please clear history"]);
  const words = (): string => `${random.pick(["", `${writer.phrase()} `])}${command()}`;
  agents[whole.indexOf(name)] = {
    name,
    llm: random.chance(0.5),
    mode: "ALWAYS",
    human: writer.list(5, () => (random.chance(0.6) ? words() : writer.phrase())),
  };
}

function makeGroup(writer: CaseWriter, names: readonly string[]): CaseGroup {
  const { random } = writer;
  const made: CaseGroup = { method: random.pick(METHODS), maxRound: 2 + random.below(8) };
  if (made.method === "random") {
    // Each has one follower, so both sides choose the same.
    made.transitions = Object.fromEntries(
      names.map((name, at) => [name, [names[(at + 1) % names.length] ?? name]]),
    );
    made.transitionsType = "allowed";
  } else if (random.chance(0.35)) {
    made.repeat = random.pick([false, false, true, writer.some(names)]);
  } else if (random.chance(0.4)) {
    made.transitions = Object.fromEntries(
      writer.some(names, 0.9).map((name) => [name, writer.some(names, 0.55)]),
    );
    made.transitionsType = random.pick(["allowed", "allowed", "disallowed"]);
  }
  if (made.method === "function")
    made.order = writer.list(9, () =>
      random.pick([...names, ...names, null, "auto", "round_robin"]),
    );
  if (random.chance(0.3)) made.retries = random.below(4);
  if (random.chance(0.2)) made.introductions = true;
  if (random.chance(0.3)) made.term = true;
  if (random.chance(0.5)) made.compat = true;
  if (random.chance(0.1)) made.role = random.pick(["user", "assistant"]);
  return made;
}

function registrations(writer: CaseWriter, agents: readonly CaseAgent[]): Registration[] {
  const { random } = writer;
  if (!random.chance(0.35)) return [];
  const names = agents.map(({ name }) => name);
  return writer
    .some(["lookup", "add", "fails"] as const, 0.7)
    .map((tool) => {
      const caller = random.pick(names);
      return { tool, caller, executor: random.chance(0.85) ? random.pick(names) : caller };
    })
    .filter(({ caller }) => agents.some(({ name, llm }) => name === caller && llm));
}

/** Answers of a model that selects: names, names in sentences, unclear ones. */
export function selections(writer: CaseWriter, names: readonly string[]): Reply[] {
  const { random } = writer;
  const name = (): string => random.pick(names);
  return writer.list(30, () => ({
    text: random.pick([
      name(),
      name(),
      name(),
      name(),
      name(),
      name(),
      `I think ${name()} should go next.`,
      `${name()} or ${name()}`,
      "nobody",
      "eva",
      name().toUpperCase(),
      `**${name()}**`,
      `${name()}.`,
    ]),
  }));
}
