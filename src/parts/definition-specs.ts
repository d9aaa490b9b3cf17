// Settings of models, embedders and MCP servers at any place of a definition: checked and sealed before they are
// stored, and shown without their keys.
//
//   DK1. A literal key is sealed before it is stored, and never shown again. A reader of a definition sees only that a
//        key exists, or the name of the secret.
//   DK2. Sealed keys are accepted only from stored definitions: a request with one is refused.
//   DK3. For an MCP server, all headers and all authorization fields are keys.
import { camelCase } from "../base/camel-case.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { isSecretName } from "../base/secret-name.ts";
import { unusableDefinition } from "../base/unusable-definition.ts";
import { checkNamed, isSecretReference, type DefinitionRules } from "../llm/definition-rules.ts";
import { isListSettings, modelListFrom } from "../llm/model-list.ts";
import { readModelSettings } from "../llm/model-settings.ts";

/** Fields with settings: `llm`, `managerLlm`, `embedder`. */
const SPEC = /^(llm|embedder|evalModel)$|Llm$/;
/** Field of MCP servers: addresses, or settings. */
const SERVERS = "mcps";
/** Authorization fields within the settings of a server. */
const SERVER_KEYS: ReadonlySet<string> = new Set(["token", "clientSecret"]);
/** Fields with user-defined names inside. */
const FREE: ReadonlySet<string> = new Set([
  "inputs",
  "contextVariables",
  "default",
  "metadata",
  "schemas",
  "output",
  "outputJson",
  "outputPydantic",
  "responseModel",
  "responseFormat",
  "jsonSchema",
  "prompts",
]);
const KEYS: ReadonlySet<string> = new Set(["apiKey", "token"]);
const ADDRESSES: ReadonlySet<string> = new Set(["baseUrl", "baseURL", "apiBase", "url", "apiUrl"]);

/** Fields with settings of a connection, and the names of secrets anywhere below them. */
const CONNECTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  a2a: new Set([
    "token",
    "password",
    "apiKey",
    "clientSecret",
    "refreshToken",
    "credentials",
    "secret",
    "signature",
    "signatureSecret",
    "privateKeyPem",
  ]),
};

type Spec = { readonly settings: JsonObject; readonly path: string; readonly field: string };

/** Returns a definition in its stored form. Throws `invalid_definition` with an issue for each unusable spec. */
export async function storableDefinition(
  definition: JsonValue,
  { rules, owner }: { readonly rules: DefinitionRules | undefined; readonly owner: string },
): Promise<JsonValue> {
  if (rules === undefined) return definition;
  const issues = [
    ...specsIn(definition).flatMap((spec) => specIssues(spec, rules)),
    ...sealedByOthers(definition),
  ];
  if (issues.length > 0) throw unusableDefinition("the definition", issues);
  return sealedDefinition(definition, { rules, owner });
}

/** Returns a definition for display. */
export function shownDefinition<Definition extends JsonValue>(definition: Definition): Definition {
  return mapKeys(definition, (key) => (isName(key) ? key : { hidden: true })) as Definition;
}

/** The name of a variable in place of a key. */
function isName(key: JsonValue): boolean {
  if (isSecretReference(key)) return "secret" in key;
  return isJsonObject(key) && Object.keys(key).join() === "env" && typeof key["env"] === "string";
}

async function sealedDefinition(
  definition: JsonValue,
  { rules, owner }: { readonly rules: DefinitionRules; readonly owner: string },
): Promise<JsonValue> {
  const plain = new Set<string>();
  const places: string[] = [];
  mapKeys(definition, (key, path) => {
    if (typeof key === "string") {
      plain.add(key);
      places.push(path);
    }
    return key;
  });
  if (plain.size === 0) return definition;
  const { seal } = rules;
  const sealed = new Map<JsonValue, JsonValue>();
  try {
    for (const key of plain) {
      if (seal === undefined) throw new EngineError("unavailable", "keys cannot be stored here");
      sealed.set(key, { sealed: await seal(key, owner), owner });
    }
  } catch (error) {
    const message = `expected { "secret": "NAME" }, the name of a secret of the deployment, because ${errorMessage(error)}`;
    throw unusableDefinition(
      "the definition",
      places.map((path) => ({ path, message })),
    );
  }
  return mapKeys(definition, (key) => sealed.get(key) ?? key);
}

function specIssues({ settings, path, field }: Spec, rules: DefinitionRules): readonly Issue[] {
  if (field === SERVERS) {
    const issues: Issue[] = [];
    mapServerKeys(settings, path, (key, at) => {
      if (isSecretReference(key) && "sealed" in key)
        issues.push({ path: at, message: "expected a text, or { secret: NAME }" });
      return key;
    });
    return issues;
  }
  if (isListSettings(settings)) {
    try {
      modelListFrom(settings);
      return [];
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      return [{ path, message: error.message }];
    }
  }
  const { config, headers, defaultHeaders, default_headers, ...own } = settings;
  const inner = isJsonObject(config) ? config : {};
  const all = { ...own, ...inner };
  const texts = Object.entries({
    ...all,
    ...objectOf(headers),
    ...objectOf(defaultHeaders ?? default_headers),
  });
  const misplaced = texts.filter(
    ([name, value]) =>
      typeof value === "string" && !KEYS.has(camelCase(name)) && isSecretName(name),
  );
  const issues = misplaced.map(([name]) => ({
    path: `${path}/${pointerPart(name)}`,
    message: "cannot be stored secretly: expected the key as apiKey, or the name of a secret there",
  }));
  try {
    const key = valueOf(all, KEYS);
    if (isSecretReference(key) && "sealed" in key)
      throw new EngineError("invalid_definition", "apiKey: expected a key, or { secret: NAME }");
    const address = valueOf(all, ADDRESSES);
    if (field !== "embedder") readModelSettings(settings);
    checkNamed(
      {
        ...(typeof address === "string" ? { baseUrl: address } : undefined),
        ...(isSecretReference(key) ? { apiKey: key } : undefined),
      },
      { id: field, rules },
    );
    return issues;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return [...issues, { path, message: error.message }];
  }
}

