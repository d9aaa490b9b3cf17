// Deliveries of webhooks over HTTP: received, listed, tried.
import * as z from "zod";
import { operation, type Operation } from "../parts/operation.ts";
import { time } from "../parts/shapes.ts";
import { DELIVERY_OUTCOMES } from "./delivery-store.ts";
import type { Deliveries } from "./deliveries.ts";
import { deliveriesQuery, deliveryQuery, testWebhookBody } from "./schemas.ts";
import {
  receive,
  type OpenWebhook,
  type Receipt,
  type ReceiverPorts,
  DELIVERED,
  type DeliveryAnswer,
} from "./webhook-receiver.ts";
import { signedRequest, testedStages } from "./webhook-test.ts";
import { CODE_TENANT, type Webhooks } from "./webhooks.ts";
import { shapeOf } from "../parts/shape.ts";
import { hookTestShape } from "./triggered-run.ts";
import type { DeliveryView, DeliveryDetails } from "./deliveries.ts";

const delivery = () => ({
  id: z.string(),
  at: time(),
  outcome: z.enum(DELIVERY_OUTCOMES),
  status: z.number().describe("Of the answer"),
  runId: z.string().optional(),
  event: z.string().optional().describe("The event's type, if a header names it"),
  reason: z.string().optional().describe("Reason of a refusal or failure"),
  bytes: z.number(),
  unsigned: z
    .literal(true)
    .optional()
    .describe("True for a row of all unsigned deliveries of a minute with this reason"),
  count: z.number().describe("Number of deliveries in this row"),
});

export const deliveryShape = shapeOf<DeliveryView>()("Delivery", () => z.strictObject(delivery()));

export const deliveryDetailsShape = shapeOf<DeliveryDetails>()("DeliveryDetails", () =>
  z.strictObject({
    ...delivery(),
    body: z.string().optional().describe("Body, if the webhook has `keepBodies`"),
    truncated: z.number().optional().describe("Original length of a cut body, in bytes"),
  }),
);

const shared = { group: "Webhooks" } as const;

const sample = { after: [{ operation: "putHook" }], values: { name: "my-hook" } } as const;

/** `/hooks/:name` and below it, for senders and for readers of the delivery log. */
export function deliveryOperations(
  webhooks: Webhooks,
  deliveries: Deliveries,
  options: { readonly ports: () => ReceiverPorts; readonly randomId: () => string },
): readonly Operation[] {
  const context = deliveryContextOf(webhooks, deliveries, options);
  return [deliverHook(context), listDeliveries(context), getDelivery(context), testHook(context)];
}

type DeliveryContext = ReturnType<typeof deliveryContextOf>;

function deliveryContextOf(
  webhooks: Webhooks,
  deliveries: Deliveries,
  { ports, randomId }: { readonly ports: () => ReceiverPorts; readonly randomId: () => string },
) {
  async function received(
    request: Request,
    webhook: OpenWebhook,
    receipt: Receipt,
  ): Promise<DeliveryAnswer> {
    try {
      const answer = await receive(request, webhook, { ...ports(), receipt });
      deliveries.note(webhook, receipt);
      return answer;
    } catch (error) {
      deliveries.note(webhook, receipt, error);
      throw error;
    }
  }

  return { ports, randomId, webhooks, deliveries, received };
}

const deliverHook = ({ webhooks, received }: DeliveryContext) =>
  operation({
    ...shared,
    id: "deliverHook",
    sample: { ...sample, needs: "the sender's signature in a header" },
    method: "post",
    path: "/hooks/{name}",
    scope: "none",
    summary: "Deliver an event",
    description:
      "For the sender. Needs a valid signature and no key. A repeated delivery answers with the run that the first one started. GitHub's ping and Slack's challenge are answered without a run. Slack always gets 200.",
    query: deliveryQuery,
    answers: DELIVERED,
    problems: [400, 401, 409, 413, 503],
    handle: async ({ params, query, raw }) => {
      const webhook = await webhooks.open(query.tenant ?? CODE_TENANT, params["name"] ?? "");
      return received(raw, webhook, { stage: "signature" });
    },
  });

const listDeliveries = ({ webhooks, deliveries }: DeliveryContext) =>
  operation({
    ...shared,
    id: "listDeliveries",
    sample,
    method: "get",
    path: "/hooks/{name}/deliveries",
    scope: "read",
    summary: "List deliveries of a webhook",
    description:
      "Newest first: the newest 100 of the last 30 days. Deliveries with a wrong signature share a row per reason and minute, with their `count`.",
    query: deliveriesQuery,
    answers: { 200: { description: "A page of deliveries", list: deliveryShape } },
    problems: [400, 404],
    handle: async ({ tenant, params: { name = "" }, query }) => {
      await webhooks.get(tenant, name);
      return { status: 200, json: await deliveries.list({ tenant, hook: name }, query) };
    },
  });

const getDelivery = ({ webhooks, deliveries }: DeliveryContext) =>
  operation({
    ...shared,
    id: "getDelivery",
    sample: { ...sample, needs: "a delivery, by its id" },
    method: "get",
    path: "/hooks/{name}/deliveries/{id}",
    scope: "admin",
    summary: "Show a delivery of a webhook",
    description: "With its body, if the webhook has `keepBodies`.",
    answers: { 200: { description: "The delivery", shape: deliveryDetailsShape } },
    problems: [404],
    handle: async ({ tenant, params: { name = "", id = "" } }) => {
      await webhooks.get(tenant, name);
      return { status: 200, json: await deliveries.get({ tenant, hook: name }, id) };
    },
  });

const testHook = ({ ports, randomId, webhooks, received }: DeliveryContext) =>
  operation({
    ...shared,
    id: "testHook",
    sample,
    method: "post",
    path: "/hooks/{name}/test",
    scope: "admin",
    summary: "Test a webhook",
    description:
      "Signs the payload like the sender and delivers it, which starts a run. Returns 200 with the result of each stage; stages after a failed one are absent.",
    body: { name: "TestHook", schema: testWebhookBody, required: true },
    answers: { 200: { description: "Results by stage", shape: hookTestShape } },
    problems: [400, 404, 413, 415, 503],
    example: { payload: { issue: { title: "It rains" } } },
    handle: async ({ tenant, params: { name = "" }, body }) => {
      await webhooks.get(tenant, name);
      const webhook = await webhooks.open(tenant, name);
      const { nowMs } = ports();
      const id = `test-${randomId()}`;
      const { request, signing } = await signedRequest(webhook, { ...body, nowMs, id });
      const receipt: Receipt = { stage: "signature" };
      try {
        await received(request, webhook, receipt);
        return { status: 200, json: testedStages(receipt, { signing }) };
      } catch (error) {
        return { status: 200, json: testedStages(receipt, { signing, error }) };
      }
    },
  });
