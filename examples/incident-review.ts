// Reviews an incident: a triage reads the log, an expert looks for the cause if it is bad, a reviewer sums up, and the person on
// duty approves, or says what is missing.
import {
  ConversableAgent,
  DefaultPattern,
  UserProxyAgent,
  agentTarget,
  defineConversation,
  functionTarget,
  onContextCondition,
  ReplyResult,
  terminateTarget,
} from "../src/conversation/index.ts";
import { llm, tool } from "../src/index.ts";
import * as z from "zod";
import { logFacts } from "./log-facts.ts";

export const readLog = tool({
  name: "read_log",
  description:
    "Read the log of an incident: its errors, the services they are from, and its times.",
  input: z.object({ log: z.string().min(1).describe("The log of the incident") }),
  effect: "pure",
  run: ({ log }) => {
    const facts = logFacts(log);
    const severity = facts.errors.length >= 3 ? "high" : "low";
    return new ReplyResult({
      message: facts,
      contextVariables: { severity, services: facts.services },
    });
  },
});

const triage = new ConversableAgent({
  name: "triage",
  description: "Reads the log and says how bad it is",
  systemMessage: "You sort incidents. Read the log of the incident first, then say what is broken.",
  llm: llm(),
  humanInputMode: "NEVER",
  tools: [readLog],
});
const expert = new ConversableAgent({
  name: "expert",
  description: "Finds the cause of bad incidents",
  systemMessage: "You find the cause of an incident: the first error, and what follows from it.",
  llm: llm(),
  humanInputMode: "NEVER",
});
const reviewer = new ConversableAgent({
  name: "reviewer",
  description: "Sums up, and says what is missing",
  systemMessage: "You sum up an incident for the person on duty: what broke, since when, and why.",
  llm: llm(),
  humanInputMode: "NEVER",
});
const duty = new UserProxyAgent({ name: "duty", description: "The person on duty, who approves" });

triage
  .registerHandoffs(
    onContextCondition({ condition: "${severity} == 'high'", target: agentTarget(expert) }),
  )
  .setAfterWork(agentTarget(reviewer));
expert.setAfterWork(agentTarget(reviewer));
reviewer.setAfterWork(agentTarget(duty));
duty.setAfterWork(
  functionTarget(function approval(words) {
    const isApproved = /^\s*(?:yes|ok(?:ay)?|approved?|fine)\b/i.test(words);
    return {
      target: isApproved ? terminateTarget() : agentTarget(expert),
      contextVariables: { approved: isApproved },
    };
  }),
);

export const incidentReview = defineConversation({
  name: "incident-review",
  description: "Reviews an incident from its log, with a person who approves the review.",
  pattern: new DefaultPattern({
    initialAgent: triage,
    agents: [triage, expert, reviewer],
    userAgent: duty,
    contextVariables: { severity: "unknown", services: [], approved: false },
  }),
});
