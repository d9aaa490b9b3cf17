export { telegramRetrieve } from "./telegram-retrieve.ts";
export { telegramSend } from "./telegram-send.ts";
