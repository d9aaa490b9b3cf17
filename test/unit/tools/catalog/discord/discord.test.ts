// Answers have the shape of Discord's documentation (discord.com/developers/docs: user, guild, channel, message), cut short.
import { describe, expect, it } from "vitest";
import { discordRetrieve } from "../../../../../src/tools/catalog/discord/discord-retrieve.ts";
import { discordSend } from "../../../../../src/tools/catalog/discord/discord-send.ts";
import { cutAfterEveryResult, cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { DISCORD_BOT_TOKEN: "bot-0123456789" };
const options = { guildName: "Tea house", channelName: "general" };
const GUILDS = [
  { id: "10", name: "Other" },
  { id: "11", name: "Tea house", owner: false },
];
const CHANNELS = [
  { id: "20", type: 4, name: "Text" },
  { id: "21", type: 0, name: "general" },
];
const message = (id: string, content: string): object => ({
  id,
  channel_id: "21",
  type: 0,
  content,
  timestamp: "2026-01-15T10:00:00.123000+00:00",
  author: { id: "1", username: "leaf", global_name: "A. Leaf" },
});

/** Discord, with the messages of a channel. */
function service(post: (content: string) => Response = () => Response.json(message("900", ""))) {
  return ({ method, path, body }: SeenRequest): Response => {
    if (path.endsWith("/users/@me/guilds")) return Response.json(GUILDS);
    if (path.endsWith("/guilds/11/channels")) return Response.json(CHANNELS);
    if (method === "POST") return post((body as { readonly content: string }).content);
    return Response.json({ message: "404: Not Found", code: 0 }, { status: 404 });
  };
}

toolContract(discordSend, {
  options: { guild_name: "Tea house", channel_name: "#general" },
  input: { message: "Tea is ready." },
  success: [
    Response.json(GUILDS),
    Response.json(CHANNELS),
    Response.json(message("900", "Tea is ready.")),
  ],
  requests: [
    { method: "GET", url: "https://discord.com/api/v10/users/@me/guilds" },
    { method: "GET", url: "https://discord.com/api/v10/guilds/11/channels" },
    {
      method: "POST",
      url: "https://discord.com/api/v10/channels/21/messages",
      body: { content: "Tea is ready.", allowed_mentions: { parse: ["users"] } },
    },
  ],
  text: "Sent as message 900.",
  data: { ids: ["900"] },
  repeats: true, // looking a channel up does no harm
});

describe("a long message", () => {
  // 4500 characters: lines of nine, and their ends.
  const text = Array.from({ length: 450 }, (_, index) => `line ${index + 1000}`).join("\n");
  const long = { message: `${text}.` };
  let ids = 900;
  const make = () =>
    toolSubject(discordSend(options), long, {
      answers: service(() => Response.json(message(String(ids++ % 3), ""))),
      variables,
    });
  const posts = (requests: readonly SeenRequest[]): string[] =>
    requests.flatMap(({ method, body }) =>
      method === "POST" ? [(body as { readonly content: string }).content] : [],
    );

  it("goes in pieces of at most 2000 characters, in order (T45)", async () => {
    expect(long.message).toHaveLength(4500);
    const { requests } = await callOf(discordSend(options), long, {
      answers: service(),
      variables,
    });
    const sent = posts(requests);
    expect(sent.map(({ length }) => length <= 2000)).toEqual([true, true, true]);
    expect(sent.join("\n")).toBe(long.message);
  });

  it("PCE2: sends each piece once, when the process dies after any of them (T45)", async () => {
    const subjects: ReturnType<typeof make>[] = [];
    const { whole, cut } = await cutAfterEveryResult(() => {
      ids = 900;
      const subject = make();
      subjects.push(subject);
      return subject;
    });
    expect(cut.length).toBeGreaterThan(4);
    for (const { run } of cut) expect(run.output).toEqual(whole.run.output);
    for (const { requests } of subjects.slice(1, -1)) {
      const sent = posts(requests);
      expect(sent).toHaveLength(3);
      expect(sent.join("\n")).toBe(long.message);
    }
  });

  it("PCE2: repeats no piece a crash cut off, and reports it as possibly sent", async () => {
    const subjects: ReturnType<typeof make>[] = [];
    const { cut } = await cutAfterEveryWrite(() => {
      const subject = make();
      subjects.push(subject);
      return subject;
    });
    for (const { requests } of subjects) {
      const sent = posts(requests);
      expect(new Set(sent).size).toBe(sent.length);
    }
    const unknown = cut.flatMap(({ run }) => {
      const { failure } = run.output as { failure?: { code: string; message: string } };
      return failure === undefined ? [] : [failure];
    });
    expect(unknown.length).toBeGreaterThan(0);
    expect(new Set(unknown.map(({ code }) => code))).toEqual(new Set(["outcome_unknown"]));
    expect(unknown.map((each) => each.message)).toContain(
      "1 of 3 pieces were sent. The process ended while the next one was being sent: it may have arrived. Nothing was sent after it.",
    );
  });

  it("PCE3: reports the number of pieces sent before a failure", async () => {
    let posted = 0;
    const { failure, requests } = await callOf(discordSend(options), long, {
      answers: service(() =>
        ++posted === 1
          ? Response.json(message("900", ""))
          : Response.json({ message: "Missing Permissions", code: 50013 }, { status: 403 }),
      ),
      variables,
    });
    expect(posts(requests)).toHaveLength(2);
    expect(failure).toMatchObject({
      code: "unauthorized",
      message:
        "1 of 3 pieces were sent. Discord refused the key in DISCORD_BOT_TOKEN: Missing Permissions",
    });
  });

  it("waits as long as Discord asks for between two pieces", async () => {
    let posted = 0;
    const { failure, requests } = await callOf(discordSend(options), long, {
      answers: service(() =>
        ++posted === 2
          ? Response.json(
              { message: "You are being rate limited.", retry_after: 1.5, global: false },
              { status: 429 },
            )
          : Response.json(message("900", "")),
      ),
      variables,
    });
    expect(failure).toBeUndefined();
    const times = requests.filter(({ method }) => method === "POST").map(({ atMs }) => atMs);
    expect(times).toEqual([0, 0, 1500, 1500]);
  });

  it("is not sent again when Discord has broken down", async () => {
    const { failure, requests } = await callOf(discordSend(options), long, {
      answers: service(() => new Response("oops", { status: 500 })),
      variables,
    });
    expect(posts(requests)).toHaveLength(1);
    expect(failure).toMatchObject({ code: "unavailable", retryable: false });
  });
});

it("names the known servers and channels", async () => {
  const unknown = await callOf(
    discordSend({ guildName: "Coffee", channelName: "general" }),
    { message: "x" },
    { answers: service(), variables },
  );
  expect(unknown.failure).toMatchObject({
    code: "not_found",
    message: 'The bot sees no server "Coffee"; it sees Other, Tea house.',
  });
});

describe("reading", () => {
  const SNOWFLAKE_2026 = (BigInt(Date.parse("2026-01-15T00:00:00Z")) - 1_420_070_400_000n) << 22n;
  const idAt = (index: number): string => String(SNOWFLAKE_2026 + BigInt(index));
  const stored = Array.from({ length: 250 }, (_, index) => message(idAt(index - 125), `m${index}`));
  const channel = ({ path }: SeenRequest): Response => {
    if (!path.includes("/messages")) return service()({ method: "GET", path } as SeenRequest);
    const query = new URL(path, "https://discord.com").searchParams;
    const before = BigInt(query.get("before") ?? "9999999999999999999");
    const older = stored.filter((each) => BigInt((each as { id: string }).id) < before);
    return Response.json(older.slice(-Number(query.get("limit"))).toReversed());
  };

  toolContract(discordRetrieve, {
    options,
    input: { maximum_messages: 2 },
    success: [
      Response.json(GUILDS),
      Response.json(CHANNELS),
      Response.json([message("902", "two"), message("901", "one")]),
    ],
    requests: [{}, {}, { url: "https://discord.com/api/v10/channels/21/messages?limit=2" }],
    text: "[2026-01-15T10:00:00.123Z] A. Leaf (901): one\n[2026-01-15T10:00:00.123Z] A. Leaf (902): two",
    data: {
      messages: [
        { id: "901", time: "2026-01-15T10:00:00.123Z", author: "A. Leaf", text: "one" },
        { id: "902" },
      ],
      count: 2,
    },
  });

  it("gives the newest messages, the oldest of them first", async () => {
    const { data, requests } = await callOf(
      discordRetrieve(options),
      { maximum_messages: 150 },
      { answers: channel, variables },
    );
    const { messages, count } = data as { messages: { text: string }[]; count: number };
    expect(count).toBe(150);
    expect([messages[0]?.text, messages.at(-1)?.text]).toEqual(["m100", "m249"]);
    expect(requests).toHaveLength(4);
  });

  it.each([["2026-01-15T00:00:00Z"], [idAt(0)]])("gives those since %s", async (since) => {
    const { data } = await callOf(
      discordRetrieve(options),
      { messages_since: since },
      { answers: channel, variables },
    );
    const { messages, count } = data as { messages: { text: string }[]; count: number };
    expect([count, messages[0]?.text]).toEqual([124, "m126"]);
  });

  it("refuses an invalid time", async () => {
    const { failure, requests } = await callOf(
      discordRetrieve(options),
      { messages_since: "yesterday" },
      { answers: channel, variables },
    );
    expect(failure?.code).toBe("bad_request");
    expect(requests).toEqual([]);
  });
});
