// Answers have the shape of Google's documentation (developers.google.com/youtube/v3/docs/search/list and videos/list).
import { expect, it } from "vitest";
import { youtubeSearch } from "../../../../../src/tools/catalog/youtube/youtube-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const FOUND = {
  kind: "youtube#searchListResponse",
  items: [
    {
      kind: "youtube#searchResult",
      id: { kind: "youtube#video", videoId: "abc123" },
      snippet: {
        publishedAt: "2026-01-15T10:00:00Z",
        title: "How to brew &amp; pour",
        description: "Tea.",
        channelTitle: "Leaf",
      },
    },
  ],
};
const DETAILS = {
  kind: "youtube#videoListResponse",
  items: [
    {
      id: "abc123",
      contentDetails: { duration: "PT4M13S", definition: "hd" },
      statistics: { viewCount: "1000", likeCount: "10" },
    },
  ],
};

toolContract(youtubeSearch, {
  input: { query: "tea" },
  success: [Response.json(FOUND)],
  requests: [
    {
      path: "/youtube/v3/search?part=snippet&type=video&maxResults=5&q=tea&key=sk-live-0123456789abcdef",
    },
  ],
  text: "1. How to brew & pour (2026-01-15T10:00:00Z)\n   https://www.youtube.com/watch?v=abc123\n   Leaf\n   Tea.",
  data: [{ videoId: "abc123", channel: "Leaf" }],
});

it("requests lengths and views on request", async () => {
  const { requests, data, text } = await callOf(
    youtubeSearch(),
    { query: "tea", include_video_details: true },
    {
      answers: [Response.json(FOUND), Response.json(DETAILS)],
      variables: { YOUTUBE_API_KEY: "key-0123456789" },
    },
  );
  expect(requests[1]?.path).toBe(
    "/youtube/v3/videos?part=contentDetails%2Cstatistics&id=abc123&key=key-0123456789",
  );
  expect(data).toMatchObject([{ duration: "PT4M13S", viewCount: "1000" }]);
  expect(text).toContain("length PT4M13S, 1000 views, 10 likes");
});

it("does not ask again when a day's quota is used up", async () => {
  const spent = {
    error: {
      code: 403,
      message:
        'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    },
  };
  const { failure, requests } = await callOf(
    youtubeSearch(),
    { query: "tea" },
    {
      answers: [Response.json(spent, { status: 403 })],
      variables: { YOUTUBE_API_KEY: "key-0123456789" },
    },
  );
  expect(failure?.code).toBe("quota_exceeded");
  expect(requests).toHaveLength(1);
});
