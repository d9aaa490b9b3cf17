import { expect, it } from "vitest";
import { evidenceGapIn } from "../../../src/memory/evidence-gap.ts";

const ABOUT =
  "The memories answer the first half of the question: Acme Logistics pays by invoice, within 30 days, and Berta Quist signs for everything " +
  "above 5,000 euros. One of them mentions that a page was missing from the contract of 2024, which was sent again in March. Nothing in them " +
  "contradicts this. The other memories are about deliveries and are of no use here.";

it.each([
  [
    "in a line of its own",
    `${ABOUT}\n\nMissing: the discount for early payment`,
    "the discount for early payment",
  ],
  [
    "in bold type",
    `${ABOUT}\n\n**Missing:** the discount for early payment.`,
    "the discount for early payment.",
  ],
  ["in bold type as a whole", `${ABOUT}\n**Missing: the discount**`, "the discount"],
  ["as an item", `${ABOUT}\n- Missing: the discount`, "the discount"],
  [
    "as a list",
    `${ABOUT}\n\nMissing:\n- the discount\n- the person who signs`,
    "the discount; the person who signs",
  ],
  ["below a heading", `${ABOUT}\n\n## Missing: the discount\n`, "the discount"],
  [
    "in capitals, inside a block",
    `\`\`\`\n${ABOUT}\nMISSING: the discount\n\`\`\``,
    "the discount",
  ],
  ["alone", "Missing: the discount", "the discount"],
  [
    "beginning like its opposite",
    `${ABOUT}\nMissing: nothing is said about the discount`,
    "nothing is said about the discount",
  ],
  [
    "beginning with the word none",
    `${ABOUT}\nMissing: none of the memories names the discount`,
    "none of the memories names the discount",
  ],
  [
    "beginning with no",
    `${ABOUT}\nMissing: no invoice of May, no receipt`,
    "no invoice of May, no receipt",
  ],
])("EG1: reads the gap %s", (_, answer, gap) => {
  expect(evidenceGapIn(answer)).toBe(gap);
});

it.each([
  ["an answer without the line", ABOUT],
  ["the word within a sentence", `${ABOUT}\nThe missing page was sent again.`],
  ["the line in the middle", `Missing: a page, says the first memory.\n\n${ABOUT}`],
  ["an empty text", ""],
])("EG1: takes no gap from %s", (_, answer) => {
  expect(evidenceGapIn(answer)).toBeUndefined();
});

it.each([
  "none",
  "None.",
  "nothing",
  "Nothing.",
  "nothing is missing",
  "Nothing else is missing.",
  "N/A",
  "n/a.",
  "-",
  "—",
  "",
  "none; everything is there",
  "nothing (the memories answer the question)",
  "Nothing – the price is there",
  "no information is missing",
  "No further details are needed.",
  "not applicable",
  "everything is covered",
  "All of it is there.",
  "**None**",
  "no gaps",
  "- none",
  "nothing, the memories cover it",
  "the question is fully answered",
])("EG2: “Missing: %s” is not a gap", (said) => {
  expect(evidenceGapIn(`${ABOUT}\n\nMissing: ${said}`)).toBeUndefined();
});

it("cuts a long gap to one line", () => {
  expect(evidenceGapIn(`Missing: ${"the discount, ".repeat(50)}`)?.length).toBe(200);
});
