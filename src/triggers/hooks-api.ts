import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { operation, type Operation, type OperationAnswer } from "../parts/operation.ts";
import { time } from "../parts/shapes.ts";
import { CODE_TENANT, type Hooks } from "./hooks.ts";
import type { OpenHook } from "./hook-receiver.ts";
import { deliveryQuery, hookFields, pageQuery, putWebhookBody, triggerName } from "./schemas.ts";

export const hookShapes = () => ({
  Hook: z.strictObject({
    ...hookFields.shape,
    name: z.string(),
    source: z.enum(["code", "stored"]),
    path: z.string().describe("Where the sender delivers to"),
    previousSecretUntil: time().optional().describe("While the secret before is good as well"),
    createdAt: time().optional(),
    updatedAt: time().optional(),
  }),
});

/** `/hooks`. */
export function hookOperations(
  hooks: Hooks,
  receive: (request: Request, hook: OpenHook) => Promise<OperationAnswer>,
): readonly Operation[] {
  const shared = { group: "Hooks" } as const;
  return [
    operation({
      ...shared,
      id: "listHooks",
      method: "get",
      path: "/hooks",
      scope: "read",
      summary: "List webhooks that start runs",
      query: pageQuery,
      answers: {
        200: { description: "A page of hooks, without secrets", shape: "Hook", list: true },
      },
      problems: [400],
      handle: async ({ tenant, query }) => ({ status: 200, json: await hooks.list(tenant, query) }),
    }),
    operation({
      ...shared,
      id: "putHook",
      method: "put",
      path: "/hooks/{name}",
      scope: "admin",
      summary: "Store a webhook that starts runs",
      description:
        "Needs the Worker's secret `EDGECREW_SECRETS_KEY`, with which secrets are kept encrypted. With `keepPreviousSeconds` the secret before stays good for a while.",
      body: { name: "PutHook", schema: putWebhookBody, required: true },
      answers: {
        200: { description: "Replaced", shape: "Hook" },
        201: { description: "Stored", shape: "Hook" },
      },
      problems: [400, 409, 413, 415, 503],
      example: {
        scheme: "github",
        secret: "a secret shared with GitHub",
        target: { kind: "crew", name: "briefing" },
        inputs: { topic: "/issue/title" },
      },
      handle: async ({ tenant, params, body }) => {
        const name = params["name"] ?? "";
        if (!triggerName.safeParse(name).success)
          throw new EngineError(
            "invalid_input",
            `a hook's name may have up to 40 letters, digits, "-" and "_", got ${preview(name)}`,
          );
        const { isNew, view } = await hooks.put(tenant, name, body);
        return isNew
          ? { status: 201, json: view, headers: { location: `/hooks/${name}` } }
          : { status: 200, json: view };
      },
    }),
    operation({
      ...shared,
      id: "getHook",
      method: "get",
      path: "/hooks/{name}",
      scope: "read",
      summary: "Show a webhook",
      answers: { 200: { description: "The hook, without its secrets", shape: "Hook" } },
      problems: [404],
      handle: async ({ tenant, params }) => ({
        status: 200,
        json: await hooks.get(tenant, params["name"] ?? ""),
      }),
    }),
    operation({
      ...shared,
      id: "deleteHook",
      method: "delete",
      path: "/hooks/{name}",
      scope: "admin",
      summary: "Delete a webhook",
      answers: { 204: { description: "Deleted" } },
      problems: [404, 409],
      handle: async ({ tenant, params }) => {
        await hooks.delete(tenant, params["name"] ?? "");
        return { status: 204 };
      },
    }),
    operation({
      ...shared,
      id: "deliverHook",
      method: "post",
      path: "/hooks/{name}",
      scope: "none",
      summary: "Deliver an event",
      description:
        "For the sender: needs no key, but its signature. An event that is delivered again answers the run that it started. GitHub's ping and Slack's challenge are answered without a run; Slack is always answered 200.",
      query: deliveryQuery,
      answers: {
        202: { description: "Started, or found by the delivery's id", shape: "TriggeredRun" },
        200: { description: "A handshake, or a delivery of Slack" },
      },
      problems: [400, 401, 404, 413, 503],
      handle: async ({ params, query, raw }) =>
        receive(raw, await hooks.open(query.tenant ?? CODE_TENANT, params["name"] ?? "")),
    }),
  ];
}
