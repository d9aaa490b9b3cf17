import { expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../src/tools/tool.ts";
import { startDeclared } from "../../support/declared-flow.ts";
import { readSource } from "../../support/source-files.ts";

const search = tool({
  name: "search",
  description: "Search.",
  input: z.object({ query: z.string(), limit: z.number() }),
  run: ({ query }) => [query],
});

it("the flow of docs/declarative-flows.md runs unchanged", async () => {
  const text = /```yaml\n(.*?)```/s.exec(readSource("docs/declarative-flows.md"))?.[1] ?? "";
  const registry = { tools: [search] };
  const inputs = { mail: "When do you open?", topics: ["tea", ""] };
  const run = startDeclared(text, { registry, inputs, script: () => "At nine." });
  expect((await run.settle()).waits).toMatchObject([
    {
      key: "method:reply/feedback",
      prompt: expect.stringMatching(/^[^{][^]*---\nSend it\?$/),
      choices: ["send", "discard"],
    },
  ]);
  await run.handle.resume({ feedback: "discard" });
  expect((await run.output()).value).toBe("dropped: discard");
  const urgent = startDeclared(text, {
    registry,
    inputs: { mail: "outage" },
    script: () => "Now.",
  });
  await urgent.settle();
  await urgent.handle.resume({ feedback: "send" });
  expect((await urgent.output()).value).toBe("Now.");
});
