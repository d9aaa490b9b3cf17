// Questions of a server during a call: in its result (MCP 2026-07-28, multi round-trip requests), or over the open
// connection (open-call.ts).
//
//   XQ1. A person answers at a durable wait. `approve: false` declines; the answer to a form is a value of its schema.
//   XQ2. Undeclared capabilities are refused: sampling unless a setting allows it, and roots, because there is no file
//        system.
import * as z from "zod";
import { visible } from "../../../agent/loop/shown-arguments.ts";
import { cut } from "../../../base/cut.ts";
import { EngineError, errorMessage } from "../../../base/error.ts";
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../base/json.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { checkJsonSchema } from "../../../base/json-schema.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { keySegment } from "../../../journal/step-key.ts";
import { sample } from "./sampling.ts";
import type { OpenServer } from "./open-server.ts";

/** Requests by key, from a result or a task. */
export type InputRequests = Readonly<Record<string, JsonValue>>;

/** Answers under the same keys. */
export type InputResponses = Readonly<Record<string, JsonObject>>;

/** Call that a server's question belongs to. */
export type AskingCall = {
  readonly server: OpenServer;
  /** Name at the server. */
  readonly toolName: string;
};

/** Maximum number of questions of one call at once. */
const MAX_REQUESTS = 20;
/** Limit of a message for a person, in characters. */
const MAX_MESSAGE = 4_000;
const MAX_FORM_LENGTH = 32_768;

const elicitation = z.looseObject({
  mode: z.enum(["form", "url"]).default("form"),
  message: z.string().default(""),
  url: z.string().optional(),
  requestedSchema: z.custom<JsonObject>(isJsonObject).optional(),
});

type PersonsAnswer = { readonly approve: boolean; readonly value?: JsonValue };

/** Gets all requests answered by people and models, in parallel. Fails with `tool_failed` for unsupported requests. */
export async function answersTo(
  scope: RunScope,
  requests: InputRequests,
  call: AskingCall,
): Promise<InputResponses> {
  const entries = Object.entries(requests);
  if (entries.length > MAX_REQUESTS)
    throw refused(`asks ${entries.length} questions at once, at most ${MAX_REQUESTS} are answered`);
  // All are checked before the first question to a person.
  const asked = entries.map(([key, request]) => ({ key, ask: questionOf(request, call) }));
  const answers = await Promise.all(
    asked.map(async ({ key, ask }): Promise<[string, JsonObject]> => {
      return [key, await ask(scope.at(keySegment(key)))];
    }),
  );
  return Object.fromEntries(answers);
}

type Question = (place: RunScope) => Promise<JsonObject>;

function questionOf(request: JsonValue, call: AskingCall): Question {
  const { settings } = call.server;
  const { method, params } = isJsonObject(request) ? request : {};
  const fields = isJsonObject(params) ? params : {};
  if (method === "elicitation/create" && settings.elicitation) return elicit(fields, call);
  if (method === "sampling/createMessage" && settings.sampling !== false)
    return (place) => sample(place, fields, call.server);
  throw refused(`asks for ${JSON.stringify(method ?? null)}, which it may not`);
}

function elicit(params: JsonObject, { server, toolName }: AskingCall): Question {
  const parsed = elicitation.safeParse(params);
  if (!parsed.success) throw refused(`asks a person something unreadable: ${parsed.error.message}`);
  const { mode, message, url, requestedSchema } = parsed.data;
  const { serverName } = server.about;
  const words = cut(visible(message), MAX_MESSAGE);
  const asks = `MCP server ${serverName} asks, in a call of ${visible(toolName)}: ${words}`;
  if (mode === "url") {
    if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw refused("asks a person to open an address that is none");
    const { href } = new URL(url);
    return async (place) => {
      const { approve } = await place.wait<PersonsAnswer>({
        kind: "human",
        prompt: `${asks}\nOpen ${href}, and approve when it is done.`,
        data: {
          mcp: { serverName, toolName, mode, url: href, message: cut(message, MAX_MESSAGE) },
        },
      });
      return { action: approve ? "accept" : "decline" };
    };
  }
  const schema = formSchema(requestedSchema ?? { type: "object", properties: {} });
  return async (place) => {
    const answer = await place.wait<PersonsAnswer>({
      kind: "human",
      prompt: asks,
      schema,
      declinable: true,
      data: { mcp: { serverName, toolName, mode, message: cut(message, MAX_MESSAGE) } },
    });
    return answer.approve && isJsonObject(answer.value)
      ? { action: "accept", content: answer.value }
      : { action: "decline" };
  };
}

/** MCP 2025-11-25, URL Elicitation Required: the server refuses a call until a person has opened these pages. */
const PAGES_REQUIRED = -32_042;

/** Returns the questions of this refusal by their ids; none for other errors. */
export function requiredPages(error: unknown): InputRequests {
  const { code, data } = error as { readonly code?: unknown; readonly data?: JsonValue };
  const { elicitations } =
    code === PAGES_REQUIRED && isJsonObject(data ?? null) ? (data as JsonObject) : {};
  const pages = Array.isArray(elicitations) ? elicitations : [];
  return Object.fromEntries(
    pages.slice(0, MAX_REQUESTS).map((page: JsonValue) => {
      const { elicitationId: _, ...params } = isJsonObject(page) ? page : {};
      const id = `page:${sha256Hex(canonicalJson(params)).slice(0, 12)}`;
      return [id, { method: "elicitation/create", params: { ...params, mode: "url" } }];
    }),
  );
}

const KINDS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "array"]);

/** Returns the permitted form: flat, with fields of one value, or a choice of several. */
function formSchema({ properties, required }: JsonObject): JsonObject {
  const fields = isJsonObject(properties) ? properties : {};
  for (const [name, field] of Object.entries(fields))
    if (!isJsonObject(field) || !KINDS.has(field["type"]) || !isFlat(field["items"]))
      throw refused(
        `asks a person for a form, and its field ${JSON.stringify(name)} is no plain one`,
      );
  const schema: JsonObject = {
    type: "object",
    properties: fields,
    ...(Array.isArray(required) ? { required } : undefined),
    additionalProperties: false,
  };
  if (JSON.stringify(schema).length > MAX_FORM_LENGTH)
    throw refused(`asks a person for a form of more than ${MAX_FORM_LENGTH} characters`);
  try {
    checkJsonSchema(schema);
  } catch (error) {
    throw refused(`asks a person for a form that cannot be used: ${errorMessage(error)}`);
  }
  return schema;
}

function isFlat(items: JsonValue | undefined): boolean {
  return items === undefined || (isJsonObject(items) && items["properties"] === undefined);
}

function refused(what: string): EngineError {
  return new EngineError("tool_failed", `the server ${what}`);
}
