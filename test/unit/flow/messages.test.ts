import { expect, it } from "vitest";
import { defineFlow } from "../../../src/flow/index.ts";
import { HttpWorld } from "../../support/http-app.ts";

const desk = defineFlow({
  name: "desk",
  methods: {
    open: { start: true, run: ({ sleep }) => sleep("day", 60_000) },
    close: {
      listen: "open",
      run: ({ messages }) =>
        [messages(), messages()].map((each) => each.map(({ content }) => content)),
    },
  },
});

it("a method takes the messages sent to its run", async () => {
  const world = new HttpWorld({ flows: { desk } });
  await world.ask("/flows/desk/kickoff", { json: { id: "f" } });
  await world.clock.settle();
  for (const json of [{ content: "one", mode: "queue" }, { content: "two" }])
    expect((await world.ask("/runs/f/messages", { json })).status).toBe(202);
  await world.clock.advance(60_000);
  expect((await world.ask("/runs/f")).json["output"]).toMatchObject({
    value: [["one", "two"], []],
  });
  const { items } = (await world.ask("/runs/f/messages")).json;
  expect(items).toMatchObject([{ state: "delivered" }, { state: "delivered" }]);
});
