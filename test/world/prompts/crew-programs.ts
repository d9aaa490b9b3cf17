// Crews and agents whose prompts are compared. Each string is a fact, so no two are alike.
import type { AgentProgram, CrewProgram, ProgramAgent, ProgramTask, Reply } from "./program.ts";

const PILOT: ProgramAgent = {
  key: "pilot",
  role: "Harbour Pilot",
  goal: "Bring every ship to its berth unharmed",
  backstory: "Thirty winters on the northern reefs have made you patient.",
};
const SCRIBE: ProgramAgent = {
  key: "scribe",
  role: "Quay Scribe",
  goal: "Write notices that sailors understand",
  backstory: "You once copied the log of a whole fleet by candle light.",
};
const BEACON: ProgramTask = {
  name: "beacon",
  description: "Decide which beacon is lit tonight",
  expected: "The name of one beacon",
  agent: "pilot",
};
const NOTICE: ProgramTask = {
  name: "notice",
  description: "Write the notice for the fish market",
  expected: "Three short lines for the board",
  agent: "scribe",
};
const LIT: Reply = { text: "The eastern beacon burns tonight" };
const WRITTEN: Reply = { text: "Boats keep left of the mole" };
const SHAPED: Reply = { text: '{"title":"Spring regatta","count":17}' };
const call = (tool: string, args: Reply["args"] = {}): Reply => ({ tool, args });
const STOCK = call("stock", { goods: "herring" });

const crew = (id: string, rest: Omit<CrewProgram, "id" | "kind">): CrewProgram => ({
  id,
  kind: "crew",
  ...rest,
});
const one = (agent: Partial<ProgramAgent> = {}, task: Partial<ProgramTask> = {}) => ({
  agents: [{ ...PILOT, ...agent }],
  tasks: [{ ...BEACON, ...task }],
});

