// State of a declared flow: its first values, and the check against its schema.
//
// A missing required field is no fault: the flow may fill it in. A missing optional field is null.
import * as z from "zod";
import { unreachable } from "../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { viewOf } from "../base/recorded.ts";
import { validateJsonSchema } from "../base/json-schema.ts";
import { partsOfPointer } from "../base/json-pointer.ts";
import type { OutputSchema } from "../agent/loop/structured-output.ts";
import type { RegistryResolver } from "../crew/definition/definition-registry.ts";
import type { StateSchema } from "../flow/flow-state.ts";
import type { StateDeclaration } from "./declaration-schema.ts";
import { withOptionalFields, withoutOptionalNulls } from "./optional-fields.ts";

export type DeclaredState = { readonly schema: StateSchema; readonly initial: JsonObject };

const FREE: DeclaredState = { schema: undefined, initial: {} };

/** Name in CrewAI's exports for the state of a conversational flow without its own state. */
const CONVERSATION_STATE = /^crewai\.[\w.]+:ConversationState$/;

/** Reads a declared state. Unregistered names become issues of `resolver`. */
export function declaredState(
  state: StateDeclaration | undefined,
  resolver: RegistryResolver,
): DeclaredState {
  if (state === undefined) return FREE;
  const { default: initial = {} } = state;
  switch (state.type) {
    case "dict":
    case "unknown":
      return { schema: undefined, initial };
    case "json_schema":
      resolver.schema(state.jsonSchema, "/state/jsonSchema");
      return ofJsonSchema(state.jsonSchema, initial);
    case "pydantic":
      return ofReference(state, resolver);
    default:
      return unreachable(state);
  }
}

function ofReference(
  { ref, jsonSchema, default: initial = {} }: Extract<StateDeclaration, { type: "pydantic" }>,
  resolver: RegistryResolver,
): DeclaredState {
  const found = ref === undefined ? undefined : resolver.findSchema(ref);
  // The fields of a conversation are the engine's own.
  if (found === undefined && ref !== undefined && CONVERSATION_STATE.test(ref))
    return { schema: undefined, initial };
  const schema: OutputSchema | undefined =
    found ??
    resolver.schema(jsonSchema, "/state/jsonSchema") ??
    (ref === undefined ? undefined : resolver.schema(ref, "/state/ref"));
  if (schema === undefined) return { schema: undefined, initial };
  return schema instanceof z.ZodType
    ? { schema: ofZod(schema), initial }
    : ofJsonSchema(schema, initial);
}

function ofZod(schema: z.ZodType): z.ZodType<object> {
  return z.looseObject({}).transform((state, context) => {
    const parsed = schema.safeParse(state);
    if (parsed.success) return { ...state, ...(parsed.data as object) };
    const faults = parsed.error.issues.filter((issue) => !isMissing(issue, state));
    context.issues.push(...faults.map((issue) => ({ ...issue, input: state }) as never));
    return state;
  });
}

function isMissing({ path }: z.core.$ZodIssue, state: object): boolean {
  const [field] = path;
  return path.length === 1 && field !== undefined && !Object.hasOwn(state, field);
}

function ofJsonSchema(schema: JsonObject, initial: JsonObject): DeclaredState {
  const { required: _, ...lenient } = schema;
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const knowsId = Object.hasOwn(properties, "id");
  const checked = z
    .looseObject({})
    .check(({ value, issues }) => {
      const { id, ...rest } = viewOf(value, "state") as JsonObject;
      const state = knowsId && id !== undefined ? { ...rest, id } : rest;
      const valued = withoutOptionalNulls(schema, state);
      for (const { path, message } of validateJsonSchema(lenient, valued)) {
        const [expected = message] = message.split(", got ");
        issues.push({
          code: "custom",
          message: expected,
          path: [...partsOfPointer(path)],
          input: value,
        });
      }
    })
    .transform((state) => withOptionalFields(schema, state as JsonObject) as JsonObject);
  return { schema: checked, initial: { ...defaultsOf(properties), ...initial } };
}

function defaultsOf(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]): [string, JsonValue][] => {
      const value = isJsonObject(property) ? property["default"] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
