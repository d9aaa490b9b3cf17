// Page, document or text at an address from a model or a definition.
//
//   WPG1. The media type determines the type of a page, else the ending of its address, else its first bytes. An
//         unreadable type is a failure.
//   WPG2. A scripted page with almost no text is read again by a browser, if there is one and the option allows it.
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
  /** Limits the text to the main part of a page, if it has one. @default false */
  readonly mainOnly?: boolean;
  readonly links?: boolean;
  /** Allows the use of a browser. @default "never" */
  readonly browser?: "auto" | "never";
  /** Readers of documents, in addition to the deployment's. */
  readonly readers?: readonly DocumentReader[] | undefined;
};

export type Page = {
  /** Address after redirects. */
  readonly url: URL;
  readonly text: string;
  readonly title?: string;
};

/** Response of a page, with its bytes. */
export type FetchedPage = Pick<ReadAnswer, "headers" | "bytes"> & {
  readonly url: URL;
  /** Media type in lower case, without parameters; empty if absent. */
  readonly mediaType: string;
};

/** Maximum length of a page's text, in UTF-16 units. */
const MAX_TEXT = 1_000_000;
/** Minimum length of text. A scripted page with less text is assumed to be rendered by its scripts. */
const MIN_SHOWN = 200;
const HTML = new Set(["text/html", "application/xhtml+xml"]);
const TEXTS =
  /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|csv|javascript|ecmascript|x-ndjson|ndjson|jsonl|sql|markdown)$/;
const TEXT_ENDINGS =
  /\.(?:txt|text|log|md|mdx|markdown|csv|tsv|json|jsonl|ndjson|xml|ya?ml|toml|rst|srt|vtt|sql|js|ts|css|py|java|c|h|cpp|go|rs|rb|php|sh)$/;

/** Requests a page. Throws the failure of a rejected or unreachable address. */
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

/** Returns the text at an address. */
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

/** Returns the visible text of a page. */
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

/** True if a response is a page, by WPG1. */
export function isHtml({ mediaType, url, bytes }: FetchedPage): boolean {
  if (HTML.has(mediaType)) return true;
  if (mediaType !== "" && mediaType !== "application/octet-stream") return false;
  if (/\.x?html?$/.test(url.pathname.toLowerCase())) return true;
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, 512));
  return /^(?:\u00ef\u00bb\u00bf)?\s*(?:<!--[^]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(
    beginning,
  );
}

/** Decodes a page or a text. */
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

/** Readers of texts keep the layout of the text, as its lines are counted. */
const TEXT_READERS = new Set(["text", "markdown", "csv", "json", "jsonl", "yaml", "html"]);

async function documentText(reader: DocumentReader, bytes: Uint8Array): Promise<string> {
  try {
    return (await reader.read(bytes, { maxCharacters: MAX_TEXT })).text;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    throw serviceFailure({ code: "bad_response", message: `${error.message}.` });
  }
}

/** True if bytes are text: UTF-8 without NUL. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
