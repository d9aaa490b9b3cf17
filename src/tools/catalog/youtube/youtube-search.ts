import * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { markupText } from "../base/markup-text.ts";
import { searchResult } from "../base/results.ts";
import { badResponse } from "../base/service-failure.ts";

const API = "https://www.googleapis.com/youtube/v3";

const search = () =>
  z.looseObject({
    items: z.array(
      z.looseObject({
        id: z.looseObject({ videoId: z.string() }),
        snippet: z.looseObject({
          title: z.string(),
          description: z.string().default(""),
          channelTitle: z.string().default(""),
          publishedAt: z.string().default(""),
        }),
      }),
    ),
  });

const details = () =>
  z.looseObject({
    items: z.array(
      z.looseObject({
        id: z.string(),
        contentDetails: z.looseObject({ duration: z.string().optional() }).optional(),
        statistics: z.record(z.string(), z.string()).optional(),
      }),
    ),
  });

/** Videos at YouTube. */
export const youtubeSearch = catalogTool({
  className: "YoutubeSearchTool",
  otherNames: ["youtube_search"],
  displayName: "youtube_search",
  group: "search",
  service: "YouTube",
  effectClass: "R",
  description:
    "Finds videos on YouTube: titles, links, channels, and how long and how often they are watched.",
  input: () =>
    z.object({
      query: z.string().max(500).describe("What to look for"),
      max_results: z.int().min(1).max(50).default(5),
      include_video_details: z.boolean().default(false).describe("Length and numbers of views"),
    }),
  options: () => z.object({}),
  takes: { num_results: "max_results" },
  env: [
    {
      name: "YOUTUBE_API_KEY",
      description: "a key of Google Cloud for the YouTube Data API",
      send: { query: "key" },
      option: "youtubeApiKey",
    },
  ],
  hosts: ["www.googleapis.com"],
  maxChars: 16_000,
  quota: /exceeded your .*quota/i,
  run: async ({ query: q, max_results: maxResults, include_video_details: more }, _, io) => {
    const { body } = await io.send({
      url: `${API}/search`,
      query: { part: "snippet", type: "video", maxResults, q },
    });
    const answer = search().safeParse(body);
    if (!answer.success) throw badResponse("YouTube");
    const { items } = answer.data;
    const known = new Map<string, JsonObject>();
    if (more && items.length > 0) {
      const answered = await io.send({
        url: `${API}/videos`,
        query: {
          part: "contentDetails,statistics",
          id: items.map(({ id }) => id.videoId).join(","),
        },
      });
      const detailed = details().safeParse(answered.body);
      if (!detailed.success) throw badResponse("YouTube");
      for (const { id, contentDetails, statistics } of detailed.data.items)
        known.set(id, { duration: contentDetails?.duration ?? null, ...statistics });
    }
    const videos = items.map(({ id: { videoId }, snippet }) => ({
      videoId,
      url: `https://www.youtube.com/watch?v=${videoId}`,
      title: markupText(snippet.title),
      description: markupText(snippet.description),
      channel: markupText(snippet.channelTitle),
      publishedAt: snippet.publishedAt,
      ...known.get(videoId),
    }));
    return searchResult({
      found: videos.map(({ url, title, description, channel, publishedAt: date, videoId }) => ({
        url,
        title,
        date,
        snippet: [channel, description, ...wordsOf(known.get(videoId))]
          .filter(Boolean)
          .join("\n   "),
      })),
      data: videos,
    });
  },
});

function wordsOf(video: JsonObject | undefined): readonly string[] {
  if (video === undefined) return [];
  const { duration, viewCount, likeCount } = video;
  return [
    [
      typeof duration === "string" ? `length ${duration}` : "",
      typeof viewCount === "string" ? `${viewCount} views` : "",
      typeof likeCount === "string" ? `${likeCount} likes` : "",
    ]
      .filter(Boolean)
      .join(", "),
  ];
}
