// Actions opened to assistants by a user of Zapier.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

const ZAPIER_KEY = {
  name: "ZAPIER_API_KEY",
  description: "the key of Zapier's AI actions",
  send: { header: "x-api-key" },
  option: "zapierApiKey",
} as const satisfies CatalogVariable;

export const ZAPIER = {
  group: "automation",
  service: "Zapier",
  effectClass: "X",
  untrusted: true,
  env: [ZAPIER_KEY],
  hosts: ["actions.zapier.com"],
} as const;

const ACTIONS = "https://actions.zapier.com/api/v2/ai-actions";

/** Requests the actions. If the service is gone, the failure refers to MCP. */
export async function zapierActions(io: ToolIo): Promise<JsonValue> {
  try {
    return (await io.send({ url: ACTIONS })).body;
  } catch (error) {
    if (!isServiceFailure(error) || error.failureCode !== "not_found") throw error;
    throw serviceFailure({
      code: "not_found",
      message:
        "Zapier has no actions at this address any more: name its MCP server in `mcps` instead, such as https://mcp.zapier.com/api/mcp/mcp.",
    });
  }
}

/** Has Zapier perform an action. Zapier may complete the arguments from the instructions. */
export async function executeZapierAction(
  io: ToolIo,
  { id, input }: { readonly id: string; readonly input: JsonObject },
): Promise<JsonValue> {
  const { instructions = "Perform this action with these parameters", ...rest } = input;
  const params = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      value === null ? [] : [[name, { value, mode: "guess" }]],
    ),
  );
  const { body } = await io.send({
    url: `${ACTIONS}/${encodeURIComponent(id)}/execute/`,
    body: { instructions, params },
  });
  const { status, error } = isJsonObject(body) ? body : {};
  if (status === "error" || (typeof error === "string" && error !== ""))
    throw serviceFailure({
      code: "failed",
      message: `Zapier could not perform the action: ${typeof error === "string" ? error.slice(0, 500) : "it did not say why"}`,
    });
  return body;
}

/** Argument of every action. */
export const INSTRUCTIONS: JsonObject = {
  type: "string",
  description: "What the action is to do, in words",
};
