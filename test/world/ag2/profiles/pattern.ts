import { WORDS, type CaseWriter } from "../case-writer.ts";
import type {
  CaseAgent,
  CaseHandoff,
  CasePattern,
  CaseSafeguard,
  CaseTarget,
  ConversationCase,
  Reply,
  ToolName,
} from "../conversation-case.ts";
import { makeAgent } from "../make-agent.ts";

const CONDITIONS = [
  "flag",
  "missing",
  "${flag}",
  "not ${flag}",
  "${count} > 2",
  "${count} >= 1 and ${flag}",
  "${name} == 'tides'",
  "len(${list}) > 1",
  "${count} == 0 or ${flag}",
  "!${flag} & ${count} < 3",
  "${count} != 1",
  "${name} != ''",
  "len(${name}) >= 5",
] as const;
const KINDS = [
  "default",
  "default",
  "default",
  "auto",
  "round_robin",
  "round_robin",
  "manual",
] as const;
const TOOLS: readonly ToolName[] = ["lookup", "add", "fails", "setvar", "go", "bump"];

/** A group of a pattern, with hand-overs and context variables. */
export function pattern(writer: CaseWriter, id: string): ConversationCase {
  const { random } = writer;
  const names = ["ana", "ben", "cyd"].slice(0, 2 + random.below(2));
  const hasUser = random.chance(0.5);
  const made: CasePattern = {
    kind: random.pick(KINDS),
    initial: random.pick(names),
    variables: {
      flag: random.chance(0.5),
      count: random.below(4),
      name: random.pick(["tides", "", "x"]),
      list: writer.some([1, 2, 3]),
    },
    maxRounds: 3 + random.below(9),
    hasUser,
  };
  const targets = new Targets(writer, { names, hasUser, isAuto: made.kind === "auto" });
  const agents = names.map((name) => member(writer, name, targets));
  if (random.chance(0.15)) made.safeguards = [safeguard(writer, names)];
  if (made.kind === "default" && random.chance(0.6))
    made.after = random.chance(0.2) ? { kind: "manager" } : targets.simple();
  if (random.chance(0.25)) made.keepTransit = true;
  if (random.chance(0.25)) made.summary = "reflection_with_llm";
  if (random.chance(0.2)) made.term = true;
  return {
    id,
    profile: "pattern",
    agents: [
      ...agents,
      { name: "sub", llm: true, mode: "NEVER" },
      ...(hasUser ? [user(writer)] : []),
    ],
    members: names,
    register: [],
    pattern: made,
    chat: { message: writer.phrase() },
    choices: writer.list(10, () => random.pick(["1", "2", "3", "", "x"])),
    script: {
      _summary: writer.texts(1),
      _select: selections(writer, names, hasUser),
      sub: writer.script([], 6, 0),
      ...Object.fromEntries(
        agents.map((agent) => [agent.name, writer.list(9, () => reply(writer, agent))]),
      ),
    },
  };
}

/** Random targets of hand-overs. */
export class Targets {
  readonly #writer: CaseWriter;
  readonly #about: { names: readonly string[]; hasUser: boolean; isAuto: boolean };

  constructor(
    writer: CaseWriter,
    about: { readonly names: readonly string[]; hasUser: boolean; isAuto: boolean },
  ) {
    this.#writer = writer;
    this.#about = about;
  }

  name(): string {
    return this.#writer.random.pick(this.#about.names);
  }

