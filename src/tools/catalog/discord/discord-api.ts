// Discord's API, version 10: servers and channels by their names.
import * as z from "zod";
import type { CatalogVariable } from "../base/entry.ts";
import { REQUEST_RETRY } from "../base/request-retry.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

export const DISCORD = "https://discord.com/api/v10";
export const DISCORD_HOSTS = ["discord.com"];

export const DISCORD_TOKEN = {
  name: "DISCORD_BOT_TOKEN",
  description: "the token of a Discord bot",
  send: { header: "Authorization", prefix: "Bot " },
  option: "botToken",
} as const satisfies CatalogVariable;

export const discordOptions = () =>
  z.object({
    guildName: z.string().min(1).describe("Name of the server"),
    channelName: z.string().min(1).describe("Name of the channel"),
  });

const named = () => z.array(z.looseObject({ id: z.string(), name: z.string().default("") }));

/** Returns the id of the channel, recorded as part of the call. */
export function channelOf(
  io: ToolIo,
  { guildName, channelName }: z.output<ReturnType<typeof discordOptions>>,
): Promise<string> {
  const find = async (): Promise<string> => {
    const guild = await idOf(io, `${DISCORD}/users/@me/guilds`, {
      what: "server",
      name: guildName,
    });
    return idOf(io, `${DISCORD}/guilds/${guild}/channels`, {
      what: "channel",
      name: channelName.replace(/^#/, ""),
    });
  };
  return io.context.step("channel", find, { retry: REQUEST_RETRY });
}

async function idOf(
  io: ToolIo,
  url: string,
  { what, name }: { readonly what: string; readonly name: string },
): Promise<string> {
  const { data: all } = named().safeParse((await io.send({ url })).body);
  if (all === undefined) throw badResponse("Discord");
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found.id;
  const names = all.map((each) => each.name).slice(0, 20);
  throw serviceFailure({
    code: "not_found",
    message: `The bot sees no ${what} "${name}"; it sees ${names.join(", ") || "none"}.`,
  });
}
