// Forms that only this side refuses, each with the words of its refusal.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";

type Refused = {
  readonly words: RegExp;
  readonly isIn: (flow: JsonObject) => boolean;
};

const FORMS: readonly Refused[] = [
  {
    words: /unknown.*is not a known field/s,
    isIn: (flow) =>
      Object.hasOwn(flow, "unknown") || methodsOf(flow).some(({ unknown }) => unknown),
  },
  {
    words: /is not a known field|expected (exactly )?one|either/,
    isIn: (flow) => conditionsOf(flow).some((condition) => Object.keys(condition).length > 1),
  },
  {
    words: /expected at least 1 items/,
    isIn: (flow) =>
      conditionsOf(flow).some((condition) =>
        Object.values(condition).some((members) => Array.isArray(members) && members.length === 0),
      ),
  },
  {
    words: /has no start/,
    isIn: (flow) => !methodsOf(flow).some(({ start }) => start === true),
  },
  {
    words: /which is no method/,
    isIn: (flow) => {
      const methods = flow["methods"] as JsonObject;
      const known = new Set([
        ...Object.keys(methods),
        ...methodsOf(flow).flatMap(({ emit }) => (Array.isArray(emit) ? emit : [])),
      ]);
      return methodsOf(flow).some(({ listen, start }) =>
        [...namesIn(listen), ...namesIn(start)].some((name) => !known.has(name)),
      );
    },
  },
];

/** True when the document has a form that only this side refuses, and was refused for it. */
export function isRefusedForm(flow: JsonObject, message: string): boolean {
  return (
    message.startsWith("the flow cannot be used: ") &&
    FORMS.some(({ words, isIn }) => words.test(message) && isIn(flow))
  );
}

function methodsOf(flow: JsonObject): readonly JsonObject[] {
  return Object.values(flow["methods"] as JsonObject) as readonly JsonObject[];
}

function conditionsOf(flow: JsonObject): readonly JsonObject[] {
  return methodsOf(flow).flatMap(({ listen, start }) =>
    [listen, start].filter((each): each is JsonObject => isJsonObject(each)),
  );
}

function namesIn(condition: JsonValue | undefined): readonly string[] {
  if (typeof condition === "string") return [condition];
  if (!isJsonObject(condition)) return [];
  return Object.values(condition).flatMap((members) =>
    Array.isArray(members) ? (members as readonly JsonValue[]).flatMap(namesIn) : [],
  );
}
