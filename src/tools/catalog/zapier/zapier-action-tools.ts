import * as z from "zod";
import { isJsonObject } from "../../../base/json.ts";
import { badResponse } from "../base/service-failure.ts";
import { serviceTools } from "../base/service-tools.ts";
import { executeZapierAction, INSTRUCTIONS, ZAPIER, zapierActions } from "./zapier-actions.ts";

const answer = z.looseObject({
  results: z.array(
    z.looseObject({
      id: z.string(),
      description: z.string().nullish(),
      params: z.record(z.string(), z.json()).nullish(),
      meta: z.looseObject({ action_label: z.string().nullish() }).nullish(),
    }),
  ),
});

/** Actions opened to assistants by a user of Zapier, one tool each. */
export const zapierActionTools = serviceTools({
  ...ZAPIER,
  className: "ZapierActionTools",
  displayName: "Zapier actions",
  description: "The actions of apps that are connected to Zapier.",
  options: () => z.object({ actionList: z.array(z.string()).optional() }),
  list: async ({ actionList }, io) => {
    const { data } = answer.safeParse(await zapierActions(io));
    if (data === undefined) throw badResponse("Zapier");
    const offered = data.results.map(({ id, description, params, meta }) => ({
      name: (meta?.action_label ?? description ?? id)
        .toLowerCase()
        .replaceAll(" ", "_")
        .replaceAll(":", ""),
      description: description ?? "",
      parameters: {
        type: "object",
        properties: {
          instructions: INSTRUCTIONS,
          ...Object.fromEntries(
            Object.entries(params ?? {}).map(([name, about]) => [name, textSchema(about)]),
          ),
        },
        required: ["instructions"],
      },
      about: { id },
    }));
    return actionList === undefined
      ? offered
      : offered.filter(({ name }) => actionList.includes(name));
  },
  call: ({ offered: { about = {} }, input }, io) =>
    executeZapierAction(io, { id: about["id"] ?? "", input }),
});

function textSchema(about: unknown): { type: string; description?: string } {
  const { description } = isJsonObject(about) ? about : {};
  return { type: "string", ...(typeof description === "string" ? { description } : undefined) };
}
