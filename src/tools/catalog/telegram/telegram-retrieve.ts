import * as z from "zod";
import { isoTime } from "../../../base/clock.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { messagesResult, mostOf, retrieveInput, timeOf } from "../base/messages.ts";
import { badResponse } from "../base/service-failure.ts";
import { askTelegram, TELEGRAM_HOSTS, TELEGRAM_TOKEN, telegramOptions } from "./telegram-api.ts";

const person = () =>
  z.looseObject({ username: z.string().optional(), first_name: z.string().optional() }).optional();

const message = () =>
  z
    .looseObject({
      message_id: z.int(),
      date: z.int(),
      chat: z.looseObject({
        id: z.int(),
        username: z.string().optional(),
        title: z.string().optional(),
      }),
      from: person(),
      text: z.string().optional(),
      caption: z.string().optional(),
    })
    .optional();

const updates = () => z.array(z.looseObject({ message: message(), channel_post: message() }));

/** Reads the latest messages to a bot in a chat of Telegram. */
export const telegramRetrieve = catalogTool({
  className: "TelegramRetrieveTool",
  otherNames: ["telegram_retrieve"],
  displayName: "telegram_retrieve",
  group: "messages",
  service: "Telegram",
  effectClass: "R",
  cache: false,
  description:
    "Reads what a bot has been written in a Telegram chat in the last day, or since a time or a message; at most 100 messages.",
  input: retrieveInput,
  options: telegramOptions,
  env: [TELEGRAM_TOKEN],
  hosts: TELEGRAM_HOSTS,
  run: async (input, { chatId }, io) => {
    const { messages_since: since = "0" } = input;
    const isId = /^\d+$/.test(since);
    const sinceMs = isId ? 0 : timeOf(since);
    const { data: all } = updates().safeParse(
      await askTelegram(io, "getUpdates", {
        limit: 100,
        allowed_updates: ["message", "channel_post"],
      }),
    );
    if (all === undefined) throw badResponse("Telegram");
    const wanted = String(chatId);
    const messages = all.flatMap(({ message: own, channel_post: post }) => {
      const each = own ?? post;
      if (each === undefined) return [];
      const { message_id: id, date, chat, from, text = each.caption ?? "" } = each;
      const isHere = String(chat.id) === wanted || `@${chat.username}` === wanted;
      const isNew = isId ? id > Number(since) : date * 1000 >= sinceMs;
      if (!isHere || !isNew) return [];
      const author = from?.username ?? from?.first_name ?? chat.title ?? "unknown";
      return [{ id: String(id), time: isoTime(date * 1000), author, text }];
    });
    return messagesResult(messages.slice(-mostOf(input)));
  },
});
