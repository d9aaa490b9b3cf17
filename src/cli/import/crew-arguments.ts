// The arguments of `Agent`, `Task` and `Crew` as fields of definitions: models, tools, shapes, functions.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { camelCase } from "../../base/camel-case.ts";
import type { CrewScope, Scope } from "./crew-scope.ts";
import { defaultOf, defaultTaken } from "./chosen-values.ts";
import { inputName } from "./text-values.ts";
import { serversOf, splitServers } from "./mcp-servers.ts";
import { allOf, knowledgeSource, plainValue } from "./plain-values.ts";
import { spreadKeywords } from "./spread-keywords.ts";
import { ADVICE, KEYWORDS, type KeywordKind, type Owner } from "./crew-keywords.ts";
import { modelClass, modelOfClass } from "./model-classes.ts";
import { isSecret } from "./hide-secrets.ts";
import { asJson, type Keyword, type PythonCall, type PythonValue } from "./python-value.ts";

export type CodeNames = {
  readonly tools: ReadonlySet<string>;
  readonly shapes: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
};

export class ArgumentReader {
  /** Names of required code. */
  readonly uses = {
    tools: new Set<string>(),
    shapes: new Set<string>(),
    functions: new Set<string>(),
  };
  readonly #scope: CrewScope;

  constructor(scope: CrewScope) {
    this.#scope = scope;
  }

  #depth = 0;

  /** Stops at methods and names that refer to themselves. */
  #deeper<Read>(read: () => Read): Read | undefined {
    if (this.#depth > MAX_DEPTH) return undefined;
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }

  fields(owner: Owner, call: PythonCall, scope: Scope): JsonObject {
    const fields: Record<string, JsonValue> = {};
    for (const arg of call.args)
      this.#scope.leave(arg, `an argument of \`${owner}\` without a name is not read`);
    for (const { name, value: passed } of this.keywords(call, scope)) {
      const value = name === "tools" ? this.#withoutServers(passed, { scope, fields }) : passed;
      if (value === undefined) continue;
      const kind = KEYWORDS[owner].get(name);
      // Fields of the YAML are not repeated.
      const isOfYaml = value.kind === "entry" && (value.field === name || name === "**");
      if (kind === "skip" || isOfYaml) continue;
      if (kind === undefined || kind === "other") {
        if (name === "*" || name === "**")
          this.#scope.leave(value, "spread arguments of a call are not read");
        else if (kind === "other")
          this.#scope.leave(value, `\`${name}\` of \`${owner}\` has no counterpart here`);
        else this.#scope.pass(value, `CrewAI ignores \`${name}\` of \`${owner}\``);
        continue;
      }
      const read =
        this.#field(kind, value, scope) ?? (TEXTS.has(name) ? this.#input(value) : undefined);
      if (read === undefined)
        this.#scope.leave(value, `\`${name}\` cannot be read: ${ADVICE[kind]}`);
      else if (read !== null) fields[camelCase(name)] = read;
    }
    return fields;
  }

  /** The named arguments of a call, with those of spread dicts. */
  keywords({ keywords }: PythonCall, scope: Scope): readonly Keyword[] {
    return spreadKeywords(keywords, (value, name) =>
      name === "**" ? this.#scope.resolved(value, scope) : value,
    );
  }