function specsIn(definition: JsonValue): readonly Spec[] {
  const found: Spec[] = [];
  mapSpecs(definition, (spec) => {
    found.push(spec);
    return spec.settings;
  });
  return found;
}

/** The definition with each key of its specs replaced. */
function mapKeys(
  definition: JsonValue,
  change: (key: JsonValue, path: string) => JsonValue,
): JsonValue {
  const changed = (settings: JsonObject, path: string): JsonObject =>
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => {
        const at = `${path}/${pointerPart(name)}`;
        if (name === "config" && isJsonObject(value)) return [name, changed(value, at)];
        const isKey = KEYS.has(camelCase(name)) && value !== null;
        return [name, isKey ? change(value, at) : value];
      }),
    );
  const specs = mapSpecs(definition, ({ settings, path, field }) =>
    field === SERVERS ? mapServerKeys(settings, path, change) : changed(settings, path),
  );
  return mapConnections(specs, change);
}

/** The definition with each secret of its connections replaced. */
function mapConnections(
  value: JsonValue,
  change: (secret: JsonValue, path: string) => JsonValue,
  { path = "", names }: { readonly path?: string; readonly names?: ReadonlySet<string> } = {},
): JsonValue {
  if (Array.isArray(value))
    return value.map((item, index) =>
      mapConnections(item, change, { path: `${path}/${index}`, ...(names && { names }) }),
    );
  if (!isJsonObject(value)) return value;
  return mapFields(value, path, (item, field, at) => {
    const isSecret =
      names?.has(field) === true && (typeof item === "string" || isSecretReference(item));
    if (isSecret) return change(item, at);
    const within = names ?? CONNECTIONS[field];
    return mapConnections(item, change, { path: at, ...(within && { names: within }) });
  });
}

/** Finds sealed secrets in a request; only this module creates them. */
function sealedByOthers(definition: JsonValue): readonly Issue[] {
  const issues: Issue[] = [];
  mapConnections(definition, (secret, path) => {
    if (isSecretReference(secret) && "sealed" in secret)
      issues.push({ path, message: "expected a secret, or { secret: NAME }" });
    return secret;
  });
  return issues;
}

/** The settings of an MCP server with each of its keys replaced (DK3). */
function mapServerKeys(
  settings: JsonObject,
  path: string,
  change: (key: JsonValue, path: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const at = `${path}/${pointerPart(name)}`;
      const field = camelCase(name);
      if (field === "headers" && isJsonObject(value))
        return [
          name,
          Object.fromEntries(
            Object.entries(value).map(([key, each]) => [
              key,
              change(each, `${at}/${pointerPart(key)}`),
            ]),
          ),
        ];
      if ((field === "auth" || field === "oauth") && isJsonObject(value))
        return [name, mapServerKeys(value, at, change)];
      return [name, SERVER_KEYS.has(field) ? change(value, at) : value];
    }),
  );
}

function mapSpecs(value: JsonValue, change: (spec: Spec) => JsonObject, path = ""): JsonValue {
  if (Array.isArray(value))
    return value.map((item, index) => mapSpecs(item, change, `${path}/${index}`));
  if (!isJsonObject(value)) return value;
  return mapFields(value, path, (item, field, at) =>
    SPEC.test(field) || (field === SERVERS && Array.isArray(item))
      ? mapSpec(item, (settings, place) => change({ settings, path: place, field }), at)
      : mapSpecs(item, change, at),
  );
}

/** Maps the fields of an object with their names in camelCase and their paths. Free-form fields stay. */
function mapFields(
  object: JsonObject,
  path: string,
  change: (item: JsonValue, field: string, at: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, item]) => {
      const field = camelCase(key);
      return [key, FREE.has(field) ? item : change(item, field, `${path}/${pointerPart(key)}`)];
    }),
  );
}

function mapSpec(
  value: JsonValue,
  change: (settings: JsonObject, path: string) => JsonObject,
  path: string,
): JsonValue {
  if (Array.isArray(value))
    return value.map((item, index) => mapSpec(item, change, `${path}/${index}`));
  if (!isJsonObject(value)) return value;
  const changed = change(value, path);
  const list = Object.keys(value).find((name) => camelCase(name) === "configList");
  if (list === undefined) return changed;
  return { ...changed, [list]: mapSpec(value[list] ?? [], change, `${path}/${list}`) };
}

function valueOf(settings: JsonObject, names: ReadonlySet<string>): JsonValue | undefined {
  return Object.entries(settings).find(
    ([name, value]) => value !== null && names.has(name === "baseURL" ? name : camelCase(name)),
  )?.[1];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
