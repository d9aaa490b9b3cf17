// Browser for rendering pages: the binding `BROWSER` of Cloudflare (Browser Run), or its REST form elsewhere.
//
//   WBR1. An address is checked before the browser opens it, and the final address before its page is used.
//   WBR2. Without a browser, a tool that needs one reports how to bind it.
import * as z from "zod";
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { decodeJson } from "../base/decode-json.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { readBytes } from "../base/read-answer.ts";
import {
  badResponse,
  failureOfStatus,
  isServiceFailure,
  serviceFailure,
  wordsOf,
} from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { pageAddress } from "./page-address.ts";
import type { PageOptions } from "./page-options.ts";

/** Used part of a browser. The binding `BROWSER` fits it. */
export interface Browser {
  /** Resolves to `{ success, result, meta, errors }`. */
  quickAction(action: string, options: JsonObject): Promise<Response>;
}

declare module "../../../events/run-services.ts" {
  interface RunServices {
    /** Renders pages. @default tools use its REST form where `CLOUDFLARE_ACCOUNT_ID` and `CLOUDFLARE_API_TOKEN` are set */
    readonly browser?: Browser;
  }
}

export type BrowserAction = "content" | "markdown" | "scrape" | "json" | "accessibilityTree";

export type BrowserAnswer = {
  readonly result: unknown;
  /** Final address of the browser. */
  readonly url: URL;
  readonly title?: string | undefined;
};

const SERVICE = "Browser Run";
const API = "https://api.cloudflare.com/client/v4/accounts";
const MAX_BYTES = 10 << 20;
const TIMEOUT_MS = 60_000;
/** Resource types not needed for reading a page. */
const UNREAD = ["image", "media", "font"];

/** Variables of tools with access to a browser by REST. */
export const BROWSER_VARIABLES: readonly CatalogVariable[] = [
  {
    name: "CLOUDFLARE_ACCOUNT_ID",
    description: "the Cloudflare account whose browsers are used, where none is bound",
    required: false,
    isPlain: true,
  },
  {
    name: "CLOUDFLARE_API_TOKEN",
    description: "a token of the account that may use Browser Rendering",
    required: false,
    send: { header: "authorization", prefix: "Bearer " },
  },
];
export const BROWSER_HOSTS = ["api.cloudflare.com"];

const answer = z.looseObject({
  success: z.boolean(),
  result: z.unknown().optional(),
  meta: z
    .looseObject({
      title: z.string().optional(),
      finalUrl: z.string().optional(),
      status: z.number().optional(),
    })
    .optional(),
  errors: z.array(z.looseObject({ message: z.string() })).optional(),
});

/** True if a browser is available. */
function hasBrowser(io: ToolIo): boolean {
  const isBound = io.services.browser !== undefined;
  return (
    isBound ||
    (io.value("CLOUDFLARE_ACCOUNT_ID") !== undefined &&
      io.value("CLOUDFLARE_API_TOKEN") !== undefined)
  );
}

/** Opens a page in a browser and performs an action there. Fails with `invalid_definition` without a browser. */
export async function browse(
  io: ToolIo,
  action: BrowserAction,
  request: {
    readonly address: string;
    readonly page: PageOptions;
    /** Name of the tool, for the error without a browser. */
    readonly tool: string;
    readonly options?: JsonObject;
  },
): Promise<BrowserAnswer> {
  const { page, tool } = request;
  const url = io.checkAddress(pageAddress(request.address), page);
  if (!hasBrowser(io)) throw withoutBrowser(tool);
  const options: JsonObject = {
    url: url.href,
    rejectResourceTypes: UNREAD,
    gotoOptions: { timeout: 30_000, waitUntil: "networkidle2" },
    bestAttempt: true,
    ...cookiesOf(io, url, page),
    ...request.options,
  };
  const { browser } = io.services;
  const body = await (browser === undefined
    ? byRest(io, action, options)
    : byBinding(io, browser, { action, options }));
  const parsed = answer.safeParse(body);
  if (!parsed.success) throw badResponse(SERVICE);
  const { success, result, meta, errors = [] } = parsed.data;
  if (!success)
    throw serviceFailure({
      code: "failed",
      message: `${SERVICE} could not open the page: ${wordsOf(errors as JsonValue).slice(0, 500)}`,
    });
  const arrived = io.checkAddress(meta?.finalUrl ?? url.href, page);
  const { status = 200 } = meta ?? {};
  if (status >= 400)
    throw failureOfStatus({
      status,
      headers: new Headers(),
      body: "",
      service: arrived.host,
      nowMs: io.context.now(),
    });
  return { result, url: arrived, title: meta?.title };
}

/** Returns the page rendered by a browser; undefined without a browser, or if it fails. */
export async function renderedPage(
  io: ToolIo,
  url: URL,
  options: PageOptions,
): Promise<{ readonly html: string; readonly url: URL } | undefined> {
  if (!hasBrowser(io)) return undefined;
  try {
    const { result, url: arrived } = await browse(io, "content", {
      address: url.href,
      page: options,
      tool: "",
    });
    return typeof result === "string" ? { html: result, url: arrived } : undefined;
  } catch (error) {
    // The page without its scripts is better than no page, but a rejected address is an error.
    if (isServiceFailure(error) && error.failureCode !== "refused") return undefined;
    throw error;
  }
}

/** Converts the option `cookies` to the browser's form. */
function cookiesOf(
  io: ToolIo,
  url: URL,
  { cookies }: Pick<PageOptions, "cookies">,
): { readonly cookies?: JsonObject[] } {
  const value = cookies === undefined ? undefined : io.value(cookies.value);
  if (cookies === undefined || value === undefined) return {};
  return { cookies: [{ name: cookies.name, value, url: url.origin }] };
}

function withoutBrowser(tool: string): EngineError {
  return new EngineError(
    "invalid_definition",
    `"${tool}" is not available here: no browser is bound. Add [browser] with binding = "BROWSER" to wrangler.toml, or set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.`,
  );
}

async function byRest(io: ToolIo, action: BrowserAction, options: JsonObject): Promise<unknown> {
  const account = encodeURIComponent(io.value("CLOUDFLARE_ACCOUNT_ID") ?? "");
  const { body } = await io.send({
    url: `${API}/${account}/browser-rendering/${action}`,
    body: options,
    // Option headers are for pages, not for this service.
    withoutOptionHeaders: true,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  return body;
}

async function byBinding(
  io: ToolIo,
  browser: Browser,
  { action, options }: { readonly action: BrowserAction; readonly options: JsonObject },
): Promise<unknown> {
  const response = await browser.quickAction(action, options).catch((error: unknown) => {
    throw serviceFailure({
      code: "unavailable",
      message: `${SERVICE} could not be reached: ${errorMessage(error)}`,
      retryable: true,
    });
  });
  const text = new TextDecoder().decode(await readBytes(response, MAX_BYTES));
  const { status, headers } = response;
  if (!response.ok && status !== 422)
    throw failureOfStatus({
      status,
      headers,
      body: decodeJson(text, () => text.slice(0, 2000)),
      service: SERVICE,
      nowMs: io.context.now(),
    });
  return decodeJson(text, () => badResponse(SERVICE, "no JSON"));
}
