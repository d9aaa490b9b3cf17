import { describe, expect, it } from "vitest";
import { crewaiPlatformTools } from "../../../../../src/tools/catalog/crewai/crewai-platform-tools.ts";
import { enterpriseAction } from "../../../../../src/tools/catalog/crewai/enterprise-action.ts";
import { callOf, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const BASE = "https://app.crewai.com/crewai_plus/api/v1/integrations/actions";
const ACTIONS = {
  actions: {
    slack: [
      {
        name: "slack_send message",
        description: "Sends a message.",
        parameters: {
          type: "object",
          properties: { channel: { type: "string" }, text: { type: ["string", "null"] } },
          required: ["channel"],
        },
      },
    ],
    gmail: [{ name: "gmail_list", description: null, parameters: null }],
  },
};

let tokens = 0;
function variables(): Record<string, string> {
  return { CREWAI_PLATFORM_INTEGRATION_TOKEN: `platform-token-${++tokens}` };
}

/** The platform, which answers the call with this. */
function platform(answer: () => Response): (request: SeenRequest) => Response {
  return ({ method }) => (method === "GET" ? Response.json(ACTIONS) : answer());
}

describe("actions of CrewAI's platform", () => {
  const source = crewaiPlatformTools({ apps: ["slack/send_message", "gmail"] });

  it("are tools of the agent, called without null arguments", async () => {
    const { requests, data, text } = await callOf(
      source,
      { channel: "#tea", text: null },
      { variables: variables(), answers: platform(() => Response.json({ ok: true, ts: "1" })) },
    );
    expect(requests).toMatchObject([
      { method: "GET", url: `${BASE}?apps=slack%2Fsend_message%2Cgmail` },
      {
        method: "POST",
        url: `${BASE}/slack_send%20message/execute`,
        body: { integration: { channel: "#tea" } },
        headers: { authorization: `Bearer platform-token-${tokens}` },
      },
    ]);
    expect(data).toEqual({ ok: true, ts: "1" });
    expect(text).toContain('"ts": "1"');
  });

  it("are called with a placeholder when they have no arguments", async () => {
    const { requests } = await callOf(
      source,
      {},
      {
        variables: { ...variables(), CREWAI_PLUS_URL: "https://factory.example" },
        answers: platform(() => Response.json([])),
        toolName: "gmail_list",
      },
    );
    expect(requests[1]).toMatchObject({
      url: "https://factory.example/crewai_plus/api/v1/integrations/actions/gmail_list/execute",
      body: { integration: { _noop: true } },
    });
  });

  it.each([
    [422, { error: { message: "channel_not_found" } }, false],
    [503, { error: { message: "busy" } }, true],
  ])("fail with the status %i as the code (T38)", async (status, body, retryable) => {
    const { failure, requests } = await callOf(
      source,
      { channel: "#tea" },
      { variables: variables(), answers: platform(() => Response.json(body, { status })) },
    );
    expect(failure).toMatchObject({ code: String(status), retryable });
    expect(failure?.message).toContain(body.error.message);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

toolContract(enterpriseAction, {
  options: {
    action_name: "slack_send message",
    action_schema: { function: { name: "x", parameters: ACTIONS.actions.slack[0]?.parameters } },
  },
  variables: { CREWAI_PLUS_URL: "https://app.crewai.com" },
  input: { channel: "#tea" },
  success: [Response.json({ ok: true })],
  requests: [{ method: "POST", url: `${BASE}/slack_send%20message/execute` }],
  text: '"ok": true',
  brokenCode: "500",
});

it("shows the arguments of an action's schema", () => {
  const tool = enterpriseAction({
    actionName: "x",
    actionSchema: { parameters: { type: "object", properties: { a: { type: "string" } } } },
    name: "Do x",
  });
  expect(tool).toMatchObject({
    safeName: "do_x",
    parameters: { properties: { a: { type: "string" } } },
    needsApproval: true,
  });
});
