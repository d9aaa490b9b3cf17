// Answers that clients of others read in another way.
import type { AcceptedDifference } from "../support/accepted.ts";
import type { Call } from "./calls.ts";

export const ACCEPTED_CALLS: readonly AcceptedDifference<Call>[] = [
  {
    id: "data-part-unread",
    upstream:
      "The clients of CrewAI and AG2 read text parts alone: a result that is data reads as nothing, also from their own servers.",
    ours: "A result that is data is a data part.",
    verdict: "upstream's defect",
    page: "a2a.md",
    matches: ({ agent, state, text }) => agent === "json" && state === "completed" && text === "",
  },
];
