// A page, a document or a text at an address that a model or a definition named.
//
//   WPG1. What a page is says its media type, else the ending of its address, else its first bytes. What nobody can read is a failure.
//   WPG2. A page of scripts that shows next to nothing is read once more by a browser, where there is one and it is asked for.
import { preview } from "../../../base/json.ts";
import { decodeHtml } from "../../../knowledge/readers/decode-text.ts";
import type { DocumentReader } from "../../../knowledge/document-text.ts";
import { htmlText, type HtmlText } from "../../../knowledge/readers/html-text.ts";
import { ReadingWork } from "../../../knowledge/readers/reading-work.ts";
import { EngineError } from "../../../base/error.ts";
import { failureOfStatus, serviceFailure } from "../base/service-failure.ts";
import type { ReadAnswer, ToolIo } from "../base/tool-io.ts";
import { renderedPage } from "./browser.ts";
import { pageAddress } from "./page-address.ts";
import type { PageOptions } from "./page-options.ts";
import { checkRobots } from "./robots.ts";

export type PageRequest = {
  readonly options: PageOptions;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly encoding?: string | undefined;
  /** The main part of a page, where it has one. @default false */
  readonly mainOnly?: boolean;
  readonly links?: boolean;
  /** Whether a browser may help. @default "never" */
  readonly browser?: "auto" | "never";
  /** Who reads documents, beside those of the deployment. */
  readonly readers?: readonly DocumentReader[] | undefined;
};

export type Page = {
  /** Where redirects have led. */
  readonly url: URL;
  readonly text: string;
  readonly title?: string;
};

/** The answer of an address that is a page, with its bytes. */
export type FetchedPage = Pick<ReadAnswer, "headers" | "bytes"> & {
  readonly url: URL;
  /** In lower case, without parameters; empty where there is none. */
  readonly mediaType: string;
};

/** Of a page's text, in UTF-16 units. */
const MAX_TEXT = 1_000_000;
/** A page that shows less, and has scripts, is made by them. */
const MIN_SHOWN = 200;
const HTML = new Set(["text/html", "application/xhtml+xml"]);
const TEXTS =
  /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|csv|javascript|ecmascript|x-ndjson|ndjson|jsonl|sql|markdown)$/;
const TEXT_ENDINGS =
  /\.(?:txt|text|log|md|mdx|markdown|csv|tsv|json|jsonl|ndjson|xml|ya?ml|toml|rst|srt|vtt|sql|js|ts|css|py|java|c|h|cpp|go|rs|rb|php|sh)$/;

/** Asks for a page. Throws the failure of an address that is refused, or that has none. */
export async function fetchPage(
  io: ToolIo,
  address: string,
  { options, timeoutMs, maxBytes }: PageRequest,
): Promise<FetchedPage> {
  const { allowHosts, denyHosts, robots, cookies } = options;
  const url = io.checkAddress(pageAddress(address), options);
  if (robots) await checkRobots(io, url);
  const cookie = cookies === undefined ? undefined : io.value(cookies.value);
  const answer = await io.read(url.href, {
    allowHosts,
    denyHosts,
    timeoutMs,
    maxBytes,
    headers: {
      accept: "text/html,application/xhtml+xml,*/*;q=0.8",
      ...(cookie === undefined ? undefined : { cookie: `${cookies?.name}=${cookie}` }),
    },
  });
  const arrived = new URL(answer.url);
  const { status, headers, bytes } = answer;
  if (status < 200 || status > 299)
    throw failureOfStatus({
      status,
      headers,
      body: "",
      service: arrived.host,
      nowMs: io.context.now(),
    });
  const [mediaType = ""] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  return { headers, bytes, url: arrived, mediaType: mediaType.trim() };
}

/** The text of what an address holds. */
export async function readPage(io: ToolIo, address: string, request: PageRequest): Promise<Page> {
  const fetched = await fetchPage(io, address, request);
  const { url } = fetched;
  if (!isHtml(fetched)) return { url, text: await otherText(io, fetched, request) };
  const plain = await pageText(decoded(fetched, request), url, request);
  const mayBeMade = plain.text.length < MIN_SHOWN && plain.hasScripts;
  if (request.browser !== "auto" || !mayBeMade) return pageOf(url, plain);
  const rendered = await renderedPage(io, url, request.options);
  if (rendered === undefined) return pageOf(url, plain);
  return pageOf(rendered.url, await pageText(rendered.html, rendered.url, request));
}

/** What a page shows. */
export function pageText(
  html: string,
  url: URL,
  { mainOnly = false, links = false }: Pick<PageRequest, "mainOnly" | "links">,
): Promise<HtmlText> {
  return htmlText(
    html,
    {
      maxCharacters: MAX_TEXT,
      cuts: true,
      isTight: true,
      images: true,
      main: mainOnly ? "first" : "none",
      ...(links ? { linksFrom: url } : undefined),
    },
    new ReadingWork("page"),
  );
}

/** Whether an answer is a page, by WPG1. */
export function isHtml({ mediaType, url, bytes }: FetchedPage): boolean {
  if (HTML.has(mediaType)) return true;
  if (mediaType !== "" && mediaType !== "application/octet-stream") return false;
  if (/\.x?html?$/.test(url.pathname.toLowerCase())) return true;
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, 512));
  return /^(?:\u00ef\u00bb\u00bf)?\s*(?:<!--[^]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(
    beginning,
  );
}

/** The characters of a page or a text. */
export function decoded(
  { bytes, headers }: FetchedPage,
  { encoding }: Pick<PageRequest, "encoding">,
): string {
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  return decodeHtml(bytes, headers.get("content-type") ?? "");
}

function pageOf(url: URL, { text, title }: HtmlText): Page {
  if (title === undefined) return { url, text };
  return { url, title, text: text === "" ? title : `${title}\n${text}` };
}

async function otherText(io: ToolIo, page: FetchedPage, request: PageRequest): Promise<string> {
  const { mediaType, url, bytes } = page;
  const path = url.pathname.toLowerCase();
  const isUnknown = mediaType === "" || mediaType === "application/octet-stream";
  const reader = [...(request.readers ?? []), ...(io.services.knowledge?.readers ?? [])].find(
    ({ name, mediaTypes, extensions }) =>
      !TEXT_READERS.has(name) &&
      (mediaTypes.includes(mediaType) ||
        (isUnknown && extensions.some((end) => path.endsWith(end)))),
  );
  if (reader !== undefined) return documentText(reader, bytes);
  if (TEXTS.test(mediaType) || (isUnknown && (TEXT_ENDINGS.test(path) || isText(bytes))))
    return decoded(page, request);
  const isDocument = /pdf|wordprocessingml|spreadsheetml/.test(mediaType);
  throw serviceFailure({
    code: "bad_request",
    message: `Unsupported content type ${preview(mediaType === "" ? "(none)" : mediaType, 100)}${isDocument ? ": this deployment has no reader for it, which DOCUMENT_READERS of edgecrew/knowledge/readers are" : ""}.`,
  });
}

/** Readers of texts keep what tools show as it is: its lines are counted. */
const TEXT_READERS = new Set(["text", "markdown", "csv", "json", "html"]);

async function documentText(reader: DocumentReader, bytes: Uint8Array): Promise<string> {
  try {
    return (await reader.read(bytes, { maxCharacters: MAX_TEXT })).text;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw serviceFailure({ code: "bad_response", message: `${error.message}.` });
  }
}

/** Whether bytes are text: UTF-8 without NUL. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
