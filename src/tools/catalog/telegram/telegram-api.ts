// Telegram's Bot API: the token is part of the address.
import * as z from "zod";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { badResponse } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

export const TELEGRAM_TOKEN = {
  name: "TELEGRAM_BOT_TOKEN",
  description: "the token of a Telegram bot",
  option: "botToken",
} as const satisfies CatalogVariable;

export const TELEGRAM_HOSTS = ["api.telegram.org"];

export const telegramOptions = () =>
  z.object({
    chatId: z.union([z.string().min(1), z.int()]).describe("Id of the chat, or @name of a channel"),
  });

/** Calls a method of the bot. */
export async function askTelegram(io: ToolIo, method: string, body: object): Promise<JsonValue> {
  const token = io.value(TELEGRAM_TOKEN.name) ?? "";
  const answer = await io.send({ url: `https://api.telegram.org/bot${token}/${method}`, body });
  if (!isJsonObject(answer.body) || answer.body["ok"] !== true) throw badResponse("Telegram");
  return answer.body["result"] ?? null;
}
