// HTTP requests written by a model, to hosts listed in the definition.
//
//   WHR1. Requests go only to hosts listed in the definition. A model cannot set headers set by the definition, or
//         headers of the connection.
//   WHR2. A person approves requests that may change data. They are not repeated after a crash.
import * as z from "zod";
import type { JsonObject } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import type { Tool } from "../../tool.ts";
import { catalogTool, entryOf } from "../base/catalog-tool.ts";
import type { RunSpec } from "../base/tool-spec.ts";
import { decodeJson } from "../base/decode-json.ts";
import type { CatalogTool } from "../base/entry.ts";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { decodeHtml } from "../../../knowledge/readers/decode-text.ts";
import { pageAddress } from "./page-address.ts";
import { PAGE_OPTIONS } from "./page-options.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
/** Headers of the connection, and headers naming the origin of a request. */
const NOT_FOR_MODELS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|via|forwarded|x-forwarded-.*|x-real-ip|cf-.*|proxy-.*|sec-.*|cookie2?|origin|referer)$/i;

type Sent = {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly url: string;
};

const input = () =>
  z.object({
    method: z.enum(METHODS).default("GET"),
    url: z.string().min(1).max(4096).describe("Address, with its query"),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.string().max(1_000_000).optional().describe("Text of the body, such as JSON"),
  });

const options = () =>
  z.object({
    /** Allowed hosts: `api.example.com`, `*.example.com`. */
    hosts: PAGE_OPTIONS.allowHosts.unwrap(),
    maxBytes: z
      .int()
      .min(1)
      .max(25 << 20)
      .default(5 << 20),
  });

const spec: RunSpec<ReturnType<typeof input>, ReturnType<typeof options>> = {
  className: "http_request",
  displayName: "http_request",
  group: "web",
  service: "web",
  effectClass: "X",
  // Each request that may change data is a separate step, which no crash repeats.
  effect: "idempotent",
  description: ({ hosts }: { readonly hosts?: readonly string[] }) =>
    `Sends an HTTP request${hosts === undefined ? "" : ` to ${hosts.join(", ")}`} and returns the answer: its status, its media type and its body.`,
  input,
  options,
  hostOptions: ["hosts"],
  run: async (request, { hosts, maxBytes }, io) => {
    const { method, headers = {}, body } = request;
    const url = io.checkAddress(pageAddress(request.url), { allowHosts: hosts });
    const wrong = Object.keys(headers).find(
      (name) => NOT_FOR_MODELS.test(name) || !isHeader(name, headers[name]),
    );
    if (wrong !== undefined) throw badRequest(`The header ${JSON.stringify(wrong)} cannot be set.`);
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && body !== undefined) throw badRequest(`A ${method} request has no body.`);
    const send = async (): Promise<Sent> => {
      const type = body !== undefined && isJson(body) ? "application/json" : "text/plain";
      const answer = await io.read(url.href, {
        method,
        allowHosts: hosts,
        maxBytes,
        headers: {
          ...(body === undefined ? undefined : { "content-type": type }),
          ...lowerCased(headers),
        },
        ...(body === undefined ? undefined : { body }),
      });
      const contentType = answer.headers.get("content-type") ?? "";
      return {
        status: answer.status,
        type: contentType,
        body: decodeHtml(answer.bytes, contentType),
        url: answer.url,
      };
    };
    const sent = isRead ? await send() : await sendOnce(io, send);
    const isText = /^$|^text\/|json|xml|javascript|urlencoded|yaml|csv/i.test(sent.type);
    const head = `${sent.status} ${sent.type}`.trim();
    const shown = isText ? sent.body : `<${sent.body.length} characters that are no text>`;
    return toolResult({
      text: `${head}\n\n${shown}`,
      data: {
        status: sent.status,
        contentType: sent.type,
        url: sent.url,
        body: /json/i.test(sent.type)
          ? decodeJson(sent.body, () => sent.body)
          : isText
            ? sent.body
            : "",
      },
      sources: [{ url: sent.url }],
      untrusted: [new URL(sent.url).host],
    });
  },
};

const entry = entryOf(spec, (settings) =>
  catalogTool(spec).entry.make({
    needsApproval: ({ method = "GET" }: JsonObject) => method !== "GET" && method !== "HEAD",
    ...settings,
  }),
);

/** Sends a request to a listed host. */
export const httpRequest: CatalogTool<ReturnType<typeof options>> = Object.assign(
  (settings = {}) => entry.make(settings).tool as Tool,
  { entry },
);

/** Sends a request that may change data once. Its failure is retried only if the request was not sent. */
async function sendOnce(io: ToolIo, send: () => Promise<Sent>): Promise<Sent> {
  try {
    return await io.context.step("request", send, { effect: "once" });
  } catch (error) {
    if (!isServiceFailure(error) || error.unsent) throw error;
    throw serviceFailure({ code: error.failureCode ?? "failed", message: error.message });
  }
}

function badRequest(message: string): Error {
  return serviceFailure({ code: "bad_request", message });
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function isHeader(name: string, value = ""): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  return /^\s*[[{"\d-]/.test(text) && decodeJson(text, () => null) !== null;
}
