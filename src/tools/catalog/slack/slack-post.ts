import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { serviceFailure } from "../base/service-failure.ts";

const WEBHOOK_URL = {
  name: "SLACK_WEBHOOK_URL",
  description: "the address of an incoming webhook of Slack, which is a secret",
  option: "webhookUrl",
} as const satisfies CatalogVariable;

const HOSTS = ["hooks.slack.com", "hooks.slack-gov.com"];

/** Posts to the channel of an incoming webhook of Slack. */
export const slackPost = httpTool({
  className: "SlackPostTool",
  otherNames: ["slack_post"],
  displayName: "slack_post",
  group: "messages",
  service: "Slack",
  effectClass: "X",
  description: "Posts a message to the team's Slack channel.",
  input: () =>
    z.object({ text: z.string().min(1).max(39_999).describe("The text, in Slack's markup") }),
  options: () => z.object({}),
  takes: { message: "text" },
  env: [WEBHOOK_URL],
  hosts: HOSTS,
  request: (body, _, io) => {
    const url = io.value(WEBHOOK_URL.name) ?? "";
    if (!URL.canParse(url))
      throw serviceFailure({
        code: "unauthorized",
        message: `${WEBHOOK_URL.name} is no address of an incoming webhook.`,
      });
    return { url, body, expects: "text" };
  },
  answer: () => z.literal("ok"),
  result: () => "Posted.",
});
