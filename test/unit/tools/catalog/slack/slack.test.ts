// Answers have the shape of Slack's documentation (docs.slack.dev: chat.postMessage, conversations.history, conversations.replies,
// incoming webhooks), cut short.
import { describe, expect, it } from "vitest";
import { slackPost } from "../../../../../src/tools/catalog/slack/slack-post.ts";
import { slackRetrieve } from "../../../../../src/tools/catalog/slack/slack-retrieve.ts";
import { slackRetrieveReplies } from "../../../../../src/tools/catalog/slack/slack-retrieve-replies.ts";
import { slackSend } from "../../../../../src/tools/catalog/slack/slack-send.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { SLACK_BOT_TOKEN: "xoxb-0123456789" };
const options = { channelId: "C1" };
const SENT = { ok: true, channel: "C1", ts: "1768471200.000100", message: { text: "Tea" } };

toolContract(slackSend, {
  options: { channel_id: "C1" },
  input: { message: "Tea is ready." },
  success: [Response.json(SENT)],
  requests: [
    {
      method: "POST",
      url: "https://slack.com/api/chat.postMessage",
      body: { channel: "C1", text: "Tea is ready." },
    },
  ],
  text: "Sent as message 1768471200.000100.",
  data: { ids: ["1768471200.000100"] },
  repeats: false,
});

it("fails with Slack's own code, though Slack answers 200 (AG8)", async () => {
  const { failure, requests } = await callOf(
    slackSend(options),
    { message: "x" },
    { answers: [Response.json({ ok: false, error: "channel_not_found" })], variables },
  );
  expect(failure).toMatchObject({
    code: "channel_not_found",
    message: "Slack refused: channel_not_found.",
    retryable: false,
  });
  expect(requests).toHaveLength(1);
  const scoped = await callOf(
    slackSend(options),
    { message: "x" },
    {
      answers: [Response.json({ ok: false, error: "missing_scope", needed: "chat:write" })],
      variables,
    },
  );
  expect(scoped.failure?.message).toBe(
    "Slack refused: missing_scope (it needs the scope chat:write).",
  );
});

it("sends 39 999 characters at once, and more in pieces", async () => {
  const { requests } = await callOf(
    slackSend(options),
    { message: "x".repeat(40_000) },
    { answers: [Response.json(SENT)], variables },
  );
  const lengths = requests.map(({ body }) => (body as { readonly text: string }).text.length);
  expect(lengths).toEqual([39_999, 1]);
  expect(requests[0]?.headers["authorization"]).toBe("Bearer xoxb-0123456789");
});

it("asks a person first, and refuses an empty message", async () => {
  expect(slackSend(options).needsApproval).toBe(true);
  const { failure, requests } = await callOf(slackSend(options), { message: " \n" }, { variables });
  expect(failure?.code).toBe("bad_request");
  expect(requests).toEqual([]);
  expect(() => slackSend({})).toThrow("SlackSendTool.channelId");
});

const history = (...texts: readonly string[]): object => ({
  ok: true,
  messages: texts.map((text) => ({ type: "message", user: "U1", text, ts: `${text}.000100` })),
  has_more: false,
});

describe("reading", () => {
  toolContract(slackRetrieve, {
    options,
    input: { maximum_messages: 2 },
    success: [Response.json(history("1768471260", "1768471200"))],
    requests: [
      { method: "GET", url: "https://slack.com/api/conversations.history?channel=C1&limit=2" },
    ],
    text: "[2026-01-15T10:00:00.000Z] U1 (1768471200.000100): 1768471200\n[2026-01-15T10:01:00.000Z] U1",
    data: { messages: [{ id: "1768471200.000100" }, { id: "1768471260.000100" }], count: 2 },
  });

  it.each([
    ["2026-01-15T10:00:00Z", "1768471200"],
    ["1768471200.000100", "1768471200.000100"],
  ])("since %s requests messages newer than %s", async (since, oldest) => {
    const { requests } = await callOf(
      slackRetrieve(options),
      { messages_since: since },
      { answers: [Response.json(history())], variables },
    );
    expect(requests[0]?.path).toBe(
      `/api/conversations.history?channel=C1&oldest=${oldest}&limit=200`,
    );
  });

  it("reads pages until it has enough", async () => {
    const page = (cursor: string, ...texts: readonly string[]): Response =>
      Response.json({ ...history(...texts), response_metadata: { next_cursor: cursor } });
    const { requests, data } = await callOf(
      slackRetrieve(options),
      { maximum_messages: 3 },
      { answers: [page("next", "30", "20"), page("more", "10")], variables },
    );
    expect(requests.map(({ path }) => path)).toEqual([
      "/api/conversations.history?channel=C1&limit=3",
      "/api/conversations.history?channel=C1&limit=1&cursor=next",
    ]);
    expect(data).toMatchObject({
      count: 3,
      messages: [{ text: "10" }, { text: "20" }, { text: "30" }],
    });
  });
});

