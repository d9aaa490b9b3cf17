// Schemas of the tools for crews, flows and agents.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ExposedSubject } from "../../exposed-subject.ts";

/** Argument with the message for a subject of messages. */
export const MESSAGE = "message";
/** Argument with the id of a conversation to continue. */
export const SESSION = "session";

/** Answer of a tool while its run is open. */
export const RUN_STATE_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    runId: { type: "string", description: "For get_run, answer_run and cancel_run" },
    status: {
      type: "string",
      enum: ["submitted", "working", "input-required", "completed", "failed", "canceled"],
    },
    waits: {
      type: "array",
      description: "What the run asks for",
      items: {
        type: "object",
        properties: {
          key: { type: "string" },
          prompt: { type: "string" },
          choices: { type: "array", items: { type: "string" } },
          schema: { type: "object" },
        },
        required: ["key", "prompt"],
      },
    },
  },
  required: ["runId", "status"],
};

/** True for subjects with a message in addition to their inputs. */
export function takesMessage({ subject }: ExposedSubject): boolean {
  return subject.messagesInput !== undefined;
}

/** True for subjects with conversations of their own that can be continued. */
export function takesTurns({ subject }: ExposedSubject): boolean {
  return subject.messagesInput === undefined && subject.turn !== undefined;
}

/**
 * Returns the inputs of a subject as arguments of its tool. Fields of a conversation's state are left out, except those
 * without a default.
 */
export function argumentsSchema(exposed: ExposedSubject): JsonObject {
  const { inputSchema } = exposed.info;
  const own = objectOf(inputSchema["properties"]);
  const required = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
  const session = {
    type: "string",
    description: "The same text goes on with the same conversation; leave it out for a new one",
  };
  if (takesMessage(exposed))
    return {
      ...inputSchema,
      type: "object",
      properties: { [MESSAGE]: { type: "string", description: "What you ask" }, ...own },
      required: [MESSAGE, ...required.filter((name) => name !== MESSAGE)],
    };
  if (takesTurns(exposed))
    return {
      ...inputSchema,
      type: "object",
      properties: {
        [MESSAGE]: { type: "string", description: "What you say" },
        [SESSION]: session,
        ...Object.fromEntries(Object.entries(own).filter(([name]) => required.includes(name))),
      },
      required: [MESSAGE],
      additionalProperties: false,
    };
  return { ...inputSchema, type: "object", properties: own };
}

/**
 * Returns the schema of a tool's structured content: of its result, or of an open run. Undefined for results other than
 * objects, and for schemas that cannot be nested.
 */
export function resultSchema(output: JsonObject | undefined): JsonObject | undefined {
  if (output === undefined || output["type"] !== "object") return undefined;
  if (refersToRoot(output)) return undefined;
  const { $schema: _, $defs, definitions, ...own } = output;
  return {
    type: "object",
    ...($defs === undefined ? undefined : { $defs }),
    ...(definitions === undefined ? undefined : { definitions }),
    anyOf: [own, RUN_STATE_SCHEMA],
  };
}

/** True if the schema refers to its root: nested in another one, it would refer to the other root. */
function refersToRoot(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(refersToRoot);
  if (!isJsonObject(value)) return false;
  const { $ref } = value;
  const isElsewhere = typeof $ref === "string" && !/^#\/(?:\$defs|definitions)\//.test($ref);
  return isElsewhere || Object.values(value).some(refersToRoot);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
