import { expect, it } from "vitest";
import { generateCrewaiAutomation } from "../../../../../src/tools/catalog/crewai/generate-crewai-automation.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const URL_OF_PROJECT = "https://app.crewai.com/studio/v2/42";

toolContract(generateCrewaiAutomation, {
  variables: { CREWAI_PLUS_URL: "https://app.crewai.com" },
  input: { prompt: "A crew that writes of tea" },
  success: [Response.json({ url: URL_OF_PROJECT })],
  requests: [
    {
      method: "POST",
      url: "https://app.crewai.com/crewai_plus/api/v1/studio",
      body: { prompt: "A crew that writes of tea" },
    },
  ],
  text: `Generated CrewAI Studio project URL: ${URL_OF_PROJECT}`,
});

it("asks another address, for an organization", async () => {
  const { requests } = await callOf(
    generateCrewaiAutomation({ organizationId: "org-1" }),
    { prompt: "x" },
    {
      answers: [Response.json({ url: URL_OF_PROJECT })],
      variables: {
        CREWAI_PERSONAL_ACCESS_TOKEN: "pat-0123456789",
        CREWAI_PLUS_URL: "https://crewai.example/",
      },
    },
  );
  expect(requests[0]).toMatchObject({
    url: "https://crewai.example/crewai_plus/api/v1/studio",
    headers: { "x-crewai-organization-id": "org-1", authorization: "Bearer pat-0123456789" },
  });
});
