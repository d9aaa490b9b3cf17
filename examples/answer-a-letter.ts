// The sample of the first five minutes: a clerk looks an order up, which takes a moment, a writer drafts the reply, and a person
// reads it before it counts. Each of its inputs has a sample, so that one click in the console starts it.
import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { Agent, Crew, Task, tool } from "../src/index.ts";

type Order = { readonly content: string; readonly state: string; readonly arrives: string };

const ORDERS: ReadonlyMap<number, Order> = new Map([
  [
    1204,
    { content: "two tins of Assam, a glass teapot", state: "on its way", arrives: "Thursday" },
  ],
  [1205, { content: "a tin of Sencha", state: "leaves the warehouse", arrives: "Saturday" }],
]);

/** As long as the system of a warehouse may take: time to kill the Worker in the middle of the call. */
const LOOK_UP_MS = 4_000;

export const lookUpOrder = tool({
  name: "look_up_order",
  description: "Look up an order of the tea shop by its number: what is in it, and where it is.",
  input: z.object({ order: z.number().int().describe("The number of the order") }),
  effect: "pure",
  run: async ({ order }, { signal }) => {
    await setTimeout(LOOK_UP_MS, undefined, { signal });
    return { order, ...(ORDERS.get(order) ?? { state: "not known to the shop" }) };
  },
});

const clerk = new Agent({
  role: "Clerk of a tea shop",
  goal: "Know what a customer asks for, and what the shop knows about it",
  backstory: "You look things up before you say them.",
  tools: [lookUpOrder],
});

const writer = new Agent({
  role: "Writer of a tea shop",
  goal: "Answer customers so that they need not write again",
  backstory: "You write warm, short letters, and promise nothing that you do not know.",
});

const lookUp = new Task({
  name: "look-up",
  description:
    "Look up the order of this customer, and say what the shop knows about it:\n\n{letter}",
  expectedOutput: "What the customer asks, and what the shop knows about the order",
  agent: clerk,
});

const reply = new Task({
  name: "reply",
  description: "Draft the reply to this customer:\n\n{letter}",
  expectedOutput: "A letter: greeting, answer, closing",
  agent: writer,
  context: [lookUp],
  humanInput: true,
});

export const answerALetter = new Crew({
  name: "answer-a-letter",
  agents: [clerk, writer],
  tasks: [lookUp, reply],
  stream: true,
  inputSchema: z.object({
    letter: z
      .string()
      .min(1)
      .max(5_000)
      .describe("What a customer wrote")
      .default(
        "Hello, where is my order 1204? I need the teapot on Friday.\n\nThank you\nMaya Lind",
      ),
  }),
});
