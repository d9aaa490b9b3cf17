import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { messageInput, sendPieces } from "../base/messages.ts";
import { badResponse } from "../base/service-failure.ts";
import { askTelegram, TELEGRAM_HOSTS, TELEGRAM_TOKEN, telegramOptions } from "./telegram-api.ts";

/** Writes to a chat of Telegram, as a bot. */
export const telegramSend = catalogTool({
  className: "TelegramSendTool",
  otherNames: ["telegram_send"],
  displayName: "telegram_send",
  group: "messages",
  service: "Telegram",
  effectClass: "X",
  effect: "idempotent", // its pieces are steps with effect "once"
  description: "Sends a message to a Telegram chat.",
  input: messageInput,
  options: telegramOptions,
  env: [TELEGRAM_TOKEN],
  hosts: TELEGRAM_HOSTS,
  run: ({ message }, { chatId }, io) =>
    sendPieces(message, {
      most: 4096,
      io,
      send: async (text) => {
        const sent = await askTelegram(io, "sendMessage", { chat_id: chatId, text });
        const { data } = z.looseObject({ message_id: z.int() }).safeParse(sent);
        if (data === undefined) throw badResponse("Telegram");
        return String(data.message_id);
      },
    }),
});
