export { discordRetrieve } from "./discord-retrieve.ts";
export { discordSend } from "./discord-send.ts";