  /** A target that works everywhere in AG2. */
  simple(): CaseTarget {
    const { random } = this.#writer;
    const kind = random.pick([
      "agent",
      "agent",
      "agent",
      "terminate",
      "stay",
      ...(this.#about.hasUser ? (["revert"] as const) : []),
    ] as const);
    return kind === "agent" ? { kind, name: random.pick(this.#about.names) } : { kind };
  }

  any(): CaseTarget {
    const { random } = this.#writer;
    return this.#about.isAuto && random.chance(0.15) ? { kind: "manager" } : this.simple();
  }

  /** Also chats of their own, which AG2 takes in conditions alone. */
  conditional(): CaseTarget {
    const writer = this.#writer;
    if (writer.random.chance(0.08))
      return {
        kind: "function",
        note: writer.phrase(),
        sets: { [writer.random.pick(["flag", "noted"])]: writer.random.below(3) },
        next: writer.random.pick(this.#about.names),
      };
    if (!writer.random.chance(0.08)) return this.any();
    const message = writer.random.chance(0.5) ? { message: writer.phrase() } : {};
    return { kind: "nested", queue: [{ recipient: "sub", maxTurns: 1, ...message }] };
  }
}

function member(writer: CaseWriter, name: string, targets: Targets): CaseAgent {
  const { random } = writer;
  const agent = makeAgent(writer, name, { human: 0.04, llm: 0.95, extras: random.chance(0.3) });
  delete agent.maxReply;
  if (!agent.llm && random.chance(0.85)) agent.auto ??= writer.phrase();
  if (random.chance(0.12))
    agent.guardrails = [
      {
        side: random.pick(["input", "output"]),
        pattern: random.pick(WORDS),
        says: `stopped ${writer.phrase()}`,
        next: targets.name(),
      },
    ];
  const handoffs = handoffsOf(writer, agent, targets);
  if (Object.keys(handoffs).length > 0) agent.handoffs = handoffs;
  if (agent.llm && random.chance(0.5))
    agent.tools = writer.some(random.chance(0.1) ? [...TOOLS, "poke"] : TOOLS);
  return agent;
}

function handoffsOf(
  writer: CaseWriter,
  { llm }: CaseAgent,
  targets: Targets,
): NonNullable<CaseAgent["handoffs"]> {
  const { random } = writer;
  const available = (): { available?: string } =>
    random.chance(0.25) ? { available: random.pick(CONDITIONS) } : {};
  const made: NonNullable<CaseAgent["handoffs"]> = {};
  if (random.chance(0.3))
    made.context = writer.list(1 + random.below(2), () => ({
      condition: random.pick(CONDITIONS),
      target: targets.conditional(),
      ...available(),
    }));
  if (llm && random.chance(0.4))
    made.llm = writer.list(1 + random.below(2), () => ({
      prompt: writer.phrase(),
      target: targets.conditional(),
      ...available(),
    }));
  if (random.chance(0.4)) {
    const last: CaseHandoff = { target: targets.any() };
    made.after = random.chance(0.3)
      ? [{ condition: random.pick(CONDITIONS), target: targets.any() }, last]
      : [last];
  }
  return made;
}

function safeguard(writer: CaseWriter, names: readonly string[]): CaseSafeguard {
  const { random } = writer;
  const from = random.pick(names);
  return {
    from,
    to: random.pick(names.filter((name) => name !== from)),
    action: random.pick(["block", "mask", "warning"]),
    pattern: random.pick(WORDS),
  };
}

function user(writer: CaseWriter): CaseAgent {
  const { random } = writer;
  const words = [writer.phrase(), writer.phrase(), writer.phrase(), "", "exit"];
  return {
    name: "user",
    llm: false,
    mode: random.chance(0.7) ? "ALWAYS" : "NEVER",
    human: writer.list(8, () => random.pick(words)),
    ...(random.chance(0.85) ? { auto: writer.phrase() } : {}),
  };
}

function reply(writer: CaseWriter, { handoffs, tools = [] }: CaseAgent): Reply {
  const { random } = writer;
  const roll = random.next();
  if (handoffs?.llm !== undefined && roll < 0.3)
    return { handoff: 1 + random.below(handoffs.llm.length) };
  if (tools.length > 0 && roll < 0.6) return writer.calls(tools);
  return { text: writer.says(0.05) };
}

function selections(writer: CaseWriter, names: readonly string[], hasUser: boolean): Reply[] {
  const { random } = writer;
  return writer.list(30, () => ({
    text: random.pick([
      ...names,
      ...names,
      ...(hasUser ? ["user"] : []),
      `next: ${random.pick(names)}`,
      "nobody",
    ]),
  }));
}
