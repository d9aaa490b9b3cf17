// Slack's Web API: errors have status 200 too and are reported in the body.
import * as z from "zod";
import { isoTime } from "../../../base/clock.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { CatalogVariable } from "../base/entry.ts";
import type { Message } from "../base/messages.ts";
import type { ToolRequest } from "../base/request.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

export const SLACK_TOKEN = {
  name: "SLACK_BOT_TOKEN",
  description: "the token of a Slack bot, which begins with xoxb-",
  send: { header: "Authorization", prefix: "Bearer " },
  option: "botToken",
} as const satisfies CatalogVariable;

export const SLACK_HOSTS = ["slack.com"];

export const slackOptions = () =>
  z.object({ channelId: z.string().min(1).describe("Id of the channel, such as C0123456789") });

/** Properties of every tool that reads a channel. */
export const SLACK_READ = {
  group: "messages",
  service: "Slack",
  effectClass: "R",
  cache: false,
  options: slackOptions,
  env: [SLACK_TOKEN],
  hosts: SLACK_HOSTS,
} as const;

/** Time in Slack's form, which is also the id of a message: seconds with six decimal digits. */
export const SLACK_TS = /^\d{1,12}\.\d{1,6}$/;

/** Calls a method. Throws a failure with Slack's own code if Slack reports an error. */
export async function askSlack(
  io: ToolIo,
  method: string,
  request: Pick<ToolRequest, "query" | "body">,
): Promise<JsonObject> {
  const { body } = await io.send({ url: `https://slack.com/api/${method}`, ...request });
  if (!isJsonObject(body) || typeof body["ok"] !== "boolean") throw badResponse("Slack");
  if (body["ok"]) return body;
  const { error, needed } = body;
  const code = typeof error === "string" ? error : "failed";
  const scope = typeof needed === "string" ? ` (it needs the scope ${needed})` : "";
  throw serviceFailure({ code, message: `Slack refused: ${code}${scope}.` });
}

const history = () =>
  z.looseObject({
    messages: z.array(
      z.looseObject({
        ts: z.string(),
        thread_ts: z.string().optional(),
        text: z.string().default(""),
        user: z.string().optional(),
        username: z.string().optional(),
        bot_id: z.string().optional(),
      }),
    ),
    response_metadata: z.looseObject({ next_cursor: z.string().optional() }).nullish(),
  });

export type SlackMessage = z.output<ReturnType<typeof history>>["messages"][number];

/** Reads messages of a channel or a thread, page by page up to the requested number. */
export async function messagesOf(
  io: ToolIo,
  method: "conversations.history" | "conversations.replies",
  {
    most,
    ...query
  }: { readonly most: number; readonly [name: string]: string | number | undefined },
): Promise<readonly SlackMessage[]> {
  const messages: SlackMessage[] = [];
  for (let cursor: string | undefined; ;) {
    const limit = Math.min(200, most - messages.length);
    const page = history().safeParse(
      await askSlack(io, method, { query: { ...query, limit, cursor } }),
    );
    if (!page.success) throw badResponse("Slack");
    messages.push(...page.data.messages);
    cursor = page.data.response_metadata?.next_cursor;
    if (!cursor || messages.length >= most) return messages.slice(0, most);
  }
}

export function shownMessage({ ts, text, user, username, bot_id: bot }: SlackMessage): Message {
  const author = user ?? username ?? bot ?? "unknown";
  return { id: ts, time: isoTime(Math.round(Number(ts) * 1000)), author, text };
}

export function byTime(messages: readonly Message[]): readonly Message[] {
  return messages.toSorted((a, b) => Number(a.id) - Number(b.id));
}