describe("replies", () => {
  const parent = {
    type: "message",
    user: "U0",
    text: "Tea?",
    ts: "100.000100",
    thread_ts: "100.000100",
  };
  const reply = {
    type: "message",
    user: "U1",
    text: "Yes",
    ts: "110.000100",
    thread_ts: "100.000100",
  };
  const after = { type: "message", user: "U2", text: "Cake", ts: "120.000100" };
  const THREAD = { ok: true, messages: [parent, reply], has_more: false };
  const CHANNEL = { ok: true, messages: [after, reply], has_more: false };
  const input = { message_ts: "100.000100" };

  toolContract(slackRetrieveReplies, {
    options,
    input,
    success: [Response.json(THREAD), Response.json(CHANNEL)],
    requests: [
      {
        url: "https://slack.com/api/conversations.replies?channel=C1&ts=100.000100&limit=200",
      },
      {
        url: "https://slack.com/api/conversations.history?channel=C1&oldest=100.000100&limit=200",
      },
    ],
    text: "U1 (110.000100): Yes",
    data: {
      messages: [{ text: "Yes" }, { text: "Cake" }],
      count: 2,
      thread_replies: 1,
      channel_messages: 1,
    },
  });

  /** Slack, where the reply is there when it is looked for the third time. */
  function slowly(): (request: SeenRequest) => Response {
    let looks = 0;
    return () => Response.json(++looks < 3 ? { ok: true, messages: [parent] } : THREAD);
  }
  const waiting = { ...input, min_replies: 1, include_channel_messages: false };

  it("are waited for, with durable timers in between", async () => {
    const { requests, data } = await callOf(slackRetrieveReplies(options), waiting, {
      answers: slowly(),
      variables,
    });
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 5000, 10_000]);
    expect(data).toMatchObject({ count: 1, thread_replies: 1 });
  });

  it("are the present ones at the end of the time", async () => {
    const { requests, data } = await callOf(
      slackRetrieveReplies(options),
      { ...waiting, min_replies: 5, timeout_seconds: 12 },
      { answers: [Response.json(THREAD)], variables },
    );
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 5000, 10_000]);
    expect(data).toMatchObject({ count: 1 });
  });

  it("are polled at most 61 times, for any timeout", async () => {
    const { requests } = await callOf(
      slackRetrieveReplies(options),
      { ...waiting, min_replies: 5, timeout_seconds: 86_400 },
      { answers: [Response.json(THREAD)], variables },
    );
    expect(requests.length).toBeLessThanOrEqual(61);
  });

  it("are the same wherever the process dies", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() =>
      toolSubject(slackRetrieveReplies(options), waiting, {
        answers: ({ atMs }) =>
          Response.json(atMs < 10_000 ? { ok: true, messages: [parent] } : THREAD),
        variables,
      }),
    );
    for (const { run } of cut) expect(run.output).toEqual(whole.run.output);
  });
});

describe("a post", () => {
  const SLACK_WEBHOOK_URL = "https://hooks.slack.com/services/T0/B0/sk-live-0123456789abcdef";
  toolContract(slackPost, {
    input: { text: "Tea is ready." },
    variables: { SLACK_WEBHOOK_URL },
    success: [new Response("ok")],
    requests: [{ method: "POST", url: SLACK_WEBHOOK_URL, body: { text: "Tea is ready." } }],
    text: "Posted.",
  });

  it("goes only to Slack, for any value of the variable", async () => {
    for (const [url, code] of [
      ["https://evil.example/services/T0", "refused"],
      ["hooks.slack.com", "unauthorized"],
    ] as const) {
      const { failure, requests } = await callOf(
        slackPost(),
        { text: "x" },
        { variables: { SLACK_WEBHOOK_URL: url } },
      );
      expect(failure?.code).toBe(code);
      expect(requests).toEqual([]);
    }
  });

  it("reports Slack's reason for a failure", async () => {
    const { failure } = await callOf(
      slackPost(),
      { text: "x" },
      {
        answers: [new Response("channel_is_archived", { status: 410 })],
        variables: { SLACK_WEBHOOK_URL },
      },
    );
    expect(failure?.message).toBe("Slack has nothing there: channel_is_archived");
  });
});
