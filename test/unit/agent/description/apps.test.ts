import { describe, expect, it } from "vitest";
import { Crew } from "../../../../src/crew/crew.ts";
import {
  crewFromDefinition,
  readCrewDefinition,
} from "../../../../src/crew/definition/crew-definition.ts";
import { crewaiPlatformTools } from "../../../../src/tools/catalog/crewai/crewai-platform-tools.ts";
import { NamedTools } from "../../../../src/tools/catalog/tool-catalog.ts";
import { isToolSource } from "../../../../src/tools/tool-source.ts";
import { toolsPart } from "../../../../src/tools/tools-part.ts";
import { calling, scriptedAgent, taskFor } from "../../../support/crew-harness.ts";
import { answering } from "../../../support/tool-world.ts";

const ACTIONS = {
  actions: {
    slack: [
      {
        name: "slack_send",
        description: "Sends a message.",
        parameters: { type: "object", properties: { text: { type: "string" } } },
      },
    ],
  },
};

let tokens = 0;
/** The platform, and a token of its own: lists are kept by token. */
function platform() {
  const { fetch, requests } = answering(({ method }) =>
    Response.json(method === "GET" ? ACTIONS : { ok: true }),
  );
  const variables = { CREWAI_PLATFORM_INTEGRATION_TOKEN: `app-token-${++tokens}` };
  return { requests, services: { variables, network: { fetch } } };
}

const catalog = new NamedTools([crewaiPlatformTools.entry], {});
const partServices = toolsPart({ tools: [], catalogs: [catalog] }).services ?? {};
const apps = partServices.apps?.({} as never) ?? ((): undefined => undefined);

describe("apps of agents", () => {
  it("are tools of the agent when the catalogue has the app", async () => {
    const { agent, model } = scriptedAgent([calling("slack_send", { text: "Tea?" }), "done"], {
      apps: ["slack"],
    });
    const { services, requests } = platform();
    const ask = (names: readonly string[]): ReturnType<typeof crewaiPlatformTools> =>
      crewaiPlatformTools({ apps: [...names], needsApproval: false });
    const crew = new Crew({ tasks: [taskFor(agent)] });
    await crew.kickoff({ services: { ...services, apps: ask } });
    expect(model.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["slack_send"]);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /crewai_plus/api/v1/integrations/actions?apps=slack",
      "POST /crewai_plus/api/v1/integrations/actions/slack_send/execute",
    ]);
  });

  it("are found by the part of tools, and need approval before they act", async () => {
    expect(isToolSource(apps(["slack"]))).toBe(true);
    const { agent } = scriptedAgent([calling("slack_send", { text: "Tea?" }), "done"], {
      apps: ["slack"],
    });
    const { services, requests } = platform();
    const crew = new Crew({ tasks: [taskFor(agent)] });
    await expect(crew.kickoff({ services: { ...services, apps } })).rejects.toThrow(
      /waits for an answer/,
    );
    expect(requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("end the run before a model call when the token is missing", async () => {
    const { agent, model } = scriptedAgent(["done"], { apps: ["slack"] });
    const crew = new Crew({ tasks: [taskFor(agent)] });
    await expect(crew.kickoff({ services: { variables: {}, apps } })).rejects.toThrow(
      /CREWAI_PLATFORM_INTEGRATION_TOKEN/,
    );
    expect(model.calls).toEqual([]);
  });

  it("are not connected by a catalogue without them", () => {
    const none = toolsPart({ tools: [], catalogs: [new NamedTools([], {})] }).services;
    expect(none?.apps?.({} as never)?.(["slack"])).toBeUndefined();
    expect(toolsPart({ tools: [], catalogs: [] }).services).toBeUndefined();
  });
});

describe("apps of definitions", () => {
  const definition = readCrewDefinition({
    agents: { clerk: { role: "Clerk", goal: "g", backstory: "b", apps: ["slack"] } },
    tasks: [{ description: "d", expectedOutput: "e", agent: "clerk" }],
  });

  it("are tools of the catalogue, within its rules", () => {
    const catalogs = [catalog];
    const [clerk] = crewFromDefinition(definition, { catalogs }).agents;
    expect(clerk?.apps).toEqual([]);
    expect(() => crewFromDefinition(definition, { catalogs, fromData: true })).toThrow(
      /"CrewaiPlatformTools" acts outside of the run.*allow/,
    );
    const allowed = new NamedTools([crewaiPlatformTools.entry], { allow: ["CrewaiPlatformTools"] });
    expect(() =>
      crewFromDefinition(definition, { catalogs: [allowed], fromData: true }),
    ).not.toThrow();
  });

  it("stay names when no catalogue has them", () => {
    for (const catalogs of [[], [new NamedTools([], {})]]) {
      const [clerk] = crewFromDefinition(definition, { catalogs }).agents;
      expect(clerk?.apps).toEqual(["slack"]);
    }
  });
});
