// Catalogue for definitions: finds tools by any spelling of their names and creates them with options, within the
// limits of a deployment.
//
//   TCA1. A class takes precedence over another vendor's name for a tool.
//   TCA2. Definitions from outside, as data, use acting tools only if `allow` lists them, name only hosts in `hosts`,
//         and contain no secrets: `{ env }` names a variable, and only one declared by the tool itself.
//   TCA3. A name that cannot work is rejected with the reason and a replacement.
import { camelCase } from "../../base/camel-case.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { isListed } from "../../security/host-list.ts";
import type {
  CatalogAnswer,
  CatalogListing,
  CatalogRequest,
  ToolCatalog,
} from "../tool-catalog.ts";
import { markAsData } from "../../llm/definition-rules.ts";
import { toParameters } from "../json-schema.ts";
import { mostLike, nearestNames, toolKey } from "../../wire/tool-key.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import type { CatalogEntry } from "./base/entry.ts";
import { referenceOf, ungrouped } from "./base/read-options.ts";
import { ENTRIES } from "./entries.ts";
import { namedProviderTool } from "./provider/named-provider-tool.ts";
import { UNAVAILABLE } from "./unavailable.ts";

/** Content of a deployment's catalogue, and permissions of stored definitions. */
export type ToolCatalogOptions = {
  /** Included classes. @default all */
  readonly only?: readonly string[];
  /** Excluded classes. @default [] */
  readonly except?: readonly string[];
  /** Classes acting outside of the run that definitions stored over HTTP may use. @default [] */
  readonly allow?: readonly string[];
  /**
   * Hosts stored definitions may name in options: `search.example.com`, `*.example.com`; and databases: `d1:REPORTS`.
   * @default []
   */
  readonly hosts?: readonly string[];
};

/** Creates a catalogue with all tools, for definitions. */
export function toolCatalog(options: ToolCatalogOptions = {}): ToolCatalog {
  return new NamedTools(ENTRIES, options);
}

/** Tools by their names. */
export class NamedTools implements ToolCatalog {
  readonly #entries: readonly CatalogEntry[];
  readonly #byKey = new Map<string, CatalogEntry>();
  readonly #unavailable: ReadonlyMap<string, string>;
  readonly #allow: ReadonlySet<string>;
  readonly #hosts: readonly string[];

