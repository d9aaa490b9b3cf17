// Answers have the shape of Tavily's documentation (docs.tavily.com, endpoint/research and research-get).
import { expect, it } from "vitest";
import { tavilyGetResearch } from "../../../../../src/tools/catalog/tavily/tavily-get-research.ts";
import { tavilyResearch } from "../../../../../src/tools/catalog/tavily/tavily-research.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const BEGUN = {
  request_id: "r-1",
  created_at: "2026-01-15T10:30:00Z",
  status: "pending",
  input: "Why is tea green?",
  model: "auto",
};
const REPORT = {
  request_id: "r-1",
  status: "completed",
  content: "# Tea\nIt is not oxidised.",
  sources: [{ title: "Leaves", url: "https://tea.example/leaves", favicon: "f" }],
  response_time: 42,
  usage: { credits: 25 },
};
const variables = { TAVILY_API_KEY: "tvly-0123456789" };
const input = { input: "Why is tea green?" };

toolContract(tavilyResearch, {
  options: { citation_format: "apa" },
  input: { ...input, model: "mini" },
  success: [Response.json(BEGUN, { status: 201 })],
  requests: [
    {
      method: "POST",
      url: "https://api.tavily.com/research",
      body: { input: "Why is tea green?", model: "mini", citation_format: "apa" },
    },
  ],
  text: '"request_id": "r-1"',
  data: BEGUN,
});

toolContract(tavilyGetResearch, {
  input: { request_id: "r-1" },
  success: [Response.json(REPORT)],
  requests: [{ method: "GET", url: "https://api.tavily.com/research/r-1" }],
  text: "# Tea\nIt is not oxidised.",
  data: REPORT,
});

/** Tavily, whose research is done when it is asked for the third time. */
function service(): (request: SeenRequest) => Response {
  let asked = 0;
  return ({ method }) => {
    if (method === "POST") return Response.json(BEGUN, { status: 201 });
    asked++;
    return asked < 3
      ? Response.json({ request_id: "r-1", status: "in_progress" }, { status: 202 })
      : Response.json(REPORT);
  };
}

it("waits for the report on request", async () => {
  const { requests, text, extras } = await callOf(tavilyResearch({ wait: true }), input, {
    answers: service(),
    variables,
  });
  expect(text).toContain("It is not oxidised.");
  expect(requests.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "GET"]);
  expect(extras.sources).toEqual([{ url: "https://tea.example/leaves", title: "Leaves" }]);
  expect(extras.cost).toEqual({ amount: 25, unit: "credits" });
});

it("begins no second research after a crash once it has the id of the first", async () => {
  const { whole, cut } = await cutAfterEveryWrite(() =>
    toolSubject(tavilyResearch({ wait: true }), input, { answers: service(), variables }),
  );
  for (const each of cut) {
    expect(each.run.output).toEqual(whole.run.output);
    expect(each.calls.filter((call) => call.startsWith("POST")).length).toBeLessThanOrEqual(2);
  }
  expect(whole.calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
});

it("reports failed research", async () => {
  const { failure } = await callOf(tavilyResearch({ wait: true }), input, {
    answers: [Response.json(BEGUN), Response.json({ request_id: "r-1", status: "failed" })],
    variables,
  });
  expect(failure).toMatchObject({ code: "failed" });
});

it("refuses to stream", async () => {
  const { failure, requests } = await callOf(
    tavilyResearch(),
    { ...input, stream: true },
    { variables },
  );
  expect(failure?.code).toBe("bad_request");
  expect(requests).toEqual([]);
  expect(() => tavilyResearch({ stream: true as never })).toThrow("TavilyResearchTool.stream");
});
