import { expect, it } from "vitest";
import { composioTool } from "../../../../../src/tools/catalog/composio/composio-tool.ts";
import { callOf, type SeenRequest } from "../../../../support/tool-world.ts";

const API = "https://backend.composio.dev/api/v3/tools";
const STAR = {
  slug: "GITHUB_STAR_A_REPOSITORY",
  name: "Star a repository",
  description: "Stars it.",
  input_parameters: {
    type: "object",
    properties: { owner: { type: "string" }, repo: { type: "string" } },
    required: ["owner", "repo"],
  },
};
const input = { owner: "a", repo: "b" };

let keys = 0;
const variables = (): Record<string, string> => ({ COMPOSIO_API_KEY: `composio-key-${++keys}` });
const composio =
  (executed: object) =>
  ({ method, path }: SeenRequest): Response => {
    if (method === "POST") return Response.json(executed);
    return Response.json(path.includes("?") ? { items: [STAR] } : STAR);
  };
const done = { successful: true, data: { starred: true }, error: null, log_id: "l" };

it("makes a tool of an action, and performs it for a user", async () => {
  const { requests, data } = await callOf(
    composioTool({ action: "GITHUB_STAR_A_REPOSITORY", userId: "ann" }),
    input,
    { answers: composio(done), variables: variables() },
  );
  expect(requests).toMatchObject([
    { url: `${API}/GITHUB_STAR_A_REPOSITORY`, headers: { "x-api-key": `composio-key-${keys}` } },
    {
      method: "POST",
      url: `${API}/execute/GITHUB_STAR_A_REPOSITORY`,
      body: { user_id: "ann", arguments: input },
    },
  ]);
  expect(data).toEqual({ starred: true });
});

it("makes tools of the actions of apps", async () => {
  const { requests } = await callOf(
    composioTool({ apps: ["GITHUB"], tags: ["important"] }),
    input,
    { answers: composio(done), variables: variables(), toolName: "github_star_a_repository" },
  );
  expect(requests[0]?.url).toBe(`${API}?toolkit_slug=github&tags=important&limit=100`);
});

it("fails as the action does", async () => {
  const { failure } = await callOf(composioTool({ action: "X" }), input, {
    answers: composio({ successful: false, data: {}, error: "no connected account" }),
    variables: variables(),
  });
  expect(failure).toMatchObject({ code: "failed", message: /no connected account/ });
});

it("ends the run without a named action, and for an unknown action", async () => {
  await expect(callOf(composioTool(), {}, { variables: variables() })).rejects.toThrow(
    /none of the actions and apps/,
  );
  await expect(
    callOf(
      composioTool({ action: "X" }),
      {},
      {
        answers: [new Response("no", { status: 404 })],
        variables: variables(),
      },
    ),
  ).rejects.toThrow(/Composio has nothing there/);
});
