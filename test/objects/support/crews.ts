// The crews of the Worker under test.
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import {
  Agent,
  Crew,
  EngineError,
  Task,
  tool,
  type CrewOptions,
  type Tool,
} from "../../../src/index.ts";
import { on } from "../../../src/entry/hooks.ts";
import * as z from "zod";
import { answerALetter } from "../../../examples/answer-a-letter.ts";
import { releaseNotes } from "../../../examples/release-notes.ts";
import { supportReply } from "../../../examples/support-reply.ts";
import { note } from "./ledger.ts";
import { echoes, failsWith, plays, talksLong, type Turn } from "./models.ts";
import { speaks } from "./speech.ts";
import * as tools from "./tools.ts";

const ALL: readonly Tool[] = tools.TOOLS;

/** A task of an agent that plays these turns. */
export function task(
  name: string,
  turns: readonly Turn[],
  options: {
    description?: string;
    asyncExecution?: boolean;
    llm?: LanguageModel;
    tools?: readonly Tool[];
    context?: readonly Task[];
  } = {},
): Task {
  const { description = `Do ${name}`, asyncExecution = false, llm = plays(...turns) } = options;
  const agent = new Agent({
    role: `${name} agent`,
    goal: "do it",
    backstory: "made for a test",
    llm,
    tools: options.tools ?? ALL,
  });
  return new Task({
    name,
    description,
    expectedOutput: "the result",
    agent,
    asyncExecution,
    ...(options.context === undefined ? undefined : { context: options.context }),
  });
}

/** Works on its own. */
export const helper = new Agent({
  role: "Helper",
  goal: "Help with {topic}",
  backstory: "made for a test",
  llm: plays(
    [{ name: "look_up", arguments: { about: "x" } }],
    [{ name: "ask_person", arguments: { question: "Well?" } }],
  ),
  tools: ALL,
});

export function crewOf(name: string, tasks: readonly Task[]): Crew {
  return new Crew({ name, tasks });
}

const call = (name: string, input: Record<string, string | number> = {}) => ({
  name,
  arguments: input,
});

const single = crewOf("single", [task("only", ["done"])]);

/** A crew that starts another crew from inside a tool. */
const delegate = tool({
  name: "delegate",
  description: "Let another crew do it.",
  input: z.object({}),
  run: async () =>
    (await crewOf("inner", [task("inner", [[call("look_up", { about: "nesting" })]])]).kickoff())
      .raw,
});

/** Everything once: turns, parallel tools, a tool of steps, async tasks, a tool that fails, one that is retried, a nested crew. */
const tour = crewOf("tour", [
  task("research", [
    [call("look_up", { about: "tea" }), call("look_up", { about: "cups" })],
    [call("in_steps")],
  ]),
  task("left", [[call("flaky")]], { asyncExecution: true }),
  task("right", [[call("broken")]], { asyncExecution: true }),
  task("report", [[call("delegate")], [call("charge", { amount: 5 })]], {
    tools: [...ALL, delegate],
  }),
]);

