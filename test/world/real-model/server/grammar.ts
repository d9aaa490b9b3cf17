// Grammars (GBNF) that hold a model to the shape of an answer or of a call.
//
// Strings are short and without white space between values: a weak model fills a limit of tokens with it otherwise.

/** A JSON Schema, as requests carry it. */
export type Schema = { readonly [key: string]: unknown };

export type ToolOfRequest = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
};

export type GrammarLimits = {
  /** Characters of a string. */
  readonly maxString: number;
  /** Entries of a list without a limit of its own. */
  readonly maxItems: number;
};

export const CALL_BEGIN = "<tool_call>";
export const CALL_END = "</tool_call>";

const LIMITS: GrammarLimits = { maxString: 40, maxItems: 3 };

/** A value of the schema and nothing else. */
export function schemaGrammar(schema: Schema, limits: GrammarLimits = LIMITS): string {
  const rules = new Rules(schema, limits);
  return rules.text(rules.of(schema));
}

/** A call of one of the tools; with `orText` also any text that does not begin like one. */
export function callGrammar(tools: readonly ToolOfRequest[], orText: boolean): string {
  const calls = new Rules({}, LIMITS);
  const alternatives = tools.map(({ name, parameters }) => {
    const value = new Rules(parameters, LIMITS, calls).of(parameters);
    return `${quoted(`{"name":${JSON.stringify(name)},"arguments":`)} ${value} "}"`;
  });
  const call = `${quoted(CALL_BEGIN)} ( ${alternatives.join(" | ")} ) ${quoted(CALL_END)}`;
  return calls.text(orText ? `[^<] [^<]* | ${call}` : call);
}

/** Any JSON object. */
export const JSON_OBJECT: Schema = { type: "object" };

class Rules {
  readonly #root: Schema;
  readonly #limits: GrammarLimits;
  readonly #rules: Map<string, string>;
  readonly #names = new Map<unknown, string>();

  constructor(root: Schema, limits: GrammarLimits, shared?: Rules) {
    this.#root = root;
    this.#limits = limits;
    this.#rules = shared === undefined ? new Map() : shared.#rules;
  }

  text(root: string): string {
    const { maxString, maxItems } = this.#limits;
    const lines = [
      `root ::= ${root}`,
      ...Array.from(this.#rules, ([name, rule]) => `${name} ::= ${rule}`),
      `string ::= "\\"" char{0,${maxString}} "\\""`,
      String.raw`char ::= [^"\\\x00-\x1f] | "\\" ["\\/bfnrt]`,
      'integer ::= "-"? ( "0" | [1-9] [0-9]{0,5} )',
      'number ::= integer ( "." [0-9]{1,3} )?',
      'boolean ::= "true" | "false"',
      'scalar ::= string | number | boolean | "null"',
      `object ::= "{" ( string ":" scalar ( "," string ":" scalar ){0,${maxItems}} )? "}"`,
    ];
    return `${lines.join("\n")}\n`;
  }

  /** An expression for a schema; what it does not know is any simple value. */
  of(schema: unknown): string {
    if (typeof schema !== "object" || schema === null) return "scalar";
    const { $ref, enum: values, const: one, anyOf, oneOf, allOf, type } = schema as Schema;
    if (typeof $ref === "string") return this.#named(this.#resolve($ref));
    if (Array.isArray(values)) return choice(values.map((value) => literal(value)));
    if (one !== undefined) return literal(one);
    const several = anyOf ?? oneOf;
    if (Array.isArray(several)) return choice(several.map((each) => this.of(each)));
    if (Array.isArray(allOf) && allOf.length === 1) return this.of(allOf[0]);
    if (Array.isArray(type)) return choice(type.map((each) => this.of({ ...schema, type: each })));
    return this.#ofType(schema as Schema);
  }

  #ofType(schema: Schema): string {
    switch (schema["type"]) {
      case "object":
        return this.#object(schema);
      case "array":
        return this.#array(schema);
      case "string":
        return "string";
      case "integer":
      case "number":
      case "boolean":
        return schema["type"];
      case "null":
        return '"null"';
      default:
        return "scalar";
    }
  }

  /** Every property, in its order: so a weak model leaves nothing out. */
  #object({ properties }: Schema): string {
    const entries = Object.entries((properties ?? {}) as Schema);
    if (entries.length === 0) return "object";
    const fields = entries.map(
      ([name, each]) => `${quoted(`${JSON.stringify(name)}:`)} ${this.of(each)}`,
    );
    return `"{" ${fields.join(' "," ')} "}"`;
  }

  #array({ items, minItems, maxItems }: Schema): string {
    const least = typeof minItems === "number" ? minItems : 0;
    const most = typeof maxItems === "number" ? maxItems : Math.max(least, this.#limits.maxItems);
    if (most === 0) return '"[]"';
    const item = this.of(items);
    const rest = `( "," ${item} ){${Math.max(0, least - 1)},${most - 1}}`;
    const filled = `${item} ${rest}`;
    return least === 0 ? `"[" ( ${filled} )? "]"` : `"[" ${filled} "]"`;
  }

  /** A rule of its own, which may name itself. */
  #named(schema: unknown): string {
    let name = this.#names.get(schema);
    if (name === undefined) {
      name = `rule${this.#rules.size}`;
      this.#names.set(schema, name);
      this.#rules.set(name, "");
      this.#rules.set(name, this.of(schema));
    }
    return name;
  }

  #resolve(reference: string): unknown {
    return reference
      .replace(/^#\/?/, "")
      .split("/")
      .filter((step) => step !== "")
      .reduce<unknown>(
        (at, step) =>
          (at as Schema | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
        this.#root,
      );
  }
}

function choice(alternatives: readonly string[]): string {
  return `( ${[...new Set(alternatives)].join(" | ")} )`;
}

function literal(value: unknown): string {
  return quoted(JSON.stringify(value));
}

/** A text as a terminal of the grammar. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
