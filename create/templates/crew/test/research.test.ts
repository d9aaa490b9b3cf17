import { scriptedReplies } from "edgecrew/testing";
import { expect, it } from "vitest";
import { definitions } from "../.edgecrew/definitions.ts";
import { wordCount } from "../src/tools/word-count.ts";

const { crews } = definitions({ tools: [wordCount] });

it("hands the research to the writer", async () => {
  const replies = scriptedReplies({
    Researcher: ["Tea is a drink."],
    Writer: ["# Tea\n\nTea is a drink."],
  });
  const { raw, tasks } = await replies.run(() =>
    crews.research.kickoff({ inputs: { topic: "tea" } }),
  );
  expect(raw).toContain("# Tea");
  expect(tasks.map(({ name }) => name)).toEqual(["research", "report"]);
  expect(JSON.stringify(replies.callsOf("Writer"))).toContain("Tea is a drink.");
});