const REGISTRY: Record<string, Crew> = {
  "answer-a-letter": answerALetter,
  "release-notes": releaseNotes,
  "support-reply": supportReply,
  single,
  tour,
  parallel: crewOf("parallel", [
    task("both", [[call("look_up", { about: "a" }), call("look_up", { about: "b" })]]),
  ]),
  asking: crewOf("asking", [
    task("before", ["ready"]),
    task("ask", [[call("ask_person", { question: "How many?" })]]),
  ]),
  "asking-beside": crewOf("asking-beside", [
    task("beside", [
      [
        call("ask_person", { question: "Sure?" }),
        call("look_up", { about: "a" }),
        call("in_steps"),
      ],
    ]),
  ]),
  "asking-twice": crewOf("asking-twice", [
    task("twice", [
      [call("ask_person", { question: "First?" }), call("ask_person", { question: "Second?" })],
    ]),
  ]),
  "asking-async": crewOf("asking-async", [
    task("asks", [[call("ask_person", { question: "How many?" })]], { asyncExecution: true }),
    task("works", [[call("look_up", { about: "b" })]], { asyncExecution: true }),
    task("gathers", ["gathered"]),
  ]),
  careful: crewOf("careful", [
    task("ask", [[call("ask_carefully"), call("look_up", { about: "a" })]]),
  ]),
  choosing: crewOf("choosing", [
    task("choose", [[call("ask_carefully"), call("look_up", { about: "a" })]]),
  ]),
  "asking-in-time": crewOf("asking-in-time", [
    task("ask", [[call("ask_in_time", { withinMs: 400 })]]),
  ]),
  napping: crewOf("napping", [task("nap", [[call("nap", { ms: 300 })]])]),
  "long-nap": crewOf("long-nap", [task("nap", [[call("nap", { ms: 90 * 24 * 3_600_000 })]])]),
  stubborn: crewOf("stubborn", [task("stubborn", [[call("stubborn")]])]),
  once: crewOf("once", [task("pay", [[call("charge", { amount: 7 })]])]),
  large: crewOf("large", [
    task("dump", [[call("dump", { length: 5 * 1024 * 1024, text: "tea für 😀 " })], ...lookUps(6)]),
  ]),
  "too-large": crewOf("too-large", [
    task("dump", [[call("dump", { length: 9 * 1024 * 1024, text: "tea" })]]),
  ]),
  "many-large": crewOf("many-large", [
    task("dump", [
      Array.from({ length: 10 }, () => call("dump", { length: 5 * 1024 * 1024, text: "tea " })),
    ]),
  ]),
  "large-answer": crewOf("large-answer", [task("talk", ["x".repeat(3 * 1024 * 1024)])]),
  small: crewOf("small", [
    task("dump", [[call("dump", { length: 5, text: "tea" })], ...lookUps(6)]),
  ]),
  approving: new Crew({
    name: "approving",
    tasks: [
      task("pay", [[call("pay_out", { amount: 7 }), call("look_up", { about: "a" })]], {
        tools: [tools.payOut, tools.lookUp],
      }),
    ],
    hooks: [
      on("execution_start", ({ runId }) => note(runId, "execution_start")),
      on("execution_end", ({ runId, status, payload }) => {
        note(runId, `execution_end ${status}`);
        return payload === null ? null : { ...payload, raw: `${payload.raw}, hooked` };
      }),
    ],
  }),
  endless: crewOf("endless", [task("endless", [[call("endless")]])]),
  failing: crewOf("failing", [
    task("talk", [], {
      llm: failsWith(
        new EngineError("model_unauthorized", "there is no key for this model: no key"),
      ),
    }),
  ]),
  long: crewOf("long", [task("steps", lookUps(12))]),
  "fan-50": wide("fan-50", 50),
  "fan-11": wide("fan-11", 11),
  "fan-10": wide("fan-10", 10),
  "fan-limited": wide("fan-limited", 11, { maxRpm: 100 }),
  "fan-failing": crewOf("fan-failing", [
    ...asyncTasks(12),
    task("bad", [], {
      asyncExecution: true,
      llm: failsWith(new EngineError("model_unauthorized", "there is no key for this model")),
    }),
    task("gathers", ["gathered"]),
  ]),
  item: crewOf("item", [
    task("first", ["noted"]),
    task("second", [], { llm: echoes(), description: "Say something about {topic}" }),
  ]),
  "item-large": crewOf("item-large", [task("talk", ["x".repeat(6 * 1024 * 1024)])]),
  /** A manager, three delegations at once, one of which is handed on, and a file at the end. */
  delegating: new Crew({
    name: "delegating",
    process: "hierarchical",
    managerLlm: plays([toThe("Writer"), toThe("Digger"), toThe("writer")]),
    agents: [
      person("Writer", [[toThe("Digger")]]),
      person("Digger", [[call("look_up", { about: "roots" })]]),
    ],
    tasks: [
      new Task({
        name: "work",
        description: "Do the work",
        expectedOutput: "the result",
        outputFile: "reports/{id}.md",
      }),
    ],
  }),
  speaking: new Crew({
    name: "speaking",
    stream: true,
    tasks: [task("talk", [], { llm: speaks() })],
  }),
  /** Streams at its callers' request alone. */
  murmuring: new Crew({ name: "murmuring", tasks: [task("talk", [], { llm: speaks() })] }),
  /** Its log is some megabytes long. */
  "long-log": crewOf("long-log", [task("talk", [], { llm: talksLong() })]),
  streaming: new Crew({
    name: "streaming",
    stream: true,
    tasks: [task("talk", ["one two three"])],
  }),
};

/** Asynchronous tasks, each with a look-up, and one that gathers them. */
function wide(name: string, count: number, options: Partial<CrewOptions> = {}): Crew {
  return new Crew({
    name,
    ...options,
    tasks: [...asyncTasks(count), task("gathers", ["gathered"])],
  });
}

function asyncTasks(count: number): Task[] {
  return Array.from({ length: count }, (_, index) =>
    task(`t${index}`, [[call("look_up", { about: String(index) })]], { asyncExecution: true }),
  );
}

function person(role: string, turns: readonly Turn[]): Agent {
  const llm = plays(...turns);
  const options = { goal: "do it", backstory: "made for a test", allowDelegation: true };
  return new Agent({ role, llm, tools: ALL, ...options });
}

function toThe(coworker: string) {
  return call("delegate_work_to_coworker", { task: "dig", context: "all", coworker });
}

function lookUps(count: number): readonly Turn[] {
  return Array.from({ length: count }, (_, index) => [call("look_up", { about: String(index) })]);
}

/** The crews that the Worker knows. A test may put another in its place, as a deploy does. */
export const registry = REGISTRY;
