import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { messageInput, sendPieces } from "../base/messages.ts";
import { badResponse } from "../base/service-failure.ts";
import { channelOf, DISCORD, DISCORD_HOSTS, DISCORD_TOKEN, discordOptions } from "./discord-api.ts";

/** Writes to a channel of Discord. */
export const discordSend = catalogTool({
  className: "DiscordSendTool",
  otherNames: ["discord_send"],
  displayName: "discord_send",
  group: "messages",
  service: "Discord",
  effectClass: "X",
  effect: "idempotent", // its pieces are steps with effect "once"
  description: "Sends a message to a Discord channel.",
  input: messageInput,
  options: discordOptions,
  env: [DISCORD_TOKEN],
  hosts: DISCORD_HOSTS,
  run: async ({ message }, options, io) => {
    const channel = await channelOf(io, options);
    return sendPieces(message, {
      most: 2000,
      io,
      send: async (content) => {
        const { body } = await io.send({
          url: `${DISCORD}/channels/${channel}/messages`,
          // Prevents a model from notifying everyone with @everyone.
          body: { content, allowed_mentions: { parse: ["users"] } },
        });
        const { data } = z.looseObject({ id: z.string() }).safeParse(body);
        if (data === undefined) throw badResponse("Discord");
        return data.id;
      },
    });
  },
});
