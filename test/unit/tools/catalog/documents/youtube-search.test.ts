import { describe, expect, it } from "vitest";
import { youtubeChannelSearch } from "../../../../../src/tools/catalog/documents/youtube-channel-search.ts";
import { youtubeVideoSearch } from "../../../../../src/tools/catalog/documents/youtube-video-search.ts";
import { documentWorld } from "../../../../support/document-world.ts";
import type { SeenRequest } from "../../../../support/tool-world.ts";

const ID = "dQw4w9WgXcQ";
const CHANNEL = "UC_x5XG1OV2P6uZZ5FSM9Ttw";
const TRACKS = [
  { baseUrl: "/api/timedtext?v=1&lang=de", languageCode: "de", name: { simpleText: 'a "b" ]' } },
  { baseUrl: "/api/timedtext?v=1&lang=en", languageCode: "en-GB", kind: "asr" },
];
const PAGE = `<html><script>var ytInitialPlayerResponse = {"captions":{"captionTracks":${JSON.stringify(TRACKS)},"x":1}};</script></html>`;
const CAPTIONS = {
  events: [
    { tStartMs: 0, segs: [{ utf8: "Welcome to" }, { utf8: " the show." }] },
    { tStartMs: 4000, segs: [{ utf8: "\n" }] },
    { tStartMs: 29_000, segs: [{ utf8: "Today: kettles." }] },
    { tStartMs: 95_000, segs: [{ utf8: "A kettle boils in three minutes." }] },
  ],
};
const FEED = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="m"><title>Channel</title>
<entry><title>Kettles &amp; cups</title><link rel="alternate" href="https://www.youtube.com/watch?v=aaaaaaaaaaa"/><published>2026-02-01T10:00:00+00:00</published><media:group><media:title>t</media:title><media:description>How we boil water.</media:description></media:group></entry>
<entry><title>Gardens</title><link rel="alternate" href="https://www.youtube.com/watch?v=bbbbbbbbbbb"/><published>2026-01-01T10:00:00+00:00</published></entry></feed>`;

function youtube({ path }: SeenRequest): Response {
  if (path === `/watch?v=${ID}`) return new Response(PAGE);
  if (path === "/api/timedtext?v=1&lang=en&fmt=json3") return Response.json(CAPTIONS);
  if (path === "/@kettles")
    return new Response(`<html><script>{"externalId":"${CHANNEL}"}</script></html>`);
  if (path === `/feeds/videos.xml?channel_id=${CHANNEL}`) return new Response(FEED);
  if (path === "/watch?v=withoutword") return new Response("<html>Sign in</html>");
  return new Response("", { status: 404 });
}

describe("search of a video", () => {
  const ask = async (youtube_video_url: string) =>
    documentWorld({ answers: youtube }).ask(youtubeVideoSearch(), {
      search_query: "How long does a kettle take to boil?",
      youtube_video_url,
    });

  it.each([
    `https://www.youtube.com/watch?v=${ID}&t=3s`,
    `https://youtu.be/${ID}`,
    `https://www.youtube.com/shorts/${ID}`,
    `https://www.youtube.com/embed/${ID}?x=1`,
    ID,
  ])("finds spoken passages, with the times: %s", async (address) => {
    const { text, extras } = await ask(address);
    expect(text).toContain("[0:00] Welcome to the show. Today: kettles.");
    expect(text).toContain("[1:35] A kettle boils in three minutes.");
    expect(extras.sources).toMatchObject([{ url: `https://www.youtube.com/watch?v=${ID}` }]);
  });

  it("reports a missing transcript, and an address without a video", async () => {
    expect((await ask("https://youtu.be/withoutword")).failure).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("no transcript"),
    });
    expect((await ask("https://example.com/")).failure?.code).toBe("bad_request");
  });
});

describe("search of a channel", () => {
  const ask = async (youtube_channel_handle: string) =>
    documentWorld({ answers: youtube }).ask(youtubeChannelSearch(), {
      search_query: "kettles and boiling water",
      youtube_channel_handle,
    });

  it.each([
    "@kettles",
    "kettles",
    "https://www.youtube.com/@kettles/videos",
    CHANNEL,
    `https://www.youtube.com/channel/${CHANNEL}`,
  ])("finds its videos by their descriptions: %s", async (channel) => {
    const { text, extras } = await ask(channel);
    expect(text).toContain("Kettles & cups\n2026-02-01\nHow we boil water.");
    expect(extras.sources?.[0]?.url).toBe("https://www.youtube.com/watch?v=aaaaaaaaaaa");
  });

  it("reports an unknown channel", async () => {
    expect((await ask("@nobody")).failure?.code).toBe("not_found");
    expect((await ask("https://example.com/@kettles")).failure?.code).toBe("bad_request");
  });
});
