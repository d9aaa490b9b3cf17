// Speech in videos at YouTube, and their descriptions. YouTube has no API for this without a key. Its pages are read as
// in a browser, and it often shows less to machines.
import { isJsonObject, preview, parsedJson } from "../../../base/json.ts";
import type { BroughtDocument } from "../../../knowledge/brought-document.ts";
import { ReadingWork } from "../../../knowledge/readers/reading-work.ts";
import { readMarkup } from "../../../knowledge/readers/markup.ts";
import { serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";

const ORIGIN = "https://www.youtube.com";
const VIDEO_MAX_AGE_MS = 86_400_000;
const CHANNEL_MAX_AGE_MS = 3_600_000;
/** Length of speech after one timestamp, in milliseconds. */
const PARAGRAPH_MS = 30_000;

/** Returns the speech in a video by its address or its id, with the times. */
export function videoPlace(io: ToolIo, named: string): DocumentPlace {
  const id = videoId(named);
  const address = `${ORIGIN}/watch?v=${id}`;
  return {
    key: JSON.stringify(["youtube-video", id]),
    label: "youtube.com",
    maxAgeMs: VIDEO_MAX_AGE_MS,
    documents: async () => [
      {
        name: address,
        chunking: chunkingOf("text"),
        load: async () => document(await transcript(io, address)),
      },
    ],
  };
}

/** Returns a channel by its handle, its id or its address: its newest videos with their descriptions. */
export function channelPlace(io: ToolIo, named: string): DocumentPlace {
  const path = channelPath(named);
  return {
    key: JSON.stringify(["youtube-channel", path.toLowerCase()]),
    label: "youtube.com",
    maxAgeMs: CHANNEL_MAX_AGE_MS,
    documents: async () => {
      const videos = await io.context.step(`channel:${path}`, () => newestVideos(io, path));
      return videos.map(({ url, text }): BroughtDocument => ({
        name: url,
        chunking: chunkingOf("text"),
        load: async () => document(text),
      }));
    },
  };
}

function document(text: string): {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
} {
  return { bytes: new Uint8Array(new TextEncoder().encode(text)), type: "text" };
}

/** Throws the failure `bad_request`. */
function videoId(named: string): string {
  const [, id] =
    /(?:[?&]v=|youtu\.be\/|\/(?:shorts|embed|live|v)\/|^)([\w-]{11})(?=$|[?&#/])/.exec(
      named.trim(),
    ) ?? [];
  if (id !== undefined) return id;
  throw serviceFailure({
    code: "bad_request",
    message: `${preview(named, 200)} is no video at YouTube: give its address, such as ${ORIGIN}/watch?v=dQw4w9WgXcQ.`,
  });
}

/** Returns the path of a channel's page. Throws the failure `bad_request`. */
function channelPath(named: string): string {
  const own = named.trim().replace(/^https?:\/\/(?:www\.|m\.)?youtube\.com\//i, "");
  const [, id] = /^(?:channel\/)?(UC[\w-]{22})(?=$|[/?])/.exec(own) ?? [];
  if (id !== undefined) return `channel/${id}`;
  const [found] = /^(?:@[\p{L}\p{N}._-]+|(?:c|user)\/[\p{L}\p{N}._-]+)(?=$|[/?])/u.exec(own) ?? [];
  if (found !== undefined) return found;
  if (/^[\p{L}\p{N}._-]+$/u.test(own)) return `@${own}`;
  throw serviceFailure({
    code: "bad_request",
    message: `${preview(named, 200)} is no channel at YouTube: give its handle, such as @cloudflare.`,
  });
}

async function transcript(io: ToolIo, address: string): Promise<string> {
  const page = await pageAt(io, address);
  const tracks = captionTracks(page);
  const track = tracks.find(({ language }) => language.startsWith("en")) ?? tracks[0];
  if (track === undefined)
    throw serviceFailure({
      code: "not_found",
      message: `YouTube gave no transcript of ${address}: the video has none, or YouTube shows it to no machine of a data centre.`,
    });
  const captions = new URL(track.url, ORIGIN);
  captions.searchParams.set("fmt", "json3");
  const text = captionText(await pageAt(io, captions.href));
  if (text !== "") return text;
  throw serviceFailure({
    code: "not_found",
    message: `YouTube gave an empty transcript of ${address}: it often does so to machines of data centres.`,
  });
}

type Track = { readonly url: string; readonly language: string };

/** Returns the caption tracks listed in a video's page. */
function captionTracks(page: string): readonly Track[] {
  const start = page.indexOf('"captionTracks":');
  if (start === -1) return [];
  const found = jsonFrom(page, start + '"captionTracks":'.length);
  return (Array.isArray(found) ? found : []).flatMap((each: unknown) => {
    if (!isJsonObject(each)) return [];
    const { baseUrl, languageCode } = each;
    return typeof baseUrl === "string"
      ? [{ url: baseUrl, language: typeof languageCode === "string" ? languageCode : "" }]
      : [];
  });
}

/** Parses the JSON list at an offset; undefined without one. */
function jsonFrom(text: string, from: number): unknown {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (isQuoted && sign === "\\") at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === "[" || sign === "{")) depth++;
    else if (!isQuoted && (sign === "]" || sign === "}") && --depth === 0)
      return parsedJson(text.slice(from, at + 1));
  }
  return undefined;
}

