import { expect, it } from "vitest";
import { hyperbrowserLoad } from "../../../../../src/tools/catalog/hyperbrowser/hyperbrowser-load.ts";
import { cutAfterEveryResult } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const API = "https://api.hyperbrowser.ai/api";
const ID = "962372c4-a140-400b-8c26-4ffe21d9fb9c";
const variables = { HYPERBROWSER_API_KEY: "hb-0123456789" };
const begun = (): Response => Response.json({ jobId: ID });
const status = (text: string): Response => Response.json({ status: text });

toolContract(hyperbrowserLoad, {
  input: { url: "https://tea.example", operation: "scrape" },
  success: [
    begun(),
    status("running"),
    status("completed"),
    Response.json({
      jobId: ID,
      status: "completed",
      data: { markdown: "Leaves in hot water.", metadata: { title: "Tea" } },
    }),
  ],
  requests: [
    {
      method: "POST",
      url: `${API}/scrape`,
      body: { url: "https://tea.example", scrapeOptions: { formats: ["markdown"] } },
    },
    { method: "GET", url: `${API}/scrape/${ID}/status` },
    { method: "GET", url: `${API}/scrape/${ID}/status` },
    { method: "GET", url: `${API}/scrape/${ID}` },
  ],
  text: "Leaves in hot water.",
});

function crawlAnswers(): (request: SeenRequest) => Response {
  return ({ method, path }) => {
    if (method === "POST") return begun();
    if (path.endsWith("/status")) return status("completed");
    const number = new URLSearchParams(path.split("?")[1]).get("page");
    return Response.json({
      jobId: ID,
      status: "completed",
      totalPageBatches: 2,
      currentPageBatch: Number(number),
      data: [{ url: `https://tea.example/${number}`, status: "completed", html: `<p>${number}` }],
    });
  };
}

it("gives all pages of a crawl, with settings in snake_case", async () => {
  const { requests, text, extras } = await callOf(
    hyperbrowserLoad({
      operation: "crawl",
      params: { max_pages: 5, scrape_options: { formats: ["html"] } },
    }),
    { url: "https://tea.example" },
    { answers: crawlAnswers(), variables },
  );
  expect(requests[0]).toMatchObject({
    path: "/api/crawl",
    body: { maxPages: 5, scrapeOptions: { formats: ["html"] } },
    headers: { "x-api-key": "hb-0123456789" },
  });
  expect(text).toContain("<p>1\n\n---\n\n# https://tea.example/2");
  expect(extras.sources).toHaveLength(2);
});

it("begins one job, wherever its run loses its process", async () => {
  const { whole, cut } = await cutAfterEveryResult(() =>
    toolSubject(
      hyperbrowserLoad(),
      { url: "https://tea.example", operation: "crawl" },
      { answers: crawlAnswers(), variables },
    ),
  );
  expect(whole.run.status).toBe("completed");
  for (const { calls, run } of cut) {
    expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
    expect((run.output as { data: object }).data).toEqual(
      (whole.run.output as { data: object }).data,
    );
  }
});

it("fails when the job does", async () => {
  const { failure } = await callOf(
    hyperbrowserLoad(),
    { url: "https://tea.example", operation: "scrape" },
    { answers: [begun(), status("failed")], variables },
  );
  expect(failure).toMatchObject({ code: "failed", message: expect.stringContaining(ID) });
});
