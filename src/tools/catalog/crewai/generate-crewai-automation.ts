import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { httpsAddress } from "../base/https-address.ts";
import { CREWAI_PLUS_URL, plusUrl } from "./crewai-platform.ts";

/** Has CrewAI's studio create a project from a description. */
export const generateCrewaiAutomation = httpTool({
  className: "GenerateCrewaiAutomationTool",
  displayName: "Generate CrewAI Automation",
  group: "automation",
  service: "CrewAI",
  effectClass: "X",
  description: "Has CrewAI Studio make an automation of a description, and gives its address.",
  input: () =>
    z.object({
      prompt: z.string().min(1).describe("What the automation is to do"),
      organization_id: z.string().optional().describe("The organization that it is made in"),
    }),
  options: () => z.object({}),
  fixable: ["organization_id"],
  env: [
    {
      name: "CREWAI_PERSONAL_ACCESS_TOKEN",
      description: "a personal access token of CrewAI",
      send: { header: "Authorization", prefix: "Bearer " },
      option: "personalAccessToken",
    },
    CREWAI_PLUS_URL,
  ],
  hosts: (_, valueOf) => [httpsAddress(plusUrl(valueOf)).host],
  timeoutMs: 60_000,
  request: ({ prompt, organization_id: organization }, _, io) => ({
    url: `${plusUrl((name) => io.value(name))}/crewai_plus/api/v1/studio`,
    headers: { "X-Crewai-Organization-Id": organization },
    body: { prompt },
  }),
  answer: () => z.looseObject({ url: z.string() }),
  result: ({ url }) => `Generated CrewAI Studio project URL: ${url}`,
});
