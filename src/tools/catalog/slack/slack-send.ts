import { catalogTool } from "../base/catalog-tool.ts";
import { messageInput, sendPieces } from "../base/messages.ts";
import { badResponse } from "../base/service-failure.ts";
import { askSlack, SLACK_HOSTS, SLACK_TOKEN, slackOptions } from "./slack-api.ts";

/** Writes to a channel of Slack. */
export const slackSend = catalogTool({
  className: "SlackSendTool",
  otherNames: ["slack_send"],
  displayName: "slack_send",
  group: "messages",
  service: "Slack",
  effectClass: "X",
  effect: "idempotent", // its pieces are steps with effect "once"
  description: "Sends a message to a Slack channel.",
  input: messageInput,
  options: slackOptions,
  env: [SLACK_TOKEN],
  hosts: SLACK_HOSTS,
  run: ({ message }, { channelId: channel }, io) =>
    sendPieces(message, {
      most: 39_999,
      io,
      send: async (text) => {
        const { ts } = await askSlack(io, "chat.postMessage", { body: { channel, text } });
        if (typeof ts !== "string") throw badResponse("Slack");
        return ts;
      },
    }),
});
