// The agents, crews and flows that clients call.
import * as z from "zod";
import { askCaller } from "../../../../src/entry/a2a.ts";
import { conversational, defineFlow } from "../../../../src/flow/index.ts";
import { Agent, Crew, Task, tool } from "../../../../src/index.ts";
import { obeys } from "./model.ts";

const shared = { goal: "Do as you are asked", backstory: "Brief.", llm: obeys };

const exchangeRate = tool({
  name: "exchange_rate",
  description: "The rate between two currencies.",
  input: z.object({ from: z.string(), to: z.string() }),
  effect: "pure",
  run: ({ from, to }, { emit }) => {
    emit("rate_found", { rate: 1.08 });
    return `1 ${from} is 1.08 ${to}`;
  },
});
const refund = tool({
  name: "refund",
  description: "Sends money back.",
  input: z.object({ order: z.string() }),
  needsApproval: true,
  run: ({ order }) => `refunded ${order}`,
});

/** Without tools of its own. */
const clerk = new Agent({ role: "Clerk", ...shared });
/** With a tool of its own, and one that a person approves. */
const teller = new Agent({ role: "Teller", ...shared, tools: [exchangeRate, refund] });

const task = (name: string, more: object = {}): Task =>
  new Task({ name, description: "SAY {topic}", expectedOutput: "Words", agent: clerk, ...more });

/** Fails in its second task, after the first one has done its work. */
const failing = (name: string): Crew =>
  new Crew({
    name,
    tasks: [
      task("first"),
      new Task({ name: "second", description: "ERR 400", expectedOutput: "None", agent: clerk }),
    ],
  });
/** One for each check that counts runs. */
const failingCrews = Array.from({ length: 40 }, (_, index) => failing(`failing-${index}`));

const counter = defineFlow({
  name: "counter",
  state: z.object({ n: z.number().default(0), log: z.array(z.string()).default([]) }),
  methods: {
    add: {
      start: true,
      run: ({ state }) => {
        state.n += 1;
        state.log.push(`n is ${state.n}`);
        return state.n;
      },
    },
    say: { listen: "add", run: ({ state }) => `counted to ${state.n}` },
  },
});

/** Reports its steps, and takes about a second. */
const slow = defineFlow({
  name: "slow",
  methods: {
    begin: { start: true, run: async ({ sleep }) => sleep("short", 400) },
    middle: { listen: "begin", run: async ({ sleep }) => sleep("longer", 400) },
    end: { listen: "middle", run: () => "finished" },
  },
});

/** Goes on until it is cancelled. */
const endless = defineFlow({
  name: "endless",
  methods: { go: { start: true, run: async ({ sleep }) => sleep("long", 600_000) } },
});

const asks = defineFlow({
  name: "asks",
  methods: {
    go: { start: true, run: async () => `painted ${(await askCaller("Which colour?")) as string}` },
  },
});

/** A conversation that counts what was ordered in it. */
const shop = defineFlow({
  name: "shop",
  state: z.object({ packets: z.number().int().default(0) }),
  conversational: conversational({
    llm: obeys,
    systemPrompt: "You work in a shop.",
    routeTurn: ({ message }) => (/\border\b/.test(message) ? "order" : null),
  }),
  methods: {
    take: {
      listen: "order",
      run: async ({ state, ask }) => {
        state.packets += Number(await ask("How many packets?"));
        return `Noted: ${state.packets} packets in all.`;
      },
    },
  },
});

export const agents = { clerk, teller };
export const crews = {
  news: new Crew({ name: "news", tasks: [task("news")] }),
  shaped: new Crew({
    name: "shaped",
    tasks: [task("shaped", { output: z.object({ city: z.string(), degrees: z.number() }) })],
  }),
  reviewed: new Crew({ name: "reviewed", tasks: [task("reviewed", { humanInput: true })] }),
  ...Object.fromEntries(failingCrews.map((crew) => [crew.name, crew])),
};
export const flows = { counter, slow, endless, asks, shop };
