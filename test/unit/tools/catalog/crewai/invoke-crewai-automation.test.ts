import { expect, it } from "vitest";
import { Agent } from "../../../../../src/agent/description/agent.ts";
import { Crew } from "../../../../../src/crew/crew.ts";
import { Task } from "../../../../../src/crew/tasks/task.ts";
import { invokeCrewaiAutomation } from "../../../../../src/tools/catalog/crewai/invoke-crewai-automation.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { HttpWorld } from "../../../../support/http-app.ts";
import { elsewhere } from "../../../../support/pending-work.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const URL_OF_CREW = "https://crews.example/compat/haiku";
const variables = { CREW_BEARER_TOKEN: "token-0123456789" };

toolContract(invokeCrewaiAutomation, {
  options: { crewApiUrl: URL_OF_CREW },
  input: { prompt: "Write of tea" },
  repeats: false,
  success: [
    Response.json({ kickoff_id: "k1" }),
    Response.json({ state: "RUNNING", status: "running" }),
    Response.json({ state: "SUCCESS", result: "Leaves in the water" }),
  ],
  requests: [
    { method: "POST", url: `${URL_OF_CREW}/kickoff`, body: { inputs: { prompt: "Write of tea" } } },
    { method: "GET", url: `${URL_OF_CREW}/status/k1` },
    { method: "GET", url: `${URL_OF_CREW}/status/k1` },
  ],
  text: "Leaves in the water",
  data: undefined as never,
});

const poet = new Agent({ role: "Poet", goal: "Write", backstory: "Short." });
const haiku = new Crew({
  name: "haiku",
  tasks: [
    new Task({ name: "write", description: "Of {topic}", expectedOutput: "A haiku", agent: poet }),
  ],
});
const options = {
  crewApiUrl: URL_OF_CREW,
  crewName: "Haiku crew",
  crewDescription: "Writes a haiku.",
  crewInputs: { topic: { description: "Of what" }, length: { type: "integer", default: 3 } },
};

/** Edgecrew's own server, which has the crew. */
function server(): {
  readonly answers: (request: SeenRequest) => Promise<Response>;
  readonly http: HttpWorld;
} {
  const http = new HttpWorld({ crews: { haiku }, script: () => "Leaves in the water" });
  const answer = async ({ method, path, body, headers }: SeenRequest): Promise<Response> => {
    const sent = method === "POST" ? { json: body } : {};
    const response = await http.request(path, { method, headers, ...sent });
    await http.clock.advance(1000);
    return response;
  };
  return { http, answers: (request) => elsewhere(answer(request)) };
}

it("has a crew of Edgecrew work, and gives its result (T37)", async () => {
  const tool = invokeCrewaiAutomation(options);
  expect(tool).toMatchObject({
    safeName: "haiku_crew",
    description: "Writes a haiku.",
    needsApproval: true,
  });
  expect(tool.parameters).toMatchObject({ required: ["topic"] });
  const { text, requests, extras, events } = await callOf(
    tool,
    { topic: "tea" },
    { answers: server().answers, variables },
  );
  expect(text).toContain("Leaves in the water");
  expect(extras.untrusted).toEqual(["CrewAI"]);
  expect(requests[0]).toMatchObject({
    method: "POST",
    body: { inputs: { topic: "tea" } },
    headers: { authorization: "Bearer token-0123456789" },
  });
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_job_finished" }));
});

it("starts the crew once, even if the run's process dies (T37)", async () => {
  const servers: HttpWorld[] = [];
  const { cut } = await cutAfterEveryWrite(() => {
    const { answers, http } = server();
    servers.push(http);
    return toolSubject(invokeCrewaiAutomation(options), { topic: "tea" }, { answers, variables });
  });
  for (const { run, calls } of cut) {
    expect(run.status).toBe("completed");
    expect(calls.filter((call) => call.startsWith("POST")).length).toBeLessThanOrEqual(1);
  }
  expect(
    cut.filter(({ run }) => JSON.stringify(run.output).includes("Leaves")).length,
  ).toBeGreaterThan(cut.length / 2);
  for (const http of servers) {
    const { items } = (await http.ask("/runs")).json as never as { items: unknown[] };
    expect(items.length).toBeLessThanOrEqual(1);
  }
});

it("fails with the crew's error, and names an unfinished crew", async () => {
  const call = (state: object, more: object = {}): ReturnType<typeof callOf> =>
    callOf(
      invokeCrewaiAutomation({ crewApiUrl: URL_OF_CREW, ...more }),
      { prompt: "x" },
      { answers: [Response.json({ kickoff_id: "k1" }), Response.json(state)], variables },
    );
  const failed = await call({ state: "FAILED", error: "no model" });
  expect(failed.failure).toMatchObject({ code: "failed", message: /k1: no model/ });
  const late = await call({ state: "PENDING" }, { maxPollingTime: 20 });
  expect(late.failure).toMatchObject({ code: "timeout", message: /k1 in 20 s; GET .*status\/k1/ });
});

it("reads CrewAI's options in snake_case", () => {
  const { tool, warnings } = invokeCrewaiAutomation.entry.make({
    crew_api_url: "crews.example",
    crew_bearer_token: "token-0123456789",
    crew_name: "Report",
    crew_description: "Reports.",
    crew_inputs: { year: "The year" },
  });
  expect(warnings).toEqual([]);
  expect(tool).toMatchObject({
    safeName: "report",
    parameters: { properties: { year: { type: "string", description: "The year" } } },
  });
});
