// Reads a declaration in any of its spellings. Names may be camelCase or snake_case; all errors are reported together.
import { camelCase } from "../base/camel-case.ts";
import { EngineError, type Issue } from "../base/error.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, typeName, type JsonObject, type JsonValue } from "../base/json.ts";
import { unusableDefinition } from "../base/unusable-definition.ts";
import { toIssues } from "../base/zod-issues.ts";
import { checkFlow, type FlowDefinition } from "../flow/flow-definition.ts";
import { declarationSchema, IGNORED, type FlowDeclaration } from "./declaration-schema.ts";

const MAX_DEPTH = 64;

/** Why no declaration can have a script. */
const NO_SCRIPTS =
  "a script is Python, which a Worker cannot run: write it as an expression, or register a function and have `call: code` name it";

/**
 * Reads a declaration: its names in camelCase, without fields that have no meaning here. Throws `invalid_definition`
 * with one issue for each wrong field. Making a flow from it reports errors between methods.
 */
export function readDeclaration(input: unknown): FlowDeclaration {
  checkDepth(input, 0);
  if (!isJsonObject(input))
    throw invalidFlow([{ path: "", message: `expected a flow, got ${typeName(input)}` }]);
  const spelled = normalized(input);
  const parsed = declarationSchema.safeParse(spelled);
  const issues = distinct([
    ...actionIssues(spelled),
    ...(parsed.error === undefined ? [] : toIssues(parsed.error, spelled)),
  ]);
  if (!parsed.success || issues.length > 0) throw invalidFlow(issues);
  return parsed.data;
}

/** Returns the issues in the links between methods. */
export function graphIssues(definition: FlowDefinition): readonly Issue[] {
  try {
    checkFlow(definition);
    return [];
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return error.issues ?? [{ path: "", message: error.message }];
  }
}

/** Returns the definition the engine runs. It is the declaration itself, so its output can be read again. */
export function asDefinition(declaration: FlowDeclaration): FlowDefinition {
  return declaration as unknown as FlowDefinition;
}

export function invalidFlow(issues: readonly Issue[]): EngineError {
  return unusableDefinition("the flow", issues);
}

/** Keeps the first issue of each path: an unmatched variant reports all its fields. */
function distinct(issues: readonly Issue[]): readonly Issue[] {
  const firstByPath = new Map(issues.toReversed().map((issue) => [issue.path, issue]));
  return issues.filter((issue) => firstByPath.get(issue.path) === issue);
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === MAX_DEPTH)
    throw invalidFlow([
      { path: "", message: `expected at most ${MAX_DEPTH} levels of nesting, got more` },
    ]);
  for (const item of Object.values(value)) checkDepth(item, depth + 1);
}

/** Returns issues of actions their form cannot express. */
function actionIssues({ methods }: JsonObject): readonly Issue[] {
  if (!isJsonObject(methods)) return [];
  return Object.entries(methods).flatMap(([name, method]) => {
    const action = isJsonObject(method) ? method["do"] : undefined;
    const path = `/methods/${pointerPart(name)}/do`;
    return isJsonObject(action) ? issuesOf(action, path) : [];
  });
}

function issuesOf(action: JsonObject, path: string): readonly Issue[] {
  switch (action["call"]) {
    case "script":
      return [{ path, message: NO_SCRIPTS }];
    case "crew":
      return sourceIssues(action, path);
    case "each":
      return Array.isArray(action["do"]) ? stepIssues(action["do"], `${path}/do`) : [];
    default:
      return [];
  }
}

function sourceIssues({ with: own, fromDeclaration }: JsonObject, path: string): readonly Issue[] {
  const input = [
    own === undefined ? [] : ["with"],
    fromDeclaration === undefined ? [] : ["from_declaration"],
  ].flat();
  if (input.length !== 1)
    return [
      {
        path,
        message: `expected exactly one of with, from_declaration, got ${input.length === 0 ? "nothing" : "both"}`,
      },
    ];
  if (typeof fromDeclaration === "string" && leaves(fromDeclaration))
    return [
      {
        path: `${path}/fromDeclaration`,
        message: `expected a path within the folder of the flow, got ${JSON.stringify(fromDeclaration)}`,
      },
    ];
  return [];
}

/** True if a path leads out of its starting folder. */
function leaves(path: string): boolean {
  if (/^([/\\~]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path)) return true;
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}

