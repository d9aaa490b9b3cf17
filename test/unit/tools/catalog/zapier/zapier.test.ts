import { expect, it } from "vitest";
import { zapierAction } from "../../../../../src/tools/catalog/zapier/zapier-action.ts";
import { zapierActionTools } from "../../../../../src/tools/catalog/zapier/zapier-action-tools.ts";
import { callOf, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const ACTIONS = "https://actions.zapier.com/api/v2/ai-actions";
const RESULTS = {
  results: [
    {
      id: "01A",
      action_type: "write",
      description: "Gmail: Send Email",
      params: { To: { description: "Who gets it" }, Body: "str" },
      meta: { action_label: "Gmail: Send Email" },
    },
    { id: "01B", description: "Find a row", params: {}, meta: { action_label: "Find Row" } },
  ],
};

let keys = 0;
const variables = (): Record<string, string> => ({ ZAPIER_API_KEY: `zapier-key-${++keys}` });
const answers = ({ method }: SeenRequest): Response =>
  method === "GET"
    ? Response.json(RESULTS)
    : Response.json({ status: "success", result: { id: 1 } });

toolContract(zapierAction, {
  options: { action_id: "01A" },
  input: { instructions: "Write to Ann", To: "ann@example.com" },
  success: [Response.json({ status: "success", result: { id: 1 } })],
  requests: [
    {
      method: "POST",
      url: `${ACTIONS}/01A/execute/`,
      body: {
        instructions: "Write to Ann",
        params: { To: { value: "ann@example.com", mode: "guess" } },
      },
    },
  ],
  text: '"status": "success"',
});

it("makes tools of the exposed actions, or of the listed ones", async () => {
  const { requests } = await callOf(
    zapierActionTools(),
    { instructions: "Write to Ann", Body: "Tea?" },
    { answers, variables: variables(), toolName: "gmail_send_email" },
  );
  expect(requests.map(({ url }) => url)).toEqual([ACTIONS, `${ACTIONS}/01A/execute/`]);
  expect(requests[1]?.body).toMatchObject({ params: { Body: { value: "Tea?", mode: "guess" } } });
  const some = await callOf(
    zapierActionTools({ actionList: ["find_row"] }),
    { instructions: "Find it" },
    { answers, variables: variables() },
  );
  expect(some.requests[1]?.url).toBe(`${ACTIONS}/01B/execute/`);
});

it("names MCP when Zapier's actions have ended", async () => {
  await expect(
    callOf(
      zapierActionTools(),
      {},
      {
        answers: [new Response("gone", { status: 410 })],
        variables: variables(),
      },
    ),
  ).rejects.toThrow(/name its MCP server in `mcps`/);
});

it("fails when the action did", async () => {
  const { failure } = await callOf(
    zapierAction({ actionId: "01A" }),
    { instructions: "x" },
    {
      answers: [Response.json({ status: "error", error: "not connected" })],
      variables: variables(),
    },
  );
  expect(failure).toMatchObject({ code: "failed", message: /not connected/ });
});
