import { expect, it } from "vitest";
import { serperScrapeWebsite } from "../../../../../src/tools/catalog/serper/serper-scrape-website.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ANSWER = {
  text: "Tea\nLeaves in hot water.",
  markdown: "# Tea\n\nLeaves in *hot* water.",
  metadata: { title: "All of tea", "og:type": "article" },
  credits: 2,
};

toolContract(serperScrapeWebsite, {
  input: { url: "https://tea.example/a" },
  success: [Response.json(ANSWER)],
  requests: [
    {
      method: "POST",
      url: "https://scrape.serper.dev/",
      body: { url: "https://tea.example/a", includeMarkdown: true },
    },
  ],
  text: "Leaves in *hot* water.",
  data: ANSWER,
});

it("returns plain text on request, with its cost", async () => {
  const { text, extras } = await callOf(
    serperScrapeWebsite(),
    { url: "https://tea.example/a", include_markdown: false },
    {
      answers: [Response.json({ text: ANSWER.text, credits: 2 })],
      variables: { SERPER_API_KEY: "key-0123456789" },
    },
  );
  expect(text).toContain("Leaves in hot water.");
  expect(extras.cost).toEqual({ amount: 2, unit: "credits" });
});
