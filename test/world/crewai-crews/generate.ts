// Random crews. Equal seeds give equal crews; a change in one profile leaves the others as they are.
import { Random } from "../support/random.ts";
import { asText } from "./as-text.ts";
import { CaseWriter } from "./case-writer.ts";
import {
  PROFILES,
  type CaseAgent,
  type CaseTask,
  type CrewCase,
  type Profile,
} from "./crew-case.ts";
import { judgeScript, scriptOf } from "./make-script.ts";
import { makeTask, TOOLS } from "./make-task.ts";
import { addDelegations } from "./profiles/coworkers.ts";
import { each } from "./profiles/each.ts";
import { errors } from "./profiles/errors.ts";
import { hierarchical } from "./profiles/hierarchical.ts";
import { human } from "./profiles/human.ts";
import { inputs } from "./profiles/inputs.ts";
import { planning } from "./profiles/planning.ts";
import { replay } from "./profiles/replay.ts";
import { yaml } from "./profiles/yaml.ts";

const ROLES = ["Researcher", "Writer", "Editor of {topic}", "Senior Reviewer"] as const;

/** What a profile adds to a plain crew. */
const ADDITIONS: Partial<Record<Profile, (writer: CaseWriter, made: CrewCase) => void>> = {
  delegation: addDelegations,
  hierarchical,
  inputs,
  each,
  planning,
  errors,
  yaml,
  human,
  replay,
};

/** Profiles that are played as text as well. */
const AS_TEXT: readonly Profile[] = ["base", "answers", "delegation"];
/** Profiles whose crews may have a tool cache, and may have callbacks. */
const CACHED: readonly Profile[] = ["limits", "tools", "react"];
const SILENT: readonly Profile[] = ["each", "yaml", "stream"];

/** `count` crews, of all profiles in turn. */
export function generateCases(seed: number, count: number): CrewCase[] {
  return Array.from({ length: count }, (_, index) => caseAt(seed, index));
}

/** The case of a name such as `limits-31337-569`, as a run of that seed has it; `limits-31337` are the first 30 of a profile. */
export function casesNamed(name: string): CrewCase[] {
  const [, seed, index] = /^x?[a-z]+-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
  if (seed === undefined) throw new Error(`a case is named <profile>-<seed>-<index>, got ${name}`);
  if (index !== undefined) return [caseAt(Number(seed), Number(index))];
  const first = PROFILES.findIndex((profile) => name.startsWith(`${profile}-`));
  return Array.from({ length: 30 }, (_, at) => caseAt(Number(seed), first + at * PROFILES.length));
}

function caseAt(seed: number, index: number): CrewCase {
  const profile = PROFILES[index % PROFILES.length] as Profile;
  const own = new Random(seed).fork(index);
  const made = generateCase(profile, `${profile}-${seed}-${index}`, own);
  return AS_TEXT.includes(profile) && own.chance(0.15) ? asText(made) : made;
}

export function generateCase(profile: Profile, id: string, random: Random): CrewCase {
  const writer = new CaseWriter(random);
  const agents = makeAgents(writer, profile);
  const tasks = makeTasks(writer, agents, profile);
  const made: CrewCase = {
    id,
    profile,
    agents,
    tasks,
    inputs: { topic: writer.word() },
    crew: {},
    script: {},
  };
  for (const task of tasks) {
    const agent = agents.find(({ key }) => key === task.agent);
    if (agent !== undefined) made.script[task.name] = scriptOf(writer, task, { agent, profile });
  }
  ADDITIONS[profile]?.(writer, made);
  for (const { guardrail, name } of tasks)
    if (guardrail?.text) made.script[`G_${name}`] = judgeScript(guardrail.refuse);
  if (CACHED.includes(profile) && random.chance(0.5)) made.crew.cache = true;
  if (profile === "stream") made.crew.stream = true;
  if (!SILENT.includes(profile) && random.chance(0.3)) {
    const names = writer.some(["step", "task", "before", "after"] as const, 0.6);
    made.crew.callbacks = Object.fromEntries(names.map((name) => [name, true as const]));
  }
  return made;
}

function makeAgents(writer: CaseWriter, profile: Profile): CaseAgent[] {
  const { random } = writer;
  const delegates = profile === "delegation" || profile === "hierarchical";
  const isLimits = profile === "limits";
  return Array.from({ length: 1 + random.below(3) + (delegates ? 1 : 0) }, (_, index) => {
    const agent: CaseAgent = {
      key: `a${index}`,
      role: ROLES[index] ?? "Researcher",
      goal: "Do the work",
      backstory: "Works without a fuss",
      tools: random.chance(0.4) ? writer.some(TOOLS, 0.6) : [],
    };
    if (random.chance(isLimits ? 0.6 : 0.15)) agent.maxIter = (isLimits ? 1 : 2) + random.below(3);
    if (random.chance(0.1)) agent.resultAsAnswer = true;
    if (profile === "react") agent.text = true;
    if (profile === "delegation" && random.chance(0.6)) agent.allowDelegation = true;
    if (isLimits && random.chance(0.3)) agent.maxUsage = 1 + random.below(2);
    return agent;
  });
}

function makeTasks(writer: CaseWriter, agents: readonly CaseAgent[], profile: Profile): CaseTask[] {
  const isShort = profile === "each" || profile === "hierarchical";
  const tasks: CaseTask[] = [];
  for (let index = 0, count = 1 + writer.random.below(isShort ? 3 : 5); index < count; index++) {
    const earlier = tasks.map(({ name }) => name);
    tasks.push(makeTask(writer, { index, agents, earlier, profile }));
  }
  delete tasks.at(-1)?.async;
  if (profile !== "base") keepAgentsApart(tasks);
  return tasks;
}

/** An agent of CrewAI's cannot do two tasks at once: that known difference is left to one profile. */
function keepAgentsApart(tasks: readonly CaseTask[]): void {
  let busy = new Set<string>();
  for (const task of tasks) {
    if (!task.async) busy = new Set();
    else if (busy.has(task.agent ?? "")) delete task.async;
    else busy.add(task.agent ?? "");
  }
}
