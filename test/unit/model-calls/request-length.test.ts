import { expect, it } from "vitest";
import { llm } from "../../../src/agent/llm.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import * as z from "zod";

it("a request of more text than any model reads is not made", async () => {
  const model = scriptedModel(["never"]);
  const content = "x".repeat(3_000_000);
  const flow = defineFlow({
    name: "long",
    state: z.object({}),
    methods: {
      ask: {
        start: true,
        run: () =>
          llm(model).call([
            { role: "user", content },
            { role: "assistant", content },
            { role: "user", content: [{ type: "text", text: content }] },
          ]),
      },
    },
  });
  await expect(flow.kickoff()).rejects.toMatchObject({
    code: "value_too_large",
    message: expect.stringContaining("may have 8388608 characters of text, got 9000000") as string,
  });
  expect(model.calls).toEqual([]);
});