/** Returns a line for each half minute, after its time. */
function captionText(json: string): string {
  const answer = parsedJson(json);
  const events = isJsonObject(answer) && Array.isArray(answer["events"]) ? answer["events"] : [];
  const lines: { readonly atMs: number; words: string }[] = [];
  for (const event of events) {
    if (!isJsonObject(event) || !Array.isArray(event["segs"])) continue;
    const words = event["segs"]
      .map((each) => (isJsonObject(each) && typeof each["utf8"] === "string" ? each["utf8"] : ""))
      .join("")
      .replaceAll(/\s+/g, " ")
      .trim();
    if (words === "") continue;
    const atMs = Number(event["tStartMs"] ?? 0);
    const last = lines.at(-1);
    if (last !== undefined && atMs - last.atMs < PARAGRAPH_MS) last.words += ` ${words}`;
    else lines.push({ atMs, words });
  }
  return lines.map(({ atMs, words }) => `[${timeOf(atMs)}] ${words}`).join("\n");
}

function timeOf(atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

type Video = { readonly url: string; readonly text: string };

async function newestVideos(io: ToolIo, path: string): Promise<Video[]> {
  const id = path.startsWith("channel/") ? path.slice(8) : await channelId(io, path);
  return videosOf(await pageAt(io, `${ORIGIN}/feeds/videos.xml?channel_id=${id}`));
}

async function channelId(io: ToolIo, path: string): Promise<string> {
  const page = await pageAt(io, `${ORIGIN}/${path}`);
  const [, id] =
    /(?:"(?:externalId|channelId)":"|itemprop="identifier" content="|\/channel\/)(UC[\w-]{22})/.exec(
      page,
    ) ?? [];
  if (id !== undefined) return id;
  throw serviceFailure({
    code: "not_found",
    message: `The page of ${path} at YouTube does not say which channel it is: give the channel's id (UC…).`,
  });
}

/** Returns the entries of a channel's feed: titles, dates and descriptions. */
async function videosOf(feed: string): Promise<Video[]> {
  const videos: Video[] = [];
  let fields: Record<string, string> | undefined;
  const path: string[] = [];
  await readMarkup(
    [feed],
    {
      open: (name, { href }) => {
        path.push(name);
        if (name === "entry") fields = {};
        if (name === "link" && href !== undefined && fields !== undefined) fields["link"] ??= href;
      },
      close: (name) => {
        path.pop();
        if (name !== "entry" || fields === undefined) return;
        const { link, title = "", published = "", description = "" } = fields;
        const lines = [title.trim(), published.trim().slice(0, 10), description.trim()];
        if (link !== undefined) videos.push({ url: link, text: lines.filter(Boolean).join("\n") });
        fields = undefined;
      },
      text: (text) => {
        const name = path.at(-1);
        const isOwn = name === "description" || path.at(-2) === "entry";
        if (fields !== undefined && name !== undefined && isOwn)
          fields[name] = (fields[name] ?? "") + text;
      },
    },
    new ReadingWork("feed"),
  );
  return videos;
}

async function pageAt(io: ToolIo, address: string): Promise<string> {
  const headers = { "accept-language": "en" };
  const { status, bytes } = await io.read(address, { headers, timeoutMs: 30_000 });
  if (status >= 200 && status < 300) return new TextDecoder().decode(bytes);
  throw serviceFailure({
    code: status === 404 ? "not_found" : "unavailable",
    message: `YouTube answered ${status}${status === 404 ? "" : ": it often refuses machines of data centres"}.`,
    retryable: status >= 500,
  });
}