  constructor(
    entries: readonly CatalogEntry[],
    { only, except = [], allow = [], hosts = [] }: ToolCatalogOptions,
  ) {
    const all = new Map(entries.map((entry) => [toolKey(entry.className), entry]));
    const keysOf = (names: readonly string[], option: string): ReadonlySet<string> => {
      const keys = names.map(toolKey);
      const wrong = names.find((_, index) => !all.has(keys[index] ?? ""));
      if (wrong === undefined) return new Set(keys);
      throw new EngineError(
        "invalid_definition",
        `toolCatalog({ ${option} }): there is no tool "${wrong}"${mostLike(this.#nearestOf(wrong, entries))}`,
      );
    };
    const kept = only === undefined ? undefined : keysOf(only, "only");
    const dropped = keysOf(except, "except");
    this.#allow = keysOf(allow, "allow");
    this.#hosts = hosts;
    this.#entries = entries.filter(({ className }) => {
      const key = toolKey(className);
      return (kept === undefined || kept.has(key)) && !dropped.has(key);
    });
    for (const entry of this.#entries)
      for (const name of entry.otherNames) this.#byKey.set(toolKey(name), entry);
    for (const entry of this.#entries) this.#byKey.set(toolKey(entry.className), entry);
    this.#unavailable = new Map(Object.keys(UNAVAILABLE).map((name) => [toolKey(name), name]));
  }

  make(request: CatalogRequest): CatalogAnswer | undefined {
    const { name, fromData } = request;
    const options = fromData ? markAsData({ ...request.options }) : request.options;
    try {
      const find = (other: string): CatalogAnswer | undefined =>
        this.#make({ ...request, name: other, options: {} });
      return namedProviderTool(name, options, find) ?? this.#make({ ...request, options });
    } catch (error) {
      if (EngineError.is(error) && error.code === "invalid_definition")
        return { refused: errorMessage(error) };
      throw error;
    }
  }

  #make({ name, options, fromData, asksNobody }: CatalogRequest): CatalogAnswer | undefined {
    const key = toolKey(name);
    const entry = this.#byKey.get(key);
    if (entry === undefined) return this.#refusal(name, key);
    const flat = ungrouped(options, entry.optionGroups);
    const fault = fromData ? this.#faultOfData(entry, flat) : undefined;
    if (fault !== undefined) return { refused: fault };
    const { className, effectClass } = entry;
    const acts = effectClass === "X" && asksNobody && options["needsApproval"] === undefined;
    const { tool, warnings } = entry.make(acts ? { ...options, needsApproval: false } : options);
    return {
      tool,
      warnings: acts
        ? [...warnings, `${className} acts outside of the run and asks nobody first`]
        : warnings,
    };
  }

  nearest(name: string): readonly string[] {
    return this.#nearestOf(name, this.#entries);
  }

  list(): readonly CatalogListing[] {
    return this.#entries.map((entry) => ({
      className: entry.className,
      names: entry.otherNames,
      displayName: entry.displayName,
      description: entry.description,
      group: entry.group,
      service: entry.service,
      effect: EFFECTS[entry.effectClass],
      variables: entry.variables.map(
        ({ name, description, required, oneOf, default: fallback }) => ({
          name,
          description,
          ...(required === undefined ? undefined : { required }),
          ...(oneOf === undefined ? undefined : { oneOf }),
          ...(fallback === undefined ? undefined : { default: fallback }),
        }),
      ),
      bindings: entry.bindings,
      parameters: toParameters(entry.input()),
      options: toParameters(entry.options()),
    }));
  }

  #nearestOf(name: string, entries: readonly CatalogEntry[]): readonly string[] {
    return nearestNames(
      name,
      entries.map(({ className }) => className),
    );
  }

  /** Returns the reason why a name makes no tool; undefined for an unknown name. */
  #refusal(name: string, key: string): CatalogAnswer | undefined {
    const className = this.#unavailable.get(key);
    const reason = className === undefined ? undefined : UNAVAILABLE[className];
    if (reason !== undefined)
      return { refused: `"${className}" is not available here: ${reason.why}. ${reason.instead}.` };
    const shown = sanitizeToolName(name);
    const classes = this.#entries
      .filter(({ displayName }) => sanitizeToolName(displayName) === shown)
      .map(({ className: each }) => each);
    return classes.length === 0
      ? undefined
      : { refused: `"${name}" is what models see of ${classes.join(" and of ")}: name the class` };
  }

  /** Returns the reason why a definition from outside may not use a tool with these options. */
  #faultOfData(entry: CatalogEntry, options: JsonObject): string | undefined {
    const { className, effectClass, variables, hostOptions, codeOptions } = entry;
    if (effectClass === "X" && !this.#allow.has(toolKey(className)))
      return `"${className}" acts outside of the run: stored definitions may use it where toolCatalog({ allow: ["${className}"] }) says so`;
    const names = new Set(variables.map(({ name }) => name));
    for (const [spelled, value] of Object.entries(options)) {
      const option = camelCase(spelled);
      const reference = referenceOf(value);
      const secret = variables.find((each) => each.option === option && each.isPlain !== true);
      const named = variables.find(({ name }) => name === reference);
      if (reference !== undefined && !names.has(reference))
        return `${className}.${spelled}: ${reference} is no variable of this tool; it has ${[...names].join(", ") || "none"}`;
      if (named !== undefined && named.isPlain !== true && named.option !== option)
        return `${className}.${spelled}: ${named.name} is a secret, which stands in ${named.option ?? "no option"} alone`;
      if (secret !== undefined && reference === undefined)
        return `${className}.${spelled}: a stored definition holds no secret: give { "env": "${secret.name}" }`;
      if (option === "needsApproval" && effectClass === "X" && value !== true)
        return `${className}.${spelled}: a stored definition cannot take the approval away`;
      if (option === "headers" && variables.some(({ send }) => send !== undefined))
        return `${className}.${spelled}: headers are set in deployed code alone`;
      if (codeOptions.includes(option))
        return `${className}.${spelled}: this is set in deployed code alone`;
      if (hostOptions.includes(option) && !this.#isAllowedHost(value))
        return `${className}.${spelled}: this host is not among toolCatalog({ hosts })`;
    }
    return undefined;
  }

  /** Checks a host, an address with one, or the name of a binding as `d1:REPORTS`; each item of a list. */
  #isAllowedHost(value: unknown): boolean {
    if (Array.isArray(value)) return value.every((each) => this.#isAllowedHost(each));
    if (typeof value !== "string") return false;
    if (this.#hosts.includes(value)) return true;
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `https://${value}`;
    return URL.canParse(address) && isListed(new URL(address), this.#hosts);
  }
}

const EFFECTS = { R: "reads", W: "writes", X: "acts" } as const;
