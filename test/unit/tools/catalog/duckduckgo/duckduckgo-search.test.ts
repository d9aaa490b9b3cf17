// The page has the elements that the `duckduckgo-search` packages read of html.duckduckgo.com: a.result__a and a.result__snippet.
import { expect, it } from "vitest";
import { duckDuckGoSearch } from "../../../../../src/tools/catalog/duckduckgo/duckduckgo-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const link = (url: string): string =>
  `//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=0123`;
const result = (url: string, title: string, snippet: string): string => `
  <div class="result results_links results_links_deep web-result">
    <h2 class="result__title">
      <a rel="nofollow" class="result__a" href="${link(url)}">${title}</a>
    </h2>
    <a class="result__snippet" href="${link(url)}">${snippet}</a>
  </div>`;
const page = (...results: readonly string[]): Response =>
  new Response(
    `<html><body><div id="links" class="results">${results.join("")}</div></body></html>`,
  );
const THREE = (): Response =>
  page(
    '<div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x">Ad</a></div>',
    result("https://tea.example/a?b=1&c=2", "Tea &amp; <b>more</b>", "All of <b>tea</b>."),
    '<div><a href="https://plain.example/" class="result__a">Plain</a></div>',
    result("https://tea.example/c", "Third", "Last."),
  );

toolContract(duckDuckGoSearch, {
  input: { query: "tea" },
  success: [THREE()],
  requests: [
    {
      method: "POST",
      url: "https://html.duckduckgo.com/html/",
      body: "q=tea&kl=us-en&kp=-1",
    },
  ],
  text: "1. Tea & more\n   https://tea.example/a?b=1&c=2\n   All of tea.",
  data: [
    { title: "Tea & more", link: "https://tea.example/a?b=1&c=2", snippet: "All of tea." },
    { title: "Plain", link: "https://plain.example/", snippet: "" },
    { title: "Third", link: "https://tea.example/c", snippet: "Last." },
  ],
  keyless: true,
  isText: true,
});

it("gives as many as are asked for, by either name", async () => {
  for (const input of [{ num_results: 1 }, { max_results: 1 }]) {
    const { data } = await callOf(
      duckDuckGoSearch(),
      { query: "tea", ...input },
      { answers: [THREE()] },
    );
    expect(data).toHaveLength(1);
  }
  const { data } = await callOf(
    duckDuckGoSearch({ maxResults: 2 }),
    { query: "tea" },
    { answers: [THREE()] },
  );
  expect(data).toHaveLength(2);
});

it.each([
  new Response("<html>wait</html>", { status: 202 }),
  new Response('<form id="challenge-form">Select all ducks</form>'),
])("names services with keys when the service blocks it as a robot", async (answer) => {
  const { failure, requests } = await callOf(
    duckDuckGoSearch(),
    { query: "tea" },
    { answers: [answer] },
  );
  expect(failure).toMatchObject({ code: "unavailable", retryable: false });
  expect(failure?.message).toContain("BraveSearchTool");
  expect(requests).toHaveLength(1);
});

it("distinguishes an empty page of results from another page", async () => {
  const { text } = await callOf(duckDuckGoSearch(), { query: "tea" }, { answers: [page()] });
  expect(text).toContain("Nothing was found.");
  const other = [new Response("<html>Welcome</html>")];
  expect(
    (await callOf(duckDuckGoSearch(), { query: "tea" }, { answers: other })).failure?.code,
  ).toBe("bad_response");
});
