import { expect, it } from "vitest";
import { Memory } from "../../../src/memory/memory.ts";
import { createDemoModel } from "../../../src/llm/offline/demo-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";

it("the embedded model is not asked to judge: what it is given is kept as it is", async () => {
  const memory = new Memory({ llm: createDemoModel() });
  expect(await memory.remember("The Lisbon office closes at six.")).toMatchObject({
    content: "The Lisbon office closes at six.",
    scope: "/",
    categories: [],
    importance: 0.5,
    metadata: {},
  });
  expect(await memory.extractMemories("A long talk.")).toEqual(["A long talk."]);
});

it("ignores a suggested scope that is too long to be a path", async () => {
  const answer = {
    suggested_scope: `/${"long ".repeat(20)}`,
    categories: ["office"],
    importance: 0.7,
    extracted_metadata: { entities: [], dates: [], topics: [] },
  };
  const llm = scriptedModel([JSON.stringify(answer)]);
  const memory = new Memory({ llm });
  expect(await memory.remember("The Lisbon office closes at six.")).toMatchObject({
    scope: "/",
    categories: ["office"],
    importance: 0.7,
  });
});
