// Types of Python as JSON Schema.
//
//   PYS1. Read are `str`, `int`, `float`, `bool`, `list`, `dict`, `tuple`, `Optional`, `Union`, `Literal`, `Annotated`, enums and
//         models, and `Field(…)` with its bounds; another type takes anything, and is an open place.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import { childrenOf, PythonSource, type Assignment, type PythonNode } from "./python-source.ts";
import { textValue } from "./python-texts.ts";
import { asJson, type PythonValue } from "./python-value.ts";
import { readValue } from "./python-values.ts";

/** A field of an object: its schema, and if it is required. */
export type FieldSchema = { readonly schema: JsonObject; readonly isRequired: boolean };

type Context = {
  readonly isModel: (name: string) => boolean;
  readonly open: OpenPlace[];
  /** Place of a type written as a text. */
  readonly place?: { readonly source: PythonSource; readonly node: PythonNode } | undefined;
};

const NULL: JsonObject = { type: "null" };

/** Reads types. Models are references to `#/$defs/<name>`, and are collected in `uses`. */
export class TypeReader {
  readonly source: PythonSource;
  readonly uses: Set<string>;
  readonly isModel: (name: string) => boolean;
  readonly #context: Context;

  constructor(source: PythonSource, context: Context, uses = new Set<string>()) {
    this.source = source;
    this.uses = uses;
    this.isModel = context.isModel;
    this.#context = context;
  }

  leave(node: PythonNode, why: string): void {
    const { place, open } = this.#context;
    const { source, node: at } = place ?? { source: this.source, node };
    open.push({ ...openAt(source, at, why), text: source.textOf(at).split("\n")[0] ?? "" });
  }

  /** `rating: int = Field(..., ge=1)`. */
  field({ type, value, node }: Pick<Assignment, "type" | "value" | "node">): FieldSchema {
    const of =
      type === undefined
        ? undefined
        : childrenOf(type).find(({ name }) => name !== ":" && name !== "->");
    const schema = of === undefined ? {} : this.type(of);
    // A field that accepts None is optional: people leave it out, and so do models.
    const isRequired = !takesNull(schema);
    if (value === undefined) return { schema, isRequired };
    const read = readValue(this.source, value);
    const field = fieldCall(read);
    if (field !== undefined) return this.#described({ schema, isRequired }, field);
    const isEmpty = read.kind === "call" && read.args.length + read.keywords.length === 0;
    const plain = isEmpty ? FACTORIES[read.name] : asJson(read);
    if (plain !== undefined) return withDefault({ schema, isRequired }, plain);
    if (this.source.textOf(value) === "...") return { schema, isRequired };
    this.leave(node, "a default that cannot be read");
    return { schema, isRequired: false };
  }

  #described(field: FieldSchema, call: Extract<PythonValue, { kind: "call" }>): FieldSchema {
    let made = field;
    const extra: Record<string, JsonValue> = {};
    const [first] = call.args;
    const plain = first === undefined ? undefined : asJson(first);
    if (plain !== undefined) made = withDefault(made, plain);
    for (const { name, value } of call.keywords) {
      const read = asJson(value);
      if (name === "default_factory") {
        const empty = value.kind === "name" ? FACTORIES[value.name] : undefined;
        if (empty === undefined) {
          this.leave(value.node, "a default that is computed: write it as `.default(…)`");
          made = { ...made, isRequired: false };
        } else made = withDefault(made, empty);
      } else if (read === undefined) {
        if (this.source.textOf(value.node) !== "...")
          this.leave(value.node, `\`${name}\` of a field cannot be read`);
      } else if (name === "description" && typeof read === "string") extra["description"] = read;
      else if (name === "default") made = withDefault(made, read);
      else {
        const bounded = withBound(made.schema, name, read);
        if (bounded !== undefined) made = { ...made, schema: bounded };
        else if (!QUIET.has(name)) this.leave(value.node, `\`${name}\` of a field is left out`);
      }
    }
    return { ...made, schema: { ...made.schema, ...extra } };
  }

  type(node: PythonNode): JsonObject {
    const { source } = this;
    if (node.name === "None") return NULL;
    if (node.name === "String") return this.#written(textValue(source, node) ?? "", node);
    if (node.name === "VariableName") return this.#named(source.textOf(node), node);
    if (node.name === "BinaryExpression") {
      const sides = childrenOf(node).filter(({ name }) => name !== "BitOp");
      return union(sides.map((each) => this.type(each)));
    }
    if (node.name !== "MemberExpression") return this.#unknown(node);
    const [object, sign, ...rest] = childrenOf(node);
    if (object === undefined || sign?.name !== "[")
      return this.#named(source.textOf(node).split(".").at(-1) ?? "", node);
    const inside = rest.filter(({ name }) => name !== "]" && name !== ",");
    const parts = inside.flatMap((each) =>
      each.name === "TupleExpression" && !source.textOf(each).startsWith("(")
        ? childrenOf(each).filter(({ name }) => name !== ",")
        : [each],
    );
    return this.#generic(source.textOf(object).split(".").at(-1) ?? "", parts, node);
  }

  #generic(name: string, parts: readonly PythonNode[], node: PythonNode): JsonObject {
    const [first, second] = parts;
    if (first === undefined) return this.#unknown(node);
    switch (name) {
      case "Optional":
        return union([...parts.map((each) => this.type(each)), NULL]);
      case "Union":
        return union(parts.map((each) => this.type(each)));
      case "Literal": {
        const values = parts.map((each) => asJson(readValue(this.source, each)));
        return values.includes(undefined) ? this.#unknown(node) : oneOf(values as JsonValue[]);
      }
      case "Annotated": {
        const bounds = second && fieldCall(readValue(this.source, second));
        const field = { schema: this.type(first), isRequired: true };
        return bounds === undefined ? field.schema : this.#described(field, bounds).schema;
      }
      case "ClassVar":
      case "Final":
        return this.type(first);
      case "List":
      case "list":
      case "Sequence":
      case "Iterable":
        return { type: "array", items: this.type(first) };
      case "Set":
      case "set":
        return { type: "array", items: this.type(first), uniqueItems: true };
      case "Tuple":
      case "tuple":
        if (second !== undefined && this.source.textOf(second) === "...")
          return { type: "array", items: this.type(first) };
        return { type: "array", prefixItems: parts.map((each) => this.type(each)), items: false };
      case "Dict":
      case "dict":
      case "Mapping":
        return {
          type: "object",
          ...(second !== undefined && { additionalProperties: this.type(second) }),
        };
      default:
        return this.#unknown(node);
    }
  }

  /** Reads a type in a text, for example of a later class: `"Node"`, `"Optional[Node]"`. */
  #written(text: string, node: PythonNode): JsonObject {
    if (/^\w+$/.test(text)) return this.#named(text, node);
    const source = new PythonSource(this.source.path, text);
    const expression = source.root.firstChild?.firstChild ?? undefined;
    if (expression === undefined || this.#context.place !== undefined) return this.#unknown(node);
    const place = { source: this.source, node };
    return new TypeReader(source, { ...this.#context, place }, this.uses).type(expression);
  }

  #named(name: string, node: PythonNode): JsonObject {
    if (this.isModel(name)) {
      this.uses.add(name);
      return { $ref: `#/$defs/${name}` };
    }
    return (Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined) ?? this.#unknown(node);
  }

  #unknown(node: PythonNode): JsonObject {
    this.leave(node, "a type that has no counterpart: anything is taken");
    return {};
  }
}