function stepIssues(steps: readonly JsonValue[], path: string): readonly Issue[] {
  const names = new Set<JsonValue>();
  return steps.flatMap((step, index): Issue[] => {
    if (!isJsonObject(step)) return [];
    const { name = "", action } = step;
    const isRepeated = names.has(name);
    names.add(name);
    const inside = isJsonObject(action) ? action : {};
    const at = `${path}/${index}`;
    return [
      ...(isRepeated
        ? [
            {
              path: `${at}/name`,
              message: `expected a name of its own, got ${JSON.stringify(name)} again`,
            },
          ]
        : []),
      ...(inside["call"] === "each"
        ? [
            {
              path: `${at}/action/call`,
              message:
                "an each cannot hold another each: have a flow or a function do the inner one",
            },
          ]
        : issuesOf(inside, `${at}/action`)),
    ];
  });
}

type IgnoredFields = { readonly at: string; readonly ignored: string[] };

/** Returns camelCase names and one form for each feature, without fields that have no meaning here. */
function normalized(input: JsonObject): JsonObject {
  const ignored: string[] = [];
  const flow = fields(input);
  const { state, config, persist, methods } = flow;
  if (isJsonObject(state)) flow["state"] = stateOf(fields(state));
  if (isJsonObject(config))
    flow["config"] = withoutIgnored(fields(config), IGNORED.config, {
      at: "/config",
      ignored,
    });
  if (persist !== undefined) flow["persist"] = persistOf(persist);
  if (isJsonObject(methods))
    flow["methods"] = Object.fromEntries(
      ownMethods(methods).map(([name, method]) => [
        name,
        isJsonObject(method)
          ? methodOf(fields(method), { at: `/methods/${pointerPart(name)}`, ignored })
          : method,
      ]),
    );
  return ignored.length === 0 ? flow : { ...flow, ignored };
}

/** Returns fields in camelCase, without null fields: files use null for an absent value. */
function fields(object: JsonObject): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) =>
      value === null ? [] : [[camelCase(key), value]],
    ),
  );
}

/** CrewAI's exports of conversational flows list the built-in methods, which every such flow has. */
const BUILT_IN = /^crewai\.flow\.[\w.]+:_?Conversational\w*\./;

function ownMethods(methods: JsonObject): ReadonlyArray<readonly [string, JsonValue]> {
  return Object.entries(methods).filter(([, method]) => {
    const action = isJsonObject(method) ? method["do"] : undefined;
    const ref = isJsonObject(action) ? action["ref"] : undefined;
    return typeof ref !== "string" || !BUILT_IN.test(ref);
  });
}

function stateOf(state: Record<string, JsonValue>): JsonObject {
  if (state["type"] !== undefined) return state;
  return { type: state["jsonSchema"] === undefined ? "dict" : "json_schema", ...state };
}

/** Reads `true`, or CrewAI's `{ enabled: true, ... }`; the deployment decides where the state is stored. */
function persistOf(persist: JsonValue): JsonValue {
  if (!isJsonObject(persist)) return persist;
  const { enabled = false, verbose: _, persistence: __, ...others } = fields(persist);
  return Object.keys(others).length === 0 ? enabled : persist;
}

function methodOf(method: Record<string, JsonValue>, ignoredFields: IgnoredFields): JsonObject {
  const { humanFeedback, persist, do: action } = method;
  for (const name of ["start", "router"] as const)
    if (method[name] === false || method[name] === "") delete method[name];
  if (isJsonObject(humanFeedback)) {
    const { emit } = (method["humanFeedback"] = withoutIgnored(
      fields(humanFeedback),
      IGNORED.humanFeedback,
      { at: `${ignoredFields.at}/humanFeedback`, ignored: ignoredFields.ignored },
    ));
    if (emit !== undefined) {
      delete method["router"];
      delete method["emit"];
    }
  }
  if (method["emit"] !== undefined && method["router"] === undefined) {
    ignoredFields.ignored.push(`${ignoredFields.at}/emit`);
    delete method["emit"];
  }
  if (persist !== undefined) method["persist"] = persistOf(persist);
  if (isJsonObject(action)) method["do"] = actionOf(action);
  return method;
}

function actionOf(input: JsonObject): JsonObject {
  const action = fields(input);
  if (action["call"] === undefined && action["ref"] !== undefined) action["call"] = "code";
  if (action["call"] === "each" && Array.isArray(action["do"]))
    action["do"] = (action["do"] as readonly JsonValue[]).map((step) => {
      if (!isJsonObject(step)) return step;
      const { action: inner, ...rest } = fields(step);
      if (inner === undefined) return rest;
      return { ...rest, action: isJsonObject(inner) ? actionOf(inner) : inner };
    });
  return action;
}

/** Fields without a request are not reported. */
function withoutIgnored(
  object: Record<string, JsonValue>,
  names: ReadonlySet<string>,
  { at, ignored }: IgnoredFields,
): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => {
      if (!names.has(name)) return true;
      if (value !== false) ignored.push(`${at}/${name}`);
      return false;
    }),
  );
}