  /** Returns the value of a name. A variable of the environment has its default, which is listed (CHV1). */
  #resolved(value: PythonValue, scope: Scope): PythonValue {
    const found = this.#scope.resolved(value, scope);
    const fallback = defaultOf(found);
    if (found.kind !== "variable" || fallback === undefined) return found;
    this.#scope.leave(found, defaultTaken(found.name));
    return fallback;
  }

  /** Adds the MCP servers among tools to the fields, and returns the other tools. */
  #withoutServers(
    value: PythonValue,
    { scope, fields }: { readonly scope: Scope; readonly fields: Record<string, JsonValue> },
  ): PythonValue | undefined {
    const { calls, others } = splitServers(this.#scope.resolved(value, scope));
    const named = calls.length === 0 ? undefined : this.#scope.field("mcp_server_params");
    const params = named && plainValue(this.#scope, this.#scope.evaluated(named, scope));
    for (const call of calls) {
      const servers = serversOf(call, params);
      if (servers === undefined)
        this.#scope.leave(
          call,
          "an MCP server without an address: start it elsewhere, and write its url into `mcps`",
        );
      else fields["mcps"] = [...((fields["mcps"] ?? []) as JsonValue[]), ...servers];
    }
    return calls.length === 0 ? value : others;
  }

  /** A text that Python computes is an input, and is listed (EVA2). */
  #input(value: PythonValue): string {
    const name = inputName(value.source.textOf(value.node).replace(/^self\./, ""));
    this.#scope.leave(value, `the input \`${name}\` is computed: pass it at the start`);
    return `{${name}}`;
  }

  /** Undefined if it is unreadable; null if it has no effect. */
  #field(kind: KeywordKind, value: PythonValue, scope: Scope): JsonValue | undefined {
    const found = this.#resolved(value, scope);
    if (found.kind === "plain" && found.value === null) return null;
    switch (kind) {
      case "switch": {
        const plain = asJson(found);
        return typeof plain === "boolean" || typeof plain === "number" ? Boolean(plain) : undefined;
      }
      case "process":
        return found.kind === "name" ? /^Process\.(\w+)$/.exec(found.name)?.[1] : asJson(found);
      case "model":
        return this.model(found, scope);
      case "tools":
        return this.#tools(found, scope);
      case "shape":
        return this.#named(found, "shapes");
      case "function":
      case "judge":
        return kind === "judge" && found.kind === "plain"
          ? asJson(found)
          : this.#named(found, "functions");
      case "functions":
      case "judges":
        if (found.kind !== "list") return undefined;
        return allOf(
          found.items.map((item) =>
            this.#field(kind === "judges" ? "judge" : "function", item, scope),
          ),
        );
      case "agent":
        return this.#scope.partName(found);
      case "tasks":
        return found.kind === "list"
          ? allOf(
              found.items.map((item) => this.#scope.partName(this.#scope.resolved(item, scope))),
            )
          : undefined;
      case "sources":
        if (found.kind !== "list") return undefined;
        return allOf(
          found.items.map((item) =>
            knowledgeSource(this.#scope, this.#scope.resolved(item, scope)),
          ),
        );
      default:
        return plainValue(this.#scope, this.#scope.evaluated(found, scope));
    }
  }

  #named(value: PythonValue, kind: keyof CodeNames): string | undefined {
    if (value.kind !== "name") return undefined;
    const name = value.name.split(".").at(-1) ?? value.name;
    this.uses[kind].add(name);
    return name;
  }

  /** `"openai/gpt-5"`, `LLM(model="…", temperature=0.2)`, `self.model()` with `@llm`. */
  model(value: PythonValue, scope: Scope): JsonValue | undefined {
    if (value.kind === "plain") return typeof value.value === "string" ? value.value : undefined;
    if (value.kind !== "call") return undefined;
    const method = this.#scope.partName(value);
    if (method !== undefined) {
      const made = this.#scope.made(method);
      return made && this.#deeper(() => this.model(made.call, made.scope));
    }
    const className = modelClass(value.name);
    if (className === undefined) return undefined;
    const settings: Record<string, JsonValue> = {};
    let secret: PythonValue | undefined;
    for (const { name, value: each } of this.keywords(value, scope)) {
      if (this.#passSecret(name, each, scope)) {
        secret = this.#scope.resolved(each, scope);
        continue;
      }
      const read = asJson(this.#resolved(each, scope));
      if (read === undefined) {
        if (name === "base_url" || name === "api_base")
          this.#scope.leave(each, `\`${name}\` of a model comes from the Worker's variables`);
        else this.#scope.leave(each, `\`${name}\` of a model cannot be read`);
      } else if (isSecret(name)) this.#scope.leaveSecret(each, name);
      else if (read !== null) settings[name] = read;
    }
    const [first] = value.args;
    const { model, model_name, azure_deployment, ...rest } = settings;
    const named =
      model ?? model_name ?? azure_deployment ?? (first && asJson(this.#resolved(first, scope)));
    if (typeof named !== "string") return undefined;
    const full = modelOfClass(className, named);
    if (secret?.kind === "variable" && secret.name !== keyOf(full))
      rest["api_key"] = { secret: secret.name };
    return Object.keys(rest).length === 0 ? full : { model: full, ...rest };
  }

  /** True for a key that Python takes from its environment: the Worker has it as a variable. */
  #passSecret(name: string, value: PythonValue, scope: Scope): boolean {
    if (!isSecret(name)) return false;
    const found = this.#scope.resolved(value, scope);
    if (found.kind === "plain" && found.value !== null && found.value !== "") return false;
    const variable = found.kind === "variable" ? ` \`${found.name}\`` : "";
    this.#scope.pass(
      value,
      `\`${name}\` comes from a variable of the Worker${variable && `, in Python${variable}`}`,
    );
    return true;
  }

  #tools(value: PythonValue, scope: Scope): JsonValue | undefined {
    if (value.kind !== "list") return undefined;
    return value.items.flatMap((item): JsonValue[] => {
      if (item.kind === "items") {
        const more = this.#deeper(() => this.#tools(this.#scope.resolved(item.of, scope), scope));
        if (more === undefined) this.#scope.leave(item.of, UNREAD_TOOL);
        return (more ?? []) as JsonValue[];
      }
      const entry = this.tool(this.#scope.resolved(item, scope), scope);
      if (entry === undefined) this.#scope.leave(item, UNREAD_TOOL);
      return entry === undefined ? [] : [entry];
    });
  }

  /** `SerperDevTool(n_results=3)`, `self.searcher()` with `@tool`, the name of a function with `@tool`. */
  tool(value: PythonValue, scope: Scope): JsonValue | undefined {
    if (value.kind === "name") {
      const parts = value.name.split(".");
      if (parts[0] === "self") return undefined;
      // A method of a class (`Tools.search`) or a function, with `@tool`.
      const name = parts.at(-1) ?? value.name;
      this.uses.tools.add(name);
      return name;
    }
    if (value.kind !== "call") return undefined;
    const method = this.#scope.partName(value);
    if (method !== undefined) {
      const made = this.#scope.made(method);
      return made && this.#deeper(() => this.tool(made.call, made.scope));
    }
    const tool = value.name.split(".").at(-1) ?? value.name;
    if (!/^[A-Z]/.test(tool)) return undefined;
    this.uses.tools.add(tool);
    const options: Record<string, JsonValue> = {};
    for (const arg of value.args)
      this.#scope.leave(arg, `an argument of \`${tool}\` without a name is left out: name it`);
    for (const { name, value: each } of this.keywords(value, scope)) {
      if (this.#passSecret(name, each, scope)) continue;
      const resolved = this.#scope.evaluated(this.#resolved(each, scope), scope);
      const read = isSecret(name) ? asJson(resolved) : plainValue(this.#scope, resolved);
      if (read === undefined) this.#scope.leave(each, `\`${name}\` of \`${tool}\` cannot be read`);
      else if (isSecret(name)) this.#scope.leaveSecret(each, name);
      else if (read !== null) options[name] = read;
    }
    return Object.keys(options).length === 0 ? tool : { tool, ...options };
  }
}

/** The variable with the key of a model, unless the model's settings name another. */
function keyOf(model: string): string {
  const provider = model.includes("/") ? model.replace(/\/[^]*/, "") : "openai";
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

const MAX_DEPTH = 20;

/** Texts without which a crew does not build. */
const TEXTS = new Set(["role", "goal", "backstory", "description", "expected_output"]);

const UNREAD_TOOL = "a tool that cannot be read: write it in TypeScript, and name it in `tools`";
