// A flow for every morning: reads the support inbox and tells the team what came in, the urgent first. A day without mail costs
// no model call.
//
//   collect ──mail── facts  ┐
//      │       └──── urgent ┴─ digest
//      └──quiet── rest
//
// The schedule of examples/worker.ts starts it on weekdays at 7:00 UTC; `POST /flows/inbox-digest/kickoff` does by hand.
import * as z from "zod";
import { and, defineFlow } from "../src/flow/index.ts";
import { Agent } from "../src/index.ts";
import { factsOf } from "./mail-facts.ts";
import { INBOX } from "./samples/inbox.ts";

const Mail = z.object({
  from: z.string(),
  subject: z.string(),
  receivedAt: z.string(),
  text: z.string(),
});

const State = z.object({
  /** The mails of the last day. @default those of a sample inbox */
  mails: z.array(Mail).default([...INBOX]),
  facts: z.array(z.string()).default([]),
  urgent: z.array(z.string()).default([]),
});

const URGENT =
  /\b(?:urgent|outage|down|broken|cracked|cannot|refund|deadline|asap|today|before)\b/i;

const clerk = new Agent({
  role: "Support lead",
  goal: "Tell the team in one look what came in and what cannot wait",
  backstory: "You list what is there. You promise nothing.",
});

export const inboxDigest = defineFlow({
  name: "inbox-digest",
  description: "Sums up the support mails of a day, the urgent ones first.",
  state: State,
  methods: {
    collect: {
      start: true,
      router: true,
      emit: ["mail", "quiet"],
      run: ({ state }) => (state.mails.length > 0 ? "mail" : "quiet"),
    },
    facts: {
      listen: "mail",
      run: ({ state }) => {
        for (const { from, subject, text } of state.mails) {
          const { orderNumbers, request } = factsOf(text);
          const order = orderNumbers.length > 0 ? ` (${orderNumbers.join(", ")})` : "";
          state.facts.push(`${from}: ${subject}${order}. ${request}`.trim());
        }
      },
    },
    urgent: {
      listen: "mail",
      run: ({ state }) => {
        for (const { from, subject, text } of state.mails)
          if (URGENT.test(`${subject} ${text}`)) state.urgent.push(`${from}: ${subject}`);
      },
    },
    digest: {
      listen: and("facts", "urgent"),
      run: async ({ state }) => {
        const { raw } = await clerk.kickoff(
          `Write the digest of today's support mails in Markdown: first what is urgent, then all mails, one bullet for each.\n\n<mails>\n## Urgent\n\n${listOf(state.urgent)}\n\n## All ${state.mails.length} mails\n\n${listOf(state.facts)}\n</mails>`,
        );
        return raw;
      },
    },
    rest: { listen: "quiet", run: () => "No mail came in." },
  },
});

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "- none" : items.map((item) => `- ${item}`).join("\n");
}
