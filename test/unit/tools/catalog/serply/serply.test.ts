// Answers have the fields that CrewAI's tools read of them: Serply's documentation (serply.io/docs) shows the same.
import { expect, it } from "vitest";
import { serplyJobSearch } from "../../../../../src/tools/catalog/serply/serply-job-search.ts";
import { serplyNewsSearch } from "../../../../../src/tools/catalog/serply/serply-news-search.ts";
import { serplyScholarSearch } from "../../../../../src/tools/catalog/serply/serply-scholar-search.ts";
import { serplyWebSearch } from "../../../../../src/tools/catalog/serply/serply-web-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { SERPLY_API_KEY: "serply-0123456789" };

const WEB = {
  results: [
    { title: "Tea", link: "https://tea.example/a", description: " All of tea. " },
    { link: "https://tea.example/untitled" },
  ],
  total: 2,
};
toolContract(serplyWebSearch, {
  input: { search_query: "tea" },
  success: [Response.json(WEB)],
  requests: [
    { method: "GET", headers: expect.objectContaining({ "x-user-agent": "desktop" }) as never },
  ],
  text: /Search results:\nTitle: Tea\nLink: https:\/\/tea.example\/a\nDescription: All of tea.\n---$/,
  data: WEB,
});

it("has the query in the path (T28)", async () => {
  const { requests } = await callOf(
    serplyWebSearch({ limit: 10 }),
    { search_query: "a b" },
    { answers: [Response.json(WEB)], variables },
  );
  expect(requests[0]).toMatchObject({
    path: "/v1/search/num=10&gl=US&hl=us&q=a+b",
    headers: { "x-api-key": "serply-0123456789", "x-proxy-location": "US" },
  });
});

const NEWS = {
  entries: [
    {
      title: "New tea",
      link: "https://news.example/r/1",
      published: "Thu, 15 Jan 2026 10:00:00 GMT",
      source: { title: "Leaf News" },
    },
    { title: "Second", link: "https://news.example/r/2" },
  ],
};
toolContract(serplyNewsSearch, {
  options: { limit: 1 },
  input: { search_query: "tea" },
  success: [Response.json(NEWS), new Response(null)],
  requests: [
    { method: "GET", path: "/v1/news/q=tea" },
    { method: "HEAD", url: "https://news.example/r/1" },
  ],
  text: "Title: New tea\nLink: https://news.example/r/1\nSource: Leaf News\nPublished: Thu, 15 Jan 2026 10:00:00 GMT\n---",
});

it("shows the targets of news links, and the link itself for private targets", async () => {
  const { text, extras } = await callOf(
    serplyNewsSearch(),
    { search_query: "tea" },
    {
      answers: ({ url }) => {
        if (url.startsWith("https://api.serply.io/")) return Response.json(NEWS);
        if (url === "https://news.example/r/1") return redirect("https://leaf.example/new-tea");
        return url === "https://news.example/r/2"
          ? redirect("http://169.254.169.254/latest")
          : new Response(null);
      },
      variables,
    },
  );
  expect(text).toContain("Link: https://leaf.example/new-tea");
  expect(text).toContain("Link: https://news.example/r/2");
  expect(extras.sources?.[0]?.url).toBe("https://leaf.example/new-tea");
});

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } });
}

const SCHOLAR = {
  articles: [
    {
      title: "On tea",
      link: "https://journal.example/1",
      doc: { link: "https://journal.example/1.pdf" },
      description: "A study.",
      cite: "Cited by 7",
      author: { authors: [{ name: "A. Leaf" }, { name: "B. Cup" }] },
    },
  ],
};
toolContract(serplyScholarSearch, {
  input: { search_query: "tea" },
  success: [Response.json(SCHOLAR)],
  requests: [{ path: "/v1/scholar/hl=us&q=tea" }],
  text: "Title: On tea\nLink: https://journal.example/1.pdf\nDescription: A study.\nCite: Cited by 7\nAuthors: A. Leaf, B. Cup\n---",
  data: SCHOLAR,
});

const JOBS = {
  jobs: [
    {
      position: "Taster",
      employer: "Leaf Inc.",
      location: "Boston",
      link: "https://jobs.example/1",
      highlights: ["Tea", "Travel"],
      is_remote: true,
      is_hybrid: false,
    },
  ],
};
toolContract(serplyJobSearch, {
  input: { search_query: "taster" },
  success: [Response.json(JOBS)],
  requests: [{ path: "/v1/job/search/q=taster" }],
  text: "Position: Taster\nEmployer: Leaf Inc.\nLocation: Boston\nLink: https://jobs.example/1\nHighest: Tea, Travel\nIs Remote: yes\nIs Hybrid: no\n---",
  data: JOBS,
});

it("returns an empty list for an empty answer", async () => {
  const { text } = await callOf(
    serplyJobSearch(),
    { search_query: "taster" },
    { answers: [Response.json({ jobs: [] })], variables },
  );
  expect(text).toContain("Nothing was found.");
});
