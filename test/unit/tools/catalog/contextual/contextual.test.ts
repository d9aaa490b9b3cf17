// Answers after the examples in Contextual AI's reference of its API, v1.
import { describe, expect, it } from "vitest";
import { contextualCreateAgent } from "../../../../../src/tools/catalog/contextual/contextual-create-agent.ts";
import { contextualParse } from "../../../../../src/tools/catalog/contextual/contextual-parse.ts";
import { contextualQuery } from "../../../../../src/tools/catalog/contextual/contextual-query.ts";
import { contextualRerank } from "../../../../../src/tools/catalog/contextual/contextual-rerank.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { pdfOf } from "../../../../support/documents.ts";
import { workspaceWith } from "../../../../support/document-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";

const API = "https://api.contextual.ai/v1";
const files = await workspaceWith({ "a.pdf": pdfOf("Tea."), "b.txt": "Coffee." });
const services = { files };
const variables = { CONTEXTUAL_API_KEY: "key-0123456789" };

const BEGUN = { job_id: "3c90c3cc-0d44-4b50-8888-8dd25736052a" };
const PARSED = {
  file_name: "a.pdf",
  status: "completed",
  pages: [
    { index: 0, markdown: "# Tea" },
    { index: 1, markdown: "Hot water." },
  ],
  markdown_document: null,
};

toolContract(contextualParse, {
  input: { file_path: "a.pdf" },
  success: [Response.json(BEGUN), Response.json({ status: "completed" }), Response.json(PARSED)],
  requests: [
    { method: "POST", url: `${API}/parse` },
    { method: "GET", url: `${API}/parse/jobs/${BEGUN.job_id}/status` },
    {
      method: "GET",
      url: `${API}/parse/jobs/${BEGUN.job_id}/results?output_types=markdown-per-page`,
    },
  ],
  text: "# Tea\n\nHot water.",
  services,
});

toolContract(contextualQuery, {
  input: { query: "How hot?", agent_id: "agent-1" },
  success: [
    Response.json({
      conversation_id: "c",
      message_id: "m",
      message: { role: "assistant", content: "Ninety degrees.[1]()" },
      retrieval_contents: [{ number: 1, type: "file", format: "pdf", doc_name: "a.pdf", page: 2 }],
    }),
  ],
  requests: [
    {
      method: "POST",
      url: `${API}/agents/agent-1/query`,
      body: { messages: [{ role: "user", content: "How hot?" }] },
    },
  ],
  text: "Ninety degrees.",
});

toolContract(contextualRerank, {
  input: { query: "tea", documents: ["coffee", "tea"], instruction: "prefer the new" },
  success: [
    Response.json({
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.1 },
      ],
    }),
  ],
  requests: [
    {
      method: "POST",
      url: `${API}/rerank`,
      body: {
        query: "tea",
        documents: ["coffee", "tea"],
        instruction: "prefer the new",
        model: "ctxl-rerank-en-v1-instruct",
      },
    },
  ],
  text: "relevance_score",
  data: { results: [{ index: 1 }, { index: 0 }] },
});

toolContract(contextualCreateAgent, {
  input: {
    agent_name: "tea",
    agent_description: "Knows tea",
    datastore_name: "teas",
    document_paths: ["a.pdf"],
  },
  success: [
    Response.json({ id: "store-1" }),
    Response.json({ id: "document-1" }),
    Response.json({ id: "agent-1", datastore_ids: ["store-1"] }),
  ],
  requests: [
    { method: "POST", url: `${API}/datastores`, body: { name: "teas" } },
    { method: "POST", url: `${API}/datastores/store-1/documents` },
    {
      method: "POST",
      url: `${API}/agents`,
      body: { name: "tea", description: "Knows tea", datastore_ids: ["store-1"] },
    },
  ],
  text: "agent-1",
  data: { agent_id: "agent-1", datastore_id: "store-1", document_ids: ["document-1"] },
  services,
  repeats: false,
});

describe("ContextualAIParseTool", () => {
  it("sends the file as a form, with its settings", async () => {
    const { requests } = await callOf(
      contextualParse(),
      { file_path: "a.pdf", page_range: "0-5", parse_mode: "basic" },
      {
        answers: [
          Response.json(BEGUN),
          Response.json({ status: "processing" }),
          Response.json({ status: "completed" }),
          Response.json(PARSED),
        ],
        variables,
        services,
      },
    );
    expect(requests[0]?.headers["content-type"]).toMatch(/^multipart\/form-data/);
    const body = String(requests[0]?.body);
    for (const part of ['name="raw_file"; filename="a.pdf"', "application/pdf", "0-5", "basic"])
      expect(body).toContain(part);
    expect(requests).toHaveLength(4);
  });

  it("names the failed document, and the missing one", async () => {
    const answers = [Response.json(BEGUN), Response.json({ status: "failed" })];
    const world = { answers, variables, services };
    const failed = await callOf(contextualParse(), { file_path: "a.pdf" }, world);
    expect(failed.failure?.message).toContain(BEGUN.job_id);
    const gone = await callOf(contextualParse(), { file_path: "gone.pdf" }, world);
    expect(gone.failure?.code).toBe("not_found");
  });
});

describe("ContextualAIQueryTool", () => {
  it("waits until the documents of a datastore are ready", async () => {
    let looks = 0;
    const answers = ({ path }: SeenRequest): Response =>
      path.endsWith("/documents")
        ? Response.json({
            documents: [{ id: "d", status: looks++ < 2 ? "processing" : "completed" }],
          })
        : Response.json({ message: { content: "Ninety." } });
    const { text, requests } = await callOf(
      contextualQuery({ agentId: "agent-1" }),
      { query: "How hot?", datastore_id: "store-1" },
      { answers, variables },
    );
    expect(text).toBe("Ninety.");
    expect(requests).toHaveLength(4);
  });
});

describe("ContextualAIRerankTool", () => {
  it("sends no request when the lists do not fit", async () => {
    const { failure, requests } = await callOf(
      contextualRerank(),
      { query: "tea", documents: ["a", "b"], metadata: ["x"] },
      { variables },
    );
    expect(failure?.code).toBe("bad_request");
    expect(requests).toEqual([]);
  });
});

describe("ContextualAICreateAgentTool", () => {
  it("asks a person first, and creates no agent twice, wherever it is cut off", async () => {
    expect(contextualCreateAgent().needsApproval).toBe(true);
    const subjects: SeenRequest[][] = [];
    const { cut } = await cutAfterEveryWrite(() => {
      const input = {
        agent_name: "tea",
        agent_description: "Knows tea",
        datastore_name: "teas",
        document_paths: ["a.pdf", "b.txt"],
      };
      const answers = ({ path }: SeenRequest): Response => Response.json({ id: `id of ${path}` });
      const subject = toolSubject(contextualCreateAgent(), input, { answers, variables, services });
      subjects.push(subject.requests);
      return subject;
    });
    for (const requests of subjects) {
      const paths = requests.map(({ path, body }) => `${path} ${String(body).length}`);
      expect(new Set(paths).size).toBe(paths.length);
    }
    expect(cut.some(({ run }) => JSON.stringify(run.output).includes("id of /v1/agents"))).toBe(
      true,
    );
  });
});
