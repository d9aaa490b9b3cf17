import * as z from "zod";
import { badResponse, serviceFailure, wordsOf } from "../base/service-failure.ts";
import { serviceTools, type OfferedTool } from "../base/service-tools.ts";

const API = "https://backend.composio.dev/api/v3/tools";
/** Maximum number of tools of one app; models take 128 in all. */
const MAX_TOOLS = 100;

const described = z.looseObject({
  slug: z.string().min(1),
  description: z.string().nullish(),
  input_parameters: z.record(z.string(), z.json()).nullish(),
});
const executed = z.looseObject({
  successful: z.boolean(),
  data: z.json().optional(),
  error: z.json().optional(),
});

/** Actions of apps connected to Composio, one tool each. */
export const composioTool = serviceTools({
  className: "ComposioTool",
  displayName: "Composio",
  group: "automation",
  service: "Composio",
  effectClass: "X",
  untrusted: true,
  description: "The actions of apps that are connected to Composio.",
  options: () =>
    z.object({
      action: z.string().min(1).optional(),
      apps: z.array(z.string().min(1)).default([]),
      tags: z.array(z.string()).default([]),
      userId: z.string().min(1).default("default"),
      connectedAccountId: z.string().optional(),
    }),
  env: [
    {
      name: "COMPOSIO_API_KEY",
      description: "the key of composio.dev",
      send: { header: "x-api-key" },
      option: "apiKey",
    },
  ],
  hosts: ["backend.composio.dev"],
  timeoutMs: 60_000,
  list: async ({ action, apps, tags }, io) => {
    const offered: OfferedTool[] = [];
    if (action !== undefined) {
      const { body } = await io.send({ url: `${API}/${encodeURIComponent(action)}` });
      const { data } = described.safeParse(body);
      if (data === undefined) throw badResponse("Composio");
      offered.push(offeredOf(data));
    }
    for (const app of apps) {
      const { body } = await io.send({
        url: API,
        query: {
          toolkit_slug: app.toLowerCase(),
          tags: tags.join(",") || undefined,
          limit: MAX_TOOLS,
        },
      });
      const { data } = z.looseObject({ items: z.array(described) }).safeParse(body);
      if (data === undefined) throw badResponse("Composio");
      offered.push(...data.items.map(offeredOf));
    }
    if (offered.length > 0) return offered;
    throw serviceFailure({
      code: "not_found",
      message: "Composio has none of the actions and apps that are named.",
    });
  },
  call: async ({ offered: { about = {} }, input, options }, io) => {
    const { userId: user_id, connectedAccountId: connected_account_id } = options;
    const { body } = await io.send({
      url: `${API}/execute/${encodeURIComponent(about["slug"] ?? "")}`,
      body: { user_id, connected_account_id, arguments: input },
    });
    const { data } = executed.safeParse(body);
    if (data === undefined) throw badResponse("Composio");
    if (data.successful) return data.data ?? null;
    throw serviceFailure({
      code: "failed",
      message: `Composio could not perform the action: ${wordsOf(data.error ?? "").slice(0, 500) || "it did not say why"}`,
    });
  },
});

function offeredOf({
  slug,
  description,
  input_parameters,
}: z.output<typeof described>): OfferedTool {
  return {
    name: slug.toLowerCase(),
    description: description ?? "",
    parameters: input_parameters ?? { type: "object" },
    about: { slug },
  };
}
