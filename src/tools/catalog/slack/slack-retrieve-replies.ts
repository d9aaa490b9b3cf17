import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { messagesResult, type Message } from "../base/messages.ts";
import { REQUEST_RETRY } from "../base/request-retry.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { byTime, messagesOf, SLACK_TS, shownMessage, SLACK_READ } from "./slack-api.ts";

/** Maximum number of polls in one call, which limits its record. */
const MOST_LOOKS = 60;
const MOST_MESSAGES = 1000;

type Replies = { readonly thread: readonly Message[]; readonly channel: readonly Message[] };

/** Reads the replies to a message in Slack, and waits for them on request. */
export const slackRetrieveReplies = catalogTool({
  ...SLACK_READ,
  className: "SlackRetrieveRepliesTool",
  otherNames: ["slack_retrieve_replies"],
  displayName: "slack_retrieve_replies",
  description:
    "Reads the replies to a message in a Slack channel: in its thread, and what was written after it. Can wait for some.",
  input: () =>
    z.object({
      message_ts: z
        .string()
        .regex(SLACK_TS)
        .describe("Id of the message, such as 1700000000.000100"),
      min_replies: z.int().min(1).optional().describe("Waits until there are so many"),
      timeout_seconds: z.int().min(1).max(86_400).default(60),
      poll_interval: z.int().min(1).max(3600).default(5).describe("Seconds between two looks"),
      include_channel_messages: z.boolean().default(true),
    }),
  run: async (input, { channelId: channel }, io) => {
    const { message_ts: ts, min_replies: wanted, timeout_seconds: timeoutS } = input;
    const everyS = Math.max(input.poll_interval, Math.ceil(timeoutS / MOST_LOOKS));
    const look = (): Promise<Replies> =>
      repliesTo(io, { channel, ts, hasChannel: input.include_channel_messages });
    if (wanted === undefined) return shown(await look());
    for (let looks = 1; ; looks++) {
      const replies = await io.context.step(`look:${looks}`, look, { retry: REQUEST_RETRY });
      const isLast = looks * everyS > timeoutS;
      if (isLast || replies.thread.length + replies.channel.length >= wanted) return shown(replies);
      await io.context.sleep(`pause:${looks}`, everyS * 1000);
    }
  },
});

async function repliesTo(
  io: ToolIo,
  { channel, ts, hasChannel }: { channel: string; ts: string; hasChannel: boolean },
): Promise<Replies> {
  const thread = await messagesOf(io, "conversations.replies", {
    channel,
    ts,
    most: MOST_MESSAGES,
  });
  const after = hasChannel
    ? await messagesOf(io, "conversations.history", { channel, oldest: ts, most: MOST_MESSAGES })
    : [];
  const isOther = (each: { readonly ts: string }): boolean => each.ts !== ts;
  return {
    thread: byTime(thread.filter(isOther).map(shownMessage)),
    channel: byTime(
      after.filter((each) => isOther(each) && each.thread_ts !== ts).map(shownMessage),
    ),
  };
}

function shown({ thread, channel }: Replies): unknown {
  return messagesResult([...thread, ...channel], {
    thread_replies: thread.length,
    channel_messages: channel.length,
  });
}
