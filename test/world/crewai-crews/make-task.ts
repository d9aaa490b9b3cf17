import type { CaseWriter } from "./case-writer.ts";
import type { CaseAgent, CaseGuardrail, CaseTask, Profile, ToolName } from "./crew-case.ts";

export const TOOLS: readonly ToolName[] = ["lookup", "add", "fails"];

/** Profiles without asynchronous tasks. */
const IN_ORDER: readonly Profile[] = ["each", "react", "planning", "human", "replay"];

const ODD_GUARDRAILS: readonly Partial<CaseGuardrail>[] = [
  {},
  { refuse: 0, change: "changed by the guardrail" },
  { refuse: 0, throws: true },
  { refuse: 1, text: true },
  { refuse: 2, text: true },
  { refuse: 0, text: true },
  { refuse: 1, change: "changed by the guardrail" },
  { refuse: 0, retries: 0 },
  { refuse: 1, retries: 0 },
  { refuse: 0, returns: "none" },
  { refuse: 0, returns: "bool" },
  { refuse: 0, returns: "output" },
  { refuse: 0, returns: "number" },
];

export type TaskPlace = {
  readonly index: number;
  readonly agents: readonly CaseAgent[];
  readonly earlier: readonly string[];
  readonly profile: Profile;
};

/** A random task of a profile. */
export function makeTask(writer: CaseWriter, { index, agents, earlier, profile }: TaskPlace) {
  const { random } = writer;
  const name = `t${index}`;
  const task: CaseTask = {
    name,
    description: `Work on {topic}, part ${index}. <<T:${name}>>`,
    expectedOutput: "A line",
    agent: random.pick(agents).key,
  };
  if (earlier.length > 0 && random.chance(0.35)) task.context = writer.some(earlier, 0.5);
  else if (earlier.length > 0 && random.chance(0.1)) task.context = [];
  const kind = random.next();
  if (kind < 0.18 && !IN_ORDER.includes(profile)) task.async = true;
  else if (kind < 0.32 && index > 0)
    task.condition = { contains: random.pick(["a", "e", "zz", "1", "q"]) };
  if (profile !== "each" && random.chance(profile === "answers" ? 0.5 : 0.15))
    task.guardrail = {
      refuse: 1 + random.below(3),
      retries: random.pick([1, 3]),
      ...(profile === "answers" ? random.pick(ODD_GUARDRAILS) : {}),
    };
  if (random.chance(profile === "answers" ? 0.5 : 0.12))
    task.json = profile === "answers" ? random.pick(["json", "pydantic"] as const) : "json";
  if (random.chance(0.4)) task.tools = writer.some(TOOLS, 0.6);
  if (profile === "answers" && random.chance(0.1)) task.callbackThrows = true;
  if (profile === "answers" && random.chance(0.2)) task.markdown = true;
  return task;
}
