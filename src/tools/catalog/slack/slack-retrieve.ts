import { catalogTool } from "../base/catalog-tool.ts";
import { messagesResult, mostOf, retrieveInput, timeOf } from "../base/messages.ts";
import { byTime, messagesOf, SLACK_TS, shownMessage, SLACK_READ } from "./slack-api.ts";

/** Reads the messages in a channel of Slack. */
export const slackRetrieve = catalogTool({
  ...SLACK_READ,
  className: "SlackRetrieveTool",
  otherNames: ["slack_retrieve"],
  displayName: "slack_retrieve",
  description: "Reads the newest messages of a Slack channel, or those since a time or a message.",
  input: retrieveInput,
  run: async (input, { channelId: channel }, io) => {
    const { messages_since: since } = input;
    const messages = await messagesOf(io, "conversations.history", {
      channel,
      oldest: since === undefined || SLACK_TS.test(since) ? since : String(timeOf(since) / 1000),
      most: mostOf(input),
    });
    return messagesResult(byTime(messages.map(shownMessage)));
  },
});
