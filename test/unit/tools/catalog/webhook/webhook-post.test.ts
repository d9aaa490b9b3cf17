import { Webhook } from "standardwebhooks";
import { afterEach, expect, it, vi } from "vitest";
import { webhookPost } from "../../../../../src/tools/catalog/webhook/webhook-post.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const secret = "a long and random text";
const variables = { WEBHOOK_SECRET: secret };
const url = "https://hooks.example/tea?team=1";
const input = { body: { order: 7, sorts: ["green"] } };

toolContract(webhookPost, {
  options: { url },
  input,
  success: [new Response("thanks")],
  requests: [{ method: "POST", url, body: input.body }],
  text: "Delivered (200). It answered:\nthanks",
  data: { status: 200 },
  isText: true,
});

afterEach(() => {
  vi.useRealTimers();
});

it("signs its requests in the form of Standard Webhooks", async () => {
  const { requests, text } = await callOf(webhookPost({ url }), input, {
    answers: [new Response(null, { status: 204 })],
    variables,
  });
  expect(text).toBe("Delivered (204).");
  const [{ headers, body }] = requests as [SeenRequest];
  expect(headers["content-type"]).toBe("application/json");
  vi.useFakeTimers({ toFake: ["Date"], now: Number(headers["webhook-timestamp"]) * 1000 });
  const receiver = new Webhook(secret, { format: "raw" });
  expect(receiver.verify(JSON.stringify(body), { ...headers })).toEqual(input.body);
  expect(() => receiver.verify('{"order":8}', { ...headers })).toThrow("No matching signature");
});

it("has one id on all attempts, by which receivers drop repeats", async () => {
  const { requests } = await callOf(webhookPost({ url }), input, {
    answers: [new Response("busy", { status: 503 }), new Response("ok")],
    variables,
  });
  const ids = requests.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(2);
  expect(ids[0]).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(1);
});

it("is posted again after a crash, with the same id", async () => {
  const subjects: ReturnType<typeof toolSubject>[] = [];
  const { cut } = await cutAfterEveryWrite(() => {
    const subject = toolSubject(webhookPost({ url }), input, {
      answers: [new Response("ok")],
      variables,
    });
    subjects.push(subject);
    return subject;
  });
  expect(subjects.some(({ requests }) => requests.length === 2)).toBe(true);
  for (const { requests } of subjects)
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const { run } of cut) expect(run.output).toMatchObject({ data: { status: 200 } });
});

it("refuses a weak secret, and an invalid address", async () => {
  const { failure, requests } = await callOf(webhookPost({ url }), input, {
    variables: { WEBHOOK_SECRET: "short" },
  });
  expect(failure).toMatchObject({
    code: "unauthorized",
    message: "WEBHOOK_SECRET must have at least 16 bytes, got 5.",
  });
  expect(requests).toEqual([]);
  expect(() => webhookPost({ url: "ftp://hooks.example" })).toThrow("WebhookPostTool.url");
  expect(webhookPost({ url }).needsApproval).toBe(true);
  expect(webhookPost.entry.hostOptions).toEqual(["url"]);
});
