import { expect, it } from "vitest";
import { defineFlow } from "../../../../src/flow/index.ts";
import { talkOf } from "../../../support/talks.ts";

const at = new Date("2026-03-01T00:00:00.000Z");
const names = new Map([["a", new Set([1n])]]);

function talk() {
  return talkOf(
    { routeTurn: () => "note" },
    {
      keep: {
        listen: "note",
        run: ({ state }) => {
          const turns = (state["turns"] as number | undefined) ?? 0;
          const known = state as Record<string, unknown>;
          const isKnown = known["at"] instanceof Date && known["names"] instanceof Map;
          Object.assign(state, { at, names, turns: turns + 1 });
          return { names, isKnown };
        },
      },
    },
  );
}

it("state and results of turns keep dates, maps, sets and big integers from turn to turn", async () => {
  const help = talk();
  for (const isKnown of [false, true]) {
    const { value, state } = await help.handleTurn("hi", { sessionId: "s" });
    expect(value).toEqual({ names, isKnown });
    expect(state).toMatchObject({ at, names });
  }
});

it("a turn inside a flow gives the same", async () => {
  const help = talk();
  let given: unknown;
  const flow = defineFlow({
    name: "around",
    methods: {
      ask: {
        start: true,
        run: async () => {
          given = await help.handleTurn("hi", { sessionId: "s" });
          return null;
        },
      },
    },
  });
  await flow.kickoff();
  expect(given).toMatchObject({ value: { names }, state: { at, names } });
});

it("agent results and message metadata are stored as readers see them", async () => {
  const help = talkOf(
    { routeTurn: () => "note", visibleAgentOutputs: "all" },
    {
      keep: {
        listen: "note",
        run: ({ conversation }) => {
          const metadata = { at, names } as never;
          conversation.appendAgentResult("ada", { at, names }, { metadata });
          conversation.appendMessage({ role: "assistant", content: "done", metadata });
        },
      },
    },
  );
  const shown = { at: at.toISOString(), names: { a: ["1"] } };
  for (const turn of [1, 2]) {
    expect(await help.handleTurn("hi", { sessionId: "s" })).toMatchObject({ turn });
    const session = await help.conversation?.session("s");
    expect(session?.messages.at(-1)).toMatchObject({ content: "done", metadata: shown });
    expect(session?.events.at(-1)?.payload).toEqual({ result: shown, metadata: shown });
  }
});

it("a session shows its state as JSON", async () => {
  const help = talk();
  await help.handleTurn("hi", { sessionId: "s" });
  expect(await help.conversation?.session("s")).toMatchObject({
    state: { at: at.toISOString(), names: { a: ["1"] } },
  });
});
