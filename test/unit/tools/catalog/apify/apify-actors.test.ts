import { expect, it } from "vitest";
import { apifyActors } from "../../../../../src/tools/catalog/apify/apify-actors.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { openSqlStore } from "../../../../support/run-stores.ts";
import { RunWorld } from "../../../../support/run-world.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";

const API = "https://api.apify.com/v2";
const BUILD = {
  data: {
    id: "b1",
    actorDefinition: {
      name: "rag-web-browser",
      input: {
        title: "Input",
        schemaVersion: 1,
        properties: {
          query: { type: "string", editor: "textfield", description: "What to look for" },
          maxResults: { type: "integer", default: 3, sectionCaption: "More" },
        },
        required: ["query"],
      },
    },
  },
};
const ITEMS = [{ url: "https://tea.example", text: "Tea" }];

const runAt = (status: string): object => ({
  data: {
    id: "r1",
    status,
    defaultDatasetId: "d1",
    usageTotalUsd: 0.002,
    statusMessage: "so it is",
  },
});

let tokens = 0;
const variables = (): Record<string, string> => ({ APIFY_API_TOKEN: `apify-token-${++tokens}` });

/** The service: the run has ended when it is asked about the second time, unless another end is named. */
function apify(end = "SUCCEEDED", build: object | null = BUILD) {
  let asked = 0;
  return ({ method, path }: SeenRequest): Response => {
    if (path.includes("/builds/"))
      return build === null ? new Response("", { status: 404 }) : Response.json(build);
    if (path.includes("/datasets/")) return Response.json(ITEMS);
    if (method === "POST") return Response.json(runAt("READY"), { status: 201 });
    return Response.json(runAt(++asked < 2 ? "RUNNING" : end));
  };
}

const actor = apifyActors({ actorName: "apify/rag-web-browser" });
const input = { run_input: { query: "tea" } };

it("runs an actor and returns its data set, with its cost", async () => {
  const { requests, data, extras, events } = await callOf(actor, input, {
    answers: apify(),
    variables: variables(),
    toolName: "apify_actor_apify_rag_web_browser",
  });
  expect(requests).toMatchObject([
    { method: "GET", url: `${API}/acts/apify~rag-web-browser/builds/default` },
    { method: "POST", url: `${API}/acts/apify~rag-web-browser/runs`, body: { query: "tea" } },
    { method: "GET", url: `${API}/actor-runs/r1` },
    { method: "GET", url: `${API}/actor-runs/r1` },
    { method: "GET", url: `${API}/datasets/d1/items?clean=true&limit=100` },
  ]);
  expect(requests[1]?.headers).toMatchObject({ authorization: `Bearer apify-token-${tokens}` });
  expect(data).toEqual(ITEMS);
  expect(extras).toMatchObject({ usd: 0.002, untrusted: ["Apify"] });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool_job_finished", jobId: "r1", polls: 2 }),
  );
});

it("shows a model the actor's input schema, when it is readable", async () => {
  const shown = async (build: object | null): Promise<unknown> => {
    const { failure } = await callOf(
      actor,
      {},
      { answers: apify("SUCCEEDED", build), variables: variables() },
    );
    return failure?.message;
  };
  expect(await shown(BUILD)).toMatch(/run_input/);
  const wrong = await callOf(
    actor,
    { run_input: {} },
    { answers: apify(), variables: variables() },
  );
  expect(wrong.failure).toMatchObject({ code: "invalid_input", message: /query/ });
  const any = await callOf(
    actor,
    { run_input: { whatever: 1 } },
    { answers: apify("SUCCEEDED", null), variables: variables() },
  );
  expect(any.failure).toBeUndefined();
});

it("fails as the run of the actor does", async () => {
  const { failure } = await callOf(actor, input, {
    answers: apify("FAILED"),
    variables: variables(),
  });
  expect(failure).toMatchObject({ code: "failed", message: /r1: so it is/ });
});

it("runs an actor once, even if the run's process dies", async () => {
  const { cut } = await cutAfterEveryWrite(() =>
    toolSubject(actor, input, { answers: apify(), variables: variables() }),
  );
  for (const { run, calls } of cut) {
    expect(run.status).toBe("completed");
    expect(calls.filter((call) => call.endsWith("/runs")).length).toBeLessThanOrEqual(1);
  }
  // One whose id came to no record, and that nobody could ask for, is aborted at the end.
  const aborted = cut.filter(({ calls }) => calls.some((call) => call.endsWith("/abort")));
  expect(aborted.length).toBeGreaterThan(0);
  for (const { run } of aborted) expect(JSON.stringify(run.output)).toContain("outcome_unknown");
});

it("aborts the actor when its run is cancelled (T33)", async () => {
  const subject = toolSubject(actor, input, { answers: apify(), variables: variables() });
  const world = new RunWorld(subject.program.run, {
    fixture: openSqlStore(),
    services: subject.services ?? {},
  });
  await world.begin();
  await world.host.cancel();
  await world.rest();
  await world.clock.settle();
  expect(subject.requests.at(-1)).toMatchObject({
    method: "POST",
    url: `${API}/actor-runs/r1/abort`,
    headers: { authorization: `Bearer apify-token-${tokens}` },
  });
});

it("refuses an invalid name", () => {
  expect(() => apifyActors({ actorName: "../users/me" })).toThrow(/actorName/);
});
