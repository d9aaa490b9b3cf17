import { expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, soloCrew, startCrew, toldTo } from "../../support/crew-harness.ts";

it.each([
  "ECONNRESET",
  "Network connection lost.",
  "the S3 object has been deleted",
  "Durable Object reset because its code was updated.",
])("J11: a tool that fails with %j is called once, and the model is informed", async (message) => {
  let calls = 0;
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    run: () => {
      calls++;
      throw new Error(message);
    },
  });
  const { agent, model } = scriptedAgent([calling("look"), "I could not look."], { tools: [look] });
  const { output } = startCrew(soloCrew(agent));
  expect(await output()).toMatchObject({ raw: "I could not look." });
  expect(calls).toBe(1);
  expect(JSON.stringify(toldTo(model, 1))).toContain(message);
});
