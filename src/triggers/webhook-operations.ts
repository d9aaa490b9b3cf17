import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { operation, type Operation } from "../parts/operation.ts";
import { time } from "../parts/shapes.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Webhooks } from "./webhooks.ts";
import { webhookFields, pageQuery, putWebhookBody, triggerName } from "./schemas.ts";
import { shapeOf } from "../parts/shape.ts";
import type { WebhookView } from "./webhooks.ts";

export const hookShape = shapeOf<WebhookView>()("Hook", () =>
  z.strictObject({
    ...webhookFields.shape,
    name: z.string(),
    source: z.enum(["code", "stored"]),
    path: z.string().describe("The path that the sender delivers to"),
    previousSecretUntil: time().optional().describe("Until then, the previous secret is valid too"),
    createdAt: time().optional(),
    updatedAt: time().optional(),
  }),
);

const shared = { group: "Webhooks" } as const;

type Stores = { readonly webhooks: Webhooks; readonly deliveries: Deliveries };

/** `/hooks`. */
export function webhookOperations(
  webhooks: Webhooks,
  deliveries: Deliveries,
): readonly Operation[] {
  const stores = { webhooks, deliveries };
  return [listHooks(stores), putHook(stores), getHook(stores), deleteHook(stores)];
}

const listHooks = ({ webhooks }: Stores) =>
  operation({
    ...shared,
    id: "listHooks",
    method: "get",
    path: "/hooks",
    scope: "read",
    summary: "List webhooks that start runs",
    query: pageQuery,
    answers: {
      200: { description: "A page of webhooks, without secrets", list: hookShape },
    },
    problems: [400],
    handle: async ({ tenant, query }) => ({
      status: 200,
      json: await webhooks.list(tenant, query),
    }),
  });

const putHook = ({ webhooks }: Stores) =>
  operation({
    ...shared,
    id: "putHook",
    sample: { values: { name: "my-hook" } },
    method: "put",
    path: "/hooks/{name}",
    pathParams: z.object({ name: triggerName }),
    scope: "admin",
    summary: "Store a webhook that starts runs",
    description:
      "Needs the Worker's secret `EDGECREW_SECRETS_KEY`, which encrypts stored secrets. With `keepPreviousSeconds`, the previous secret stays valid for that time.",
    body: { name: "PutHook", schema: putWebhookBody, required: true },
    answers: {
      200: { description: "Replaced", shape: hookShape },
      201: { description: "Stored", shape: hookShape, headers: ["Location"] },
    },
    problems: [400, 409, 413, 415, 503],
    example: ({ kind, name, inputs }) => ({
      scheme: "github",
      secret: "a secret shared with GitHub",
      target: { kind, name },
      inputs: Object.fromEntries(Object.keys(inputs).map((input) => [input, "/issue/title"])),
    }),
    handle: async ({ tenant, params, body }) => {
      const name = params["name"] ?? "";
      if (!triggerName.safeParse(name).success)
        throw new EngineError(
          "invalid_input",
          `a webhook's name must be 1 to 40 letters, digits, "-" and "_", got ${preview(name)}`,
        );
      const { isNew, view } = await webhooks.put(tenant, name, body);
      return isNew
        ? { status: 201, json: view, headers: { location: `/hooks/${name}` } }
        : { status: 200, json: view };
    },
  });

const getHook = ({ webhooks }: Stores) =>
  operation({
    ...shared,
    id: "getHook",
    sample: { after: [{ operation: "putHook" }], values: { name: "my-hook" } },
    method: "get",
    path: "/hooks/{name}",
    scope: "read",
    summary: "Show a webhook",
    answers: { 200: { description: "The webhook, without its secrets", shape: hookShape } },
    problems: [404],
    handle: async ({ tenant, params }) => ({
      status: 200,
      json: await webhooks.get(tenant, params["name"] ?? ""),
    }),
  });

const deleteHook = ({ webhooks, deliveries }: Stores) =>
  operation({
    ...shared,
    id: "deleteHook",
    sample: { after: [{ operation: "putHook" }], values: { name: "my-hook" } },
    method: "delete",
    path: "/hooks/{name}",
    scope: "admin",
    summary: "Delete a webhook",
    description: "Its past deliveries are deleted, too.",
    answers: { 204: { description: "Deleted" } },
    problems: [404, 409],
    handle: async ({ tenant, params }) => {
      const hook = params["name"] ?? "";
      await webhooks.delete(tenant, hook);
      await deliveries.deleteOf({ tenant, hook });
      return { status: 204 };
    },
  });
