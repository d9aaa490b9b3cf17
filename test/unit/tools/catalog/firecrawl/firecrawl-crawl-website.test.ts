import { expect, it } from "vitest";
import { firecrawlCrawlWebsite } from "../../../../../src/tools/catalog/firecrawl/firecrawl-crawl-website.ts";
import { cutAfterEveryResult } from "../../../../support/cut-off.ts";
import { openSqlStore } from "../../../../support/run-stores.ts";
import { RunWorld } from "../../../../support/run-world.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ID = "9352ed1c-88bf-4258-a466-d29911ebcbe4";
const V2 = `https://api.firecrawl.dev/v2/crawl/${ID}`;
const variables = { FIRECRAWL_API_KEY: "fc-0123456789" };

const begun = (): Response => Response.json({ success: true, id: ID, url: V2 });

/** As recorded: while the crawl goes on, `next` leads to another version and stays empty. */
const scraping = (): Response =>
  Response.json({
    success: true,
    status: "scraping",
    completed: 0,
    total: 2,
    creditsUsed: 0,
    next: `https://api.firecrawl.dev/v1/crawl/${ID}?skip=0`,
    data: [],
  });

function page(name: string): object {
  return {
    markdown: `All of ${name}.`,
    metadata: { title: name, sourceURL: `https://tea.example/${name}` },
  };
}

const completed = (fields: object = {}): Response =>
  Response.json({
    success: true,
    status: "completed",
    completed: 2,
    total: 2,
    creditsUsed: 2,
    data: [page("green"), page("black")],
    ...fields,
  });

toolContract(firecrawlCrawlWebsite, {
  input: { url: "https://tea.example" },
  success: [begun(), scraping(), completed()],
  requests: [
    { method: "POST", url: "https://api.firecrawl.dev/v2/crawl" },
    { method: "GET", url: V2 },
    { method: "GET", url: V2 },
  ],
  text: "# green\nhttps://tea.example/green\n\nAll of green.\n\n---\n\n# black",
  data: { pages: [page("green"), page("black")] },
});

it("sends only the crawl's own requests while it runs, and returns its pages (T31)", async () => {
  const { requests, extras, events } = await callOf(
    firecrawlCrawlWebsite({ config: { limit: 2, scrape_options: { only_main_content: false } } }),
    { url: "https://tea.example" },
    { answers: [begun(), scraping(), scraping(), scraping(), completed()], variables },
  );
  expect(requests[0]?.body).toEqual({
    url: "https://tea.example",
    sitemap: "skip",
    maxDiscoveryDepth: 2,
    limit: 2,
    allowExternalLinks: false,
    allowSubdomains: false,
    scrapeOptions: { formats: ["markdown"], onlyMainContent: false, timeout: 10000 },
  });
  expect(requests.slice(1).map(({ url }) => url)).toEqual(Array(4).fill(V2));
  expect(extras.sources).toHaveLength(2);
  expect(extras.cost).toEqual({ amount: 2, unit: "credits" });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool_job_finished", jobId: ID, polls: 4 }),
  );
});

it("follows the further pages of an ended crawl", async () => {
  const next = `${V2}?skip=2`;
  const { data, requests } = await callOf(
    firecrawlCrawlWebsite(),
    { url: "https://tea.example" },
    {
      answers: [begun(), completed({ next }), completed({ data: [page("white")], next: null })],
      variables,
    },
  );
  expect(requests.map(({ url }) => url).slice(1)).toEqual([V2, next]);
  expect(data).toMatchObject({ pages: [page("green"), page("black"), page("white")] });
});

it("begins one crawl, wherever its run loses its process (T32)", async () => {
  const answers = (): ((request: SeenRequest) => Response) => {
    let asked = 0;
    return ({ method }) => {
      if (method === "POST") return begun();
      return ++asked < 3 ? scraping() : completed();
    };
  };
  const { whole, cut } = await cutAfterEveryResult(() =>
    toolSubject(firecrawlCrawlWebsite(), { url: "tea.example" }, { answers: answers(), variables }),
  );
  for (const { run, calls } of cut) {
    expect((run.output as { data: object }).data).toEqual(
      (whole.run.output as { data: object }).data,
    );
    expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
  }
});

it("names an unfinished crawl, and cancels one whose run is cancelled (T33)", async () => {
  const answers = ({ method }: SeenRequest): Response => (method === "POST" ? begun() : scraping());
  const input = { url: "https://tea.example" };
  const { failure, requests } = await callOf(firecrawlCrawlWebsite(), input, {
    answers,
    variables,
  });
  expect(failure?.code).toBe("timeout");
  expect(failure?.message).toContain(ID);
  expect(requests.length - 1).toBeLessThanOrEqual(65);

  const subject = toolSubject(firecrawlCrawlWebsite(), input, { answers, variables });
  const world = new RunWorld(subject.program.run, {
    fixture: openSqlStore(),
    services: subject.services ?? {},
  });
  await world.begin();
  world.restart();
  await world.host.cancel();
  await world.rest();
  await world.clock.settle();
  expect(subject.requests.at(-1)).toMatchObject({
    method: "DELETE",
    url: V2,
    headers: { authorization: "Bearer fc-0123456789" },
  });
});

it("fails when the crawl does", async () => {
  const { failure } = await callOf(
    firecrawlCrawlWebsite(),
    { url: "https://tea.example" },
    { answers: [begun(), Response.json({ success: false, status: "failed" })], variables },
  );
  expect(failure?.message).toContain("the crawl is failed");
});
