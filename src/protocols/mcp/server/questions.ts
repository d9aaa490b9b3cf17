// Waits of a run as questions for the client, and the client's answers as answers of the run.
//
//   MQ1. A client is asked only within its declared capabilities.
//   MQ2. After an invalid answer, the question is repeated. Answers without a question are ignored.
//   MQ3. A refusal answers a request for approval; any other question stays open, and is not repeated at once.
//   MQ4. A text answers a review as in every protocol: yes approves, no refuses, anything else is feedback.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { validateJsonSchema } from "../../../base/json-schema.ts";
import type { Run, Wait } from "../../../runtime/run.ts";
import { answerFor } from "../../caller-message.ts";
import { openWaits, questionText } from "../../run-state.ts";
import { askOf, type EmbeddedRequest } from "./mcp-asks.ts";

/** Declared capabilities of a client for questions. */
export type ClientAbilities = {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
};

/** A question, under the name for its answer. */
export type Question = {
  readonly name: string;
  readonly wait: Wait;
  readonly request: EmbeddedRequest;
};

/** Reads the abilities from a client's declared capabilities. */
export function abilitiesOf(capabilities: unknown): ClientAbilities {
  const declared: Readonly<Record<string, unknown>> = isJsonObject(capabilities)
    ? capabilities
    : {};
  const { elicitation } = declared;
  const modes = isJsonObject(elicitation) ? elicitation : undefined;
  return {
    // An empty declaration means forms, as in revisions without modes.
    form: modes !== undefined && (modes["form"] !== undefined || modes["url"] === undefined),
    url: modes?.["url"] !== undefined,
    sampling: declared["sampling"] !== undefined,
    roots: declared["roots"] !== undefined,
  };
}

/** Returns all questions of the run, with unique names. */
export function questionsIn(run: Pick<Run, "waits">): readonly Question[] {
  const waits = openWaits(run);
  const last = waits.map(({ key }) => key.slice(key.lastIndexOf("/") + 1));
  return waits.map((wait, index) => ({
    name: last.filter((name) => name === last[index]).length === 1 ? (last[index] ?? "") : wait.key,
    wait,
    request: askOf(wait) ?? formOf(wait),
  }));
}

/** True if the client supports the question. */
export function isAskable({ request }: Question, abilities: ClientAbilities): boolean {
  const { method, params } = request;
  if (method === "sampling/createMessage") return abilities.sampling;
  if (method === "roots/list") return abilities.roots;
  return params["mode"] === "url" ? abilities.url : abilities.form;
}

/** Returns the capability required for a question that only the client can answer. */
export function neededCapability({ request }: Question): JsonObject | undefined {
  if (request.method === "sampling/createMessage") return { sampling: {} };
  if (request.method === "roots/list") return { roots: {} };
  return undefined;
}

/** Returns the answer to a wait in the form of our own API; undefined for an invalid or empty answer. */
export function answerIn({ wait, request }: Question, response: unknown): JsonObject | undefined {
  if (!isJsonObject(response)) return undefined;
  const fits = fitsRequest(request, response);
  if (!fits) return undefined;
  if (askOf(wait) !== undefined) return { value: response };
  const { action, content = {} } = response;
  if (!isJsonObject(content)) return undefined;
  if (action !== "accept")
    return action === "decline" && isApproval(wait)
      ? { approve: false, feedback: "The user declined." }
      : undefined;
  return formAnswer(wait, content);
}

/** True if the user has declined or dismissed the question. */
export function isRefusal(response: unknown): boolean {
  if (!isJsonObject(response)) return false;
  const { action } = response;
  return action === "decline" || action === "cancel";
}

/** True if the response is valid for the request. */
export function fitsRequest({ method, params }: EmbeddedRequest, response: JsonObject): boolean {
  if (method === "roots/list") return Array.isArray(response["roots"]);
  if (method === "sampling/createMessage")
    return typeof response["model"] === "string" && response["content"] !== undefined;
  const { action, content } = response;
  if (action === "decline" || action === "cancel") return true;
  const { requestedSchema } = params;
  const isFree = requestedSchema === undefined || !isJsonObject(requestedSchema);
  return (
    action === "accept" &&
    (isFree || validateJsonSchema(requestedSchema, content ?? {}).length === 0)
  );
}

const ANSWER = "answer";
const APPROVE = "approve";
const REASON = "reason";

function formOf(wait: Wait): EmbeddedRequest {
  return {
    method: "elicitation/create",
    params: { mode: "form", message: questionText(wait), requestedSchema: formSchema(wait) },
  };
}

function formSchema(wait: Wait): JsonObject {
  const { schema, choices } = wait;
  if (schema !== undefined && isFlat(schema)) {
    const { $schema: _, properties = {}, required = [] } = schema;
    return { type: "object", properties, required };
  }
  if (schema !== undefined)
    return oneField({ type: "string", description: `As JSON: ${JSON.stringify(schema)}` });
  if (choices !== undefined) return oneField({ type: "string", enum: [...choices] });
  if (isApproval(wait))
    return {
      type: "object",
      properties: {
        [APPROVE]: { type: "boolean", title: "Approve" },
        [REASON]: { type: "string", title: "Reason" },
      },
      required: [APPROVE],
    };
  return oneField({ type: "string" });
}

function formAnswer(wait: Wait, content: JsonObject): JsonObject {
  const { schema, choices } = wait;
  const said = content[ANSWER] ?? "";
  if (schema !== undefined) return { value: isFlat(schema) ? content : parsed(said) };
  if (choices !== undefined) return { value: said };
  const { [APPROVE]: approve, [REASON]: reason } = content;
  if (isApproval(wait))
    return { approve: approve === true, feedback: typeof reason === "string" ? reason : "" };
  if (wait.kind !== "human") return { value: said };
  const text = typeof said === "string" ? said : JSON.stringify(said);
  const { key: _, ...answer } = answerFor(wait, { text });
  return answer;
}

function oneField(field: JsonObject): JsonObject {
  return { type: "object", properties: { [ANSWER]: field }, required: [ANSWER] };
}

/** True for a wait for approval of a tool call. */
function isApproval({ kind, data, choices, schema }: Wait): boolean {
  return (
    kind === "human" &&
    choices === undefined &&
    schema === undefined &&
    data?.["tool"] !== undefined
  );
}

const PRIMITIVES: ReadonlySet<JsonValue> = new Set(["string", "number", "integer", "boolean"]);

/** True for schemas of forms: objects of texts, numbers, booleans and choices. */
function isFlat(schema: JsonObject): boolean {
  const { type, properties } = schema;
  return (
    type === "object" &&
    properties !== undefined &&
    isJsonObject(properties) &&
    Object.values(properties).every(
      (field) => isJsonObject(field) && PRIMITIVES.has(field["type"] ?? null),
    )
  );
}

function parsed(said: JsonValue): JsonValue {
  try {
    return typeof said === "string" ? (JSON.parse(said) as JsonValue) : said;
  } catch {
    return said;
  }
}