const PLAIN: Readonly<Record<string, JsonObject>> = {
  str: { type: "string" },
  int: { type: "integer" },
  float: { type: "number" },
  Decimal: { type: "number" },
  bool: { type: "boolean" },
  list: { type: "array" },
  List: { type: "array" },
  dict: { type: "object" },
  Dict: { type: "object" },
  Any: {},
  object: {},
  HttpUrl: { type: "string", format: "uri" },
  AnyUrl: { type: "string", format: "uri" },
  EmailStr: { type: "string", format: "email" },
  datetime: { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
  UUID: { type: "string", format: "uuid" },
};

const FACTORIES: Readonly<Record<string, JsonValue>> = {
  list: [],
  set: [],
  tuple: [],
  dict: {},
  str: "",
};

/** Bounds of `Field`, by the types that support them. */
const BOUNDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  string: {
    min_length: "minLength",
    max_length: "maxLength",
    pattern: "pattern",
    regex: "pattern",
  },
  array: {
    min_length: "minItems",
    max_length: "maxItems",
    min_items: "minItems",
    max_items: "maxItems",
  },
};
const OF_NUMBERS: Readonly<Record<string, string>> = {
  ge: "minimum",
  le: "maximum",
  gt: "exclusiveMinimum",
  lt: "exclusiveMaximum",
  multiple_of: "multipleOf",
};

/** Arguments of `Field` without an effect here. */
const QUIET = new Set("title examples example exclude repr frozen init kw_only".split(" "));

/** Adds a bound. For an optional value it bounds the value. Undefined if the type has no such bound. */
function withBound(schema: JsonObject, name: string, value: JsonValue): JsonObject | undefined {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    const [first, ...rest] = anyOf as readonly JsonObject[];
    const bounded = first && withBound(first, name, value);
    return bounded && rest.length === 1 && takesNull(schema)
      ? { ...schema, anyOf: [bounded, ...rest] }
      : undefined;
  }
  const isNumber = type === "integer" || type === "number";
  const keyword = (isNumber ? OF_NUMBERS : BOUNDS[typeof type === "string" ? type : ""])?.[name];
  const fits = typeof value === (keyword === "pattern" ? "string" : "number");
  return keyword !== undefined && fits ? { ...schema, [keyword]: value } : undefined;
}

/** `Field(…)`. */
function fieldCall(value: PythonValue): Extract<PythonValue, { kind: "call" }> | undefined {
  return value.kind === "call" && /(^|\.)Field$/.test(value.name) ? value : undefined;
}

/** A default of None makes a field optional. */
function withDefault({ schema }: FieldSchema, value: JsonValue): FieldSchema {
  if (value === null) return { schema: union([schema, NULL]), isRequired: false };
  return { schema: { ...schema, default: value }, isRequired: false };
}

export function takesNull({ anyOf, type }: JsonObject): boolean {
  return (
    type === "null" ||
    (Array.isArray(anyOf) &&
      (anyOf as readonly JsonObject[]).some(({ type: each }) => each === "null"))
  );
}

/** One of these values. */
export function oneOf(values: readonly JsonValue[]): JsonObject {
  const [only = null] = values;
  return values.length === 1 ? { const: only } : { enum: [...values] };
}

function union(schemas: readonly JsonObject[]): JsonObject {
  const all = schemas.flatMap((schema) =>
    Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1
      ? (schema["anyOf"] as readonly JsonObject[])
      : [schema],
  );
  const others = all.filter(({ type }) => type !== "null");
  const isNullable = others.length < all.length;
  const [only = NULL] = others;
  if (!isNullable || others.length === 0) return others.length > 1 ? { anyOf: others } : only;
  // A schema without a type accepts null, too.
  if (others.some((each) => Object.keys(each).length === 0)) return {};
  return { anyOf: [...others, NULL] };
}
