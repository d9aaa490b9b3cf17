import * as z from "zod";
import { badResponse } from "../base/service-failure.ts";
import { serviceTools } from "../base/service-tools.ts";
import { actionsUrl, executeAction, PLATFORM } from "./crewai-platform.ts";

const answer = z.looseObject({
  actions: z.record(
    z.string(),
    z.array(
      z.looseObject({
        name: z.string().min(1),
        description: z.string().nullish(),
        parameters: z.record(z.string(), z.json()).nullish(),
      }),
    ),
  ),
});

/** Actions of apps connected to an account of CrewAI, one tool each. */
export const crewaiPlatformTools = serviceTools({
  ...PLATFORM,
  className: "CrewaiPlatformTools",
  otherNames: ["CrewaiEnterpriseTools"],
  displayName: "CrewAI platform tools",
  description: "The actions of connected apps, such as of Gmail, Slack or Google Drive.",
  options: () => z.object({ apps: z.array(z.string().min(1)).min(1) }),
  list: async ({ apps }, io) => {
    const { body } = await io.send({
      url: actionsUrl(io),
      query: { apps: apps.join(",") },
      timeoutMs: 30_000,
    });
    const { data } = answer.safeParse(body);
    if (data === undefined) throw badResponse("CrewAI");
    return Object.values(data.actions).flatMap((actions) =>
      actions.map(({ name, description, parameters }) => ({
        name: name.toLowerCase().replaceAll(" ", "_"),
        description: description ?? `Performs ${name}.`,
        parameters: parameters ?? { type: "object" },
        about: { action: name },
      })),
    );
  },
  call: ({ offered: { about = {} }, input }, io) =>
    executeAction(io, { name: about["action"] ?? "", input }),
});