export const CREW_PROGRAMS: readonly CrewProgram[] = [
  crew("one-task", { ...one(), replies: [LIT] }),
  crew("two-tasks", { agents: [PILOT, SCRIBE], tasks: [BEACON, NOTICE], replies: [LIT, WRITTEN] }),
  crew("named-context", {
    agents: [PILOT, SCRIBE],
    tasks: [
      BEACON,
      { ...NOTICE, context: [] },
      {
        ...NOTICE,
        name: "sum",
        description: "Join both papers into a letter",
        context: ["beacon", "notice"],
      },
    ],
    replies: [LIT, WRITTEN, { text: "Dear harbour master, all is well" }],
  }),
  crew("async-context", {
    agents: [PILOT, SCRIBE],
    tasks: [
      { ...BEACON, async: true },
      { ...NOTICE, context: ["beacon"] },
    ],
    replies: [LIT, WRITTEN],
  }),
  crew("inputs", {
    agents: [{ ...PILOT, role: "Pilot of {port}", goal: "Guard the port of {port}" }],
    tasks: [
      {
        ...BEACON,
        description: "Choose a beacon for {port} in {season}",
        expected: "A beacon of {port}",
      },
    ],
    inputs: { port: "Ostwyn", season: "late autumn" },
    replies: [LIT],
  }),
  crew("tool", { ...one({ tools: ["stock"] }), replies: [STOCK, LIT] }),
  crew("two-tools", {
    ...one({ tools: ["stock", "tide"] }),
    replies: [STOCK, call("tide", { hour: 6 }), LIT],
  }),
  crew("tool-fails", {
    ...one({ tools: ["broken"] }),
    replies: [call("broken", { gate: "west" }), LIT],
  }),
  crew("tool-as-text", {
    ...one({ tools: ["stock", "tide"], text: true }),
    replies: [
      { text: 'Thought: I count\nAction: stock\nAction Input: {"goods": "herring"}' },
      { text: "Thought: I know\nFinal Answer: The eastern beacon burns tonight" },
    ],
  }),
  crew("last-step", { ...one({ tools: ["stock"], maxIter: 1 }), replies: [STOCK, LIT] }),
  crew("shape", { ...one({}, { shape: true }), replies: [SHAPED] }),
  crew("shape-then-text", {
    agents: [PILOT, SCRIBE],
    tasks: [{ ...BEACON, shape: true }, NOTICE],
    replies: [SHAPED, WRITTEN],
  }),
  crew("shape-with-tool", {
    ...one({ tools: ["stock"] }, { shape: true }),
    replies: [STOCK, SHAPED],
  }),
  crew("guardrail", {
    ...one({}, { guardrail: { refuses: "the beacon has no keeper" } }),
    replies: [{ text: "The western beacon is dark" }, LIT],
  }),
  crew("guardrail-rule", {
    ...one({}, { guardrail: { rule: "Only one beacon may be named" } }),
    replies: [
      { text: "The western beacon is dark" },
      { text: '{"valid": false, "feedback": "two beacons were named"}' },
      LIT,
      { text: '{"valid": true, "feedback": null}' },
    ],
  }),
  crew("markdown", { ...one({}, { markdown: true }), replies: [LIT] }),
  crew("human", {
    ...one({}, { human: ["Say it in the keeper's dialect"] }),
    replies: [{ text: "The western beacon is dark" }, LIT],
  }),
  crew("today", { ...one({ today: true }), replies: [LIT] }),
  crew("planning", {
    agents: [PILOT, { ...SCRIBE, tools: ["stock"] }],
    tasks: [BEACON, NOTICE],
    crew: { planning: true },
    replies: [
      {
        text: JSON.stringify({
          list_of_plans_per_task: [
            {
              task_number: 1,
              task: "Decide which beacon is lit tonight",
              plan: "First look at the wind vane",
            },
            {
              task_number: 2,
              task: "Write the notice for the fish market",
              plan: "Then sharpen the quill",
            },
          ],
        }),
      },
      LIT,
      WRITTEN,
    ],
  }),
  crew("delegation", {
    agents: [{ ...PILOT, delegates: true }, SCRIBE],
    tasks: [BEACON],
    replies: [
      call("delegate_work_to_coworker", {
        task: "Copy the list of keepers",
        context: "The list hangs in the customs house",
        coworker: "Quay Scribe",
      }),
      { text: "Keepers are Ulla and Jorn" },
      LIT,
    ],
  }),
  crew("question", {
    agents: [{ ...PILOT, delegates: true }, SCRIBE],
    tasks: [BEACON],
    replies: [
      call("ask_question_to_coworker", {
        question: "Which keeper is awake",
        context: "It is past midnight",
        coworker: "Quay Scribe",
      }),
      { text: "Jorn is awake" },
      LIT,
    ],
  }),
  crew("hierarchy", {
    agents: [PILOT, SCRIBE],
    tasks: [{ name: "beacon", description: BEACON.description, expected: BEACON.expected }],
    crew: { manager: "llm" },
    replies: [
      call("delegate_work_to_coworker", {
        task: "Walk to the eastern pier",
        context: "The fog lifts at dawn",
        coworker: "Harbour Pilot",
      }),
      { text: "The pier is clear of ice" },
      LIT,
    ],
  }),
  crew("hierarchy-agent", {
    agents: [PILOT, SCRIBE],
    tasks: [BEACON],
    crew: { manager: "agent" },
    replies: [LIT],
  }),
  crew("knowledge", {
    ...one({ knowledge: "The eastern beacon was built by Bishop Aldwin." }),
    replies: [{ text: "builder of the eastern beacon" }, LIT],
  }),
  crew("crew-knowledge", {
    ...one(),
    crew: { knowledge: "The eastern beacon was built by Bishop Aldwin." },
    replies: [{ text: "builder of the eastern beacon" }, LIT],
  }),
  crew("memory", {
    ...one(),
    crew: { memory: ["Last week the western beacon lost its lamp."] },
    replies: [LIT, { text: '{"memories": []}' }],
  }),
];

const QUESTION = "Which berth is free for a barge";

export const AGENT_PROGRAMS: readonly AgentProgram[] = [
  { id: "agent", kind: "agent", agents: [PILOT], question: QUESTION, replies: [LIT] },
  {
    id: "agent-tool",
    kind: "agent",
    agents: [{ ...PILOT, tools: ["stock"] }],
    question: QUESTION,
    replies: [STOCK, LIT],
  },
  {
    id: "agent-shape",
    kind: "agent",
    agents: [PILOT],
    question: QUESTION,
    shape: true,
    replies: [SHAPED],
  },
];
