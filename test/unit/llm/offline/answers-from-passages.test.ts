// Questions to passages that were found for them: which sentence the demo model takes as the answer.
import { expect, it } from "vitest";
import { createDemoModel } from "../../../../src/llm/offline/demo-model.ts";
import { isNoAnswer } from "../../../../src/llm/offline/no-answer.ts";
import { NOTICE } from "../../../../src/llm/offline/reading.ts";

const AIRLINE = `# Flying with us

## Baggage

One suitcase of up to 23 kg is free.
A bicycle costs 60 EUR.

## Pets

Dogs travel in the hold. Cats sit with you in a bag.`;

const LIBRARY = `Reading room
**Loans:**
- Books: four weeks
- Films: one week

Lockers need a coin.`;

const CLINIC = `### Surgery hours
| Doctor | Room |
Dr. Lind sees patients on Tuesdays from 14:00.
### Vaccination
Against flu: every autumn, without an appointment`;

const MUSEUM = `Tickets:

Adults 12 EUR
Students 6 EUR

The café is on the second floor.`;

it.each([
  [
    "How heavy may my baggage be?",
    AIRLINE,
    "One suitcase of up to 23 kg is free. A bicycle costs 60 EUR.",
  ],
  ["May I take pets?", AIRLINE, "Dogs travel in the hold. Cats sit with you in a bag."],
  ["What does a bicycle cost?", AIRLINE, "A bicycle costs 60 EUR."],
  ["How long are loans?", LIBRARY, "Books: four weeks; Films: one week"],
  ["Do lockers need a coin?", LIBRARY, "Lockers need a coin."],
  ["When is vaccination offered?", CLINIC, "Against flu: every autumn, without an appointment"],
  ["How much are tickets?", MUSEUM, "Adults 12 EUR; Students 6 EUR"],
  ["Where is the café?", MUSEUM, "The café is on the second floor."],
  ["Who is the director?", MUSEUM, undefined],
])("%s", async (question, passage, expected) => {
  const model = createDemoModel();
  const name = "search_documents";
  const { text } = await model.generate(
    {
      messages: [
        { role: "system", content: "You are Clerk." },
        { role: "user", content: question },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name, arguments: JSON.stringify({ query: question }) }],
        },
        { role: "tool", toolCallId: "1", toolName: name, content: passage },
      ],
    },
    { signal: new AbortController().signal },
  );
  const answer = isNoAnswer(text) ? undefined : text.replace(NOTICE, "").trim();
  expect(answer).toBe(expected);
});
