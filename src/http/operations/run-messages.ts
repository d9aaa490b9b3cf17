import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import {
  MESSAGE_ACCEPTED,
  messageBody,
  messageReceiptShape,
  runMessageShape,
  sentMessagesQuery,
  sendRunMessage,
} from "../../parts/run-messages.ts";
import { runIdIn } from "../../parts/started-run.ts";

const shared = { group: "Runs" } as const;

/** `/runs/{id}/messages`: messages to runs under way. Parts with messages of their own replace the first two. */
export function runMessageOperations(
  host: PartHost,
  others: readonly Operation[],
): readonly Operation[] {
  const isFree = ({ method, path }: Operation): boolean =>
    !others.some((other) => other.method === method && other.path === path);
  return [sendMessage(host), listMessages(host), withdrawMessage(host)].filter(isFree);
}

const sendMessage = (host: PartHost) =>
  operation({
    ...shared,
    id: "sendRunMessage",
    sample: { values: { id: "running-run" }, needs: "a run that has not ended" },
    method: "post",
    path: "/runs/{id}/messages",
    scope: "answer",
    summary: "Send a message to a run under way",
    description:
      "The next model call sees it. The same id again sends nothing. A message is no answer to a question of the run.",
    headers: ["Idempotency-Key"],
    body: { name: "SendMessage", schema: messageBody, required: true },
    answers: { 202: MESSAGE_ACCEPTED },
    problems: [400, 404, 409, 413, 415],
    example: { content: "Prices in euros, please.", speaker: { name: "Ana" } },
    handle: async (request) => {
      const { params, body } = request;
      const json = await sendRunMessage(host, request, { runId: runIdIn(params), body });
      return { status: 202, json };
    },
  });

const listMessages = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "listRunMessages",
    sample: { run: { id: "example-run" } },
    method: "get",
    path: "/runs/{id}/messages",
    scope: "read",
    summary: "List the messages sent to a run",
    description: "In the order of their arrival, with their states.",
    query: sentMessagesQuery,
    answers: { 200: { description: "The messages", list: runMessageShape } },
    problems: [404],
    handle: async ({ tenant, params }) => {
      return { status: 200, json: await runs.messages(tenant, runIdIn(params)) };
    },
  });

const withdrawMessage = ({ runs }: PartHost) =>
  operation({
    ...shared,
    id: "withdrawRunMessage",
    sample: { values: { id: "running-run", message: "m1" }, needs: "a pending message" },
    method: "delete",
    path: "/runs/{id}/messages/{message}",
    scope: "answer",
    summary: "Take back a pending message",
    description: "409 once a model call has seen it.",
    answers: { 200: { description: "Its state", shape: messageReceiptShape } },
    problems: [404, 409],
    handle: async ({ tenant, params }) => {
      const json = await runs.withdraw(tenant, runIdIn(params), params["message"] ?? "");
      return { status: 200, json };
    },
  });
