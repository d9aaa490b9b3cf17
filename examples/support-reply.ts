// Reads a support mail, finds the facts in it, and drafts the reply.
import * as z from "zod";
import { Agent, Crew, Task, tool } from "../src/index.ts";
import { factsOf } from "./mail-facts.ts";

export const extractFacts = tool({
  name: "extract_facts",
  description:
    "Find the hard facts in a mail: order numbers, amounts, dates, mail addresses, product names, questions.",
  input: z.object({ text: z.string().min(1).describe("The mail") }),
  effect: "pure",
  run: ({ text }) => factsOf(text),
});

const reader = new Agent({
  role: "Support reader",
  goal: "Understand what a customer wants and which facts they give",
  backstory: "You read every mail twice. You write down what it says, never what it might mean.",
  tools: [extractFacts],
});

const drafter = new Agent({
  role: "Support writer",
  goal: "Answer customers so that they need not write again",
  backstory: "You write warm, short replies. You promise nothing that is not in the policy.",
});

const facts = new Task({
  name: "facts",
  description: "Find the facts in this mail from a customer. The mail:\n\n{mail}",
  expectedOutput: "What the customer wants, and every number, date and name they give",
  agent: reader,
  output: z.object({
    customer: z.string().describe("The customer's name; empty if the mail gives none"),
    request: z.string().describe("What the customer wants, in one sentence"),
    orderNumbers: z.array(z.string()),
    amounts: z.array(z.string()),
    dates: z.array(z.string()),
  }),
});

const reply = new Task({
  name: "reply",
  description:
    "Draft the reply to this customer from the facts and our policy.\n\nPolicy:\n{policy}\n\nMail:\n{mail}",
  expectedOutput: "A reply by mail: greeting, answer, what happens next, closing",
  agent: drafter,
  context: [facts],
});

export const supportReply = new Crew({
  name: "support-reply",
  agents: [reader, drafter],
  tasks: [facts, reply],
  stream: true,
  inputs: {
    policy:
      "Refunds within 30 days of delivery. Broken goods are replaced free of charge. We answer within one working day.",
  },
});
