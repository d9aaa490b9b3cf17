// Answers have the shape of Telegram's documentation (core.telegram.org/bots/api: sendMessage, getUpdates), cut short.
import { expect, it } from "vitest";
import { telegramRetrieve } from "../../../../../src/tools/catalog/telegram/telegram-retrieve.ts";
import { telegramSend } from "../../../../../src/tools/catalog/telegram/telegram-send.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const TOKEN = "123456:ABC-0123456789";
const variables = { TELEGRAM_BOT_TOKEN: TOKEN };
const options = { chatId: "42" };
const SENT = {
  ok: true,
  result: { message_id: 7, date: 1_768_471_200, chat: { id: 42 }, text: "Tea" },
};

toolContract(telegramSend, {
  options: { chat_id: 42 },
  input: { message: "Tea is ready." },
  success: [Response.json(SENT)],
  requests: [
    {
      method: "POST",
      url: "https://api.telegram.org/botsk-live-0123456789abcdef/sendMessage",
      body: { chat_id: 42, text: "Tea is ready." },
    },
  ],
  text: "Sent as message 7.",
  data: { ids: ["7"] },
  repeats: false,
});

it("sends 4096 characters at once", async () => {
  const { requests, text } = await callOf(
    telegramSend(options),
    { message: "x".repeat(5000) },
    { answers: [Response.json(SENT)], variables },
  );
  const lengths = requests.map(({ body }) => (body as { readonly text: string }).text.length);
  expect(lengths).toEqual([4096, 904]);
  expect(text).toBe("Sent in 2 pieces, the first as message 7.");
});

it("keeps its token, part of the address, out of messages", async () => {
  const { failure, everything } = await callOf(
    telegramSend(options),
    { message: "x" },
    {
      answers: ({ url }) =>
        Response.json(
          { ok: false, error_code: 401, description: `Unauthorized: ${url}` },
          { status: 401 },
        ),
      variables,
    },
  );
  expect(failure?.message).toBe(
    "Telegram refused the key in TELEGRAM_BOT_TOKEN: Unauthorized: https://api.telegram.org/bot***/sendMessage",
  );
  expect(everything).not.toContain(TOKEN);
});

const message = (id: number, chat: object, text?: string): object => ({
  message_id: id,
  date: 1_768_471_200 + id,
  chat,
  from: { id: 1, first_name: "Anna", username: "anna" },
  ...(text === undefined ? { photo: [] } : { text }),
});
const here = { id: 42, type: "private" };
const UPDATES = {
  ok: true,
  result: [
    { update_id: 1, message: message(1, here, "one") },
    { update_id: 2, message: message(2, { id: 43, username: "other" }, "elsewhere") },
    { update_id: 3, channel_post: message(3, { id: -100, username: "tea", title: "Tea" }, "post") },
    { update_id: 4, edited_message: message(4, here, "edited") },
    { update_id: 5, message: message(5, here, "two") },
  ],
};

toolContract(telegramRetrieve, {
  options,
  input: {},
  success: [Response.json(UPDATES)],
  requests: [{ url: "https://api.telegram.org/botsk-live-0123456789abcdef/getUpdates" }],
  text: "[2026-01-15T10:00:01.000Z] anna (1): one\n[2026-01-15T10:00:05.000Z] anna (5): two",
  data: {
    messages: [
      { id: "1", text: "one" },
      { id: "5", text: "two" },
    ],
    count: 2,
  },
});

it.each([
  [{ chatId: "@tea" }, {}, ["post"]],
  [options, { messages_since: "1" }, ["two"]],
  [options, { messages_since: "2026-01-15T10:00:02Z" }, ["two"]],
  [options, { maximum_messages: 1 }, ["two"]],
])("of %j with %j gives %j", async (chat, input, expected) => {
  const { data } = await callOf(telegramRetrieve(chat), input, {
    answers: [Response.json(UPDATES)],
    variables,
  });
  const { messages } = data as { messages: readonly { text: string }[] };
  expect(messages.map(({ text }) => text)).toEqual(expected);
});
