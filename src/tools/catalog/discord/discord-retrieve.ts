import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { messagesResult, mostOf, retrieveInput, timeOf, type Message } from "../base/messages.ts";
import { badResponse } from "../base/service-failure.ts";
import { channelOf, DISCORD, DISCORD_HOSTS, DISCORD_TOKEN, discordOptions } from "./discord-api.ts";

/** Maximum number of messages in one request. */
const PAGE = 100;
/** Epoch of Discord's ids, in milliseconds since the Unix epoch. An id has 22 bits below its time. */
const EPOCH_MS = 1_420_070_400_000;

const page = () =>
  z.array(
    z.looseObject({
      id: z.string().regex(/^\d+$/),
      timestamp: z.string(),
      content: z.string().default(""),
      author: z.looseObject({
        username: z.string().default("unknown"),
        global_name: z.string().nullish(),
      }),
    }),
  );

/** Reads the messages in a channel of Discord. */
export const discordRetrieve = catalogTool({
  className: "DiscordRetrieveTool",
  otherNames: ["discord_retrieve"],
  displayName: "discord_retrieve",
  group: "messages",
  service: "Discord",
  effectClass: "R",
  cache: false,
  description:
    "Reads the newest messages of a Discord channel, or those since a time or a message.",
  input: retrieveInput,
  options: discordOptions,
  env: [DISCORD_TOKEN],
  hosts: DISCORD_HOSTS,
  run: async (input, options, io) => {
    const since = idSince(input.messages_since);
    const most = mostOf(input);
    const channel = await channelOf(io, options);
    const newestFirst: Message[] = [];
    for (let before: string | undefined; newestFirst.length < most;) {
      const limit = Math.min(PAGE, most - newestFirst.length);
      const { body } = await io.send({
        url: `${DISCORD}/channels/${channel}/messages`,
        query: { limit, before },
      });
      const { data: all } = page().safeParse(body);
      if (all === undefined) throw badResponse("Discord");
      const newer = all.filter(({ id }) => BigInt(id) > since);
      newestFirst.push(...newer.map(shown));
      before = all.at(-1)?.id;
      if (all.length < limit || newer.length < all.length) break;
    }
    return messagesResult(newestFirst.toReversed());
  },
});

function shown({
  id,
  timestamp,
  content,
  author,
}: z.output<ReturnType<typeof page>>[number]): Message {
  const time = Number.isFinite(Date.parse(timestamp))
    ? new Date(Date.parse(timestamp)).toISOString()
    : timestamp;
  return { id, time, author: author.global_name ?? author.username, text: content };
}

/** Returns the id below all later messages. */
function idSince(since: string | undefined): bigint {
  if (since === undefined) return 0n;
  if (/^\d{15,20}$/.test(since)) return BigInt(since);
  return BigInt(Math.max(0, Math.floor(timeOf(since)) - EPOCH_MS)) << 22n;
}
