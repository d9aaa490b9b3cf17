// Pydantic models and enums as zod.
//
//   PYM1. Fields of `str`, `int`, `float`, `bool`, `list`, `dict`, `Optional`, `Literal`, enums and other models, with `Field(…)`, are read;
//         another type is `z.unknown()`, and an open place, as is a validator.
import type { JsonValue } from "../../base/json.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import {
  bodyOf,
  childrenOf,
  type Assignment,
  type Definition,
  type PythonNode,
  type PythonSource,
} from "./python-source.ts";
import { asJson, readArguments, readValue, textValue } from "./python-values.ts";

/** A class that becomes a schema. */
export type PythonModel = {
  readonly name: string;
  /** An expression of zod. */
  readonly schema: string;
  /** Classes that it is made of. */
  readonly uses: ReadonlySet<string>;
};

/** The models and enums of all files, those that others are made of first. */
export function pythonModels(sources: readonly PythonSource[]): {
  readonly models: readonly PythonModel[];
  readonly open: readonly OpenPlace[];
} {
  const classes = new Map<string, { source: PythonSource; definition: Definition }>();
  for (const source of sources)
    for (const definition of bodyOf(source, source.root).definitions)
      if (definition.kind === "class" && !classes.has(definition.name))
        classes.set(definition.name, { source, definition });
  const kindOf = (name: string, seen: readonly string[] = []): "model" | "enum" | undefined => {
    if (MODELS.has(name)) return "model";
    if (ENUMS.has(name)) return "enum";
    const found = classes.get(name);
    if (found === undefined || seen.includes(name)) return undefined;
    return basesOf(found.source, found.definition)
      .map((base) => kindOf(base, [...seen, name]))
      .find((kind) => kind !== undefined);
  };
  const open: OpenPlace[] = [];
  const isModel = (name: string): boolean => classes.has(name) && kindOf(name) !== undefined;
  const models = [...classes].flatMap(([name, { source, definition }]): PythonModel[] => {
    const kind = kindOf(name);
    if (kind === undefined) return [];
    const reader = new TypeReader(source, { isModel, open });
    const schema =
      kind === "enum"
        ? enumSchema(source, definition, open)
        : modelSchema(reader, definition, isModel);
    return [{ name, schema, uses: reader.uses }];
  });
  return { models: inOrder(models), open };
}

const MODELS = new Set(["BaseModel", "FlowState"]);
const ENUMS = new Set(["Enum", "StrEnum", "IntEnum"]);

/** The names of the classes that a class is made of. */
export function basesOf(source: PythonSource, { node }: Definition): readonly string[] {
  const list = node.getChild("ArgList");
  if (list === null) return [];
  return readArguments(source, list).args.flatMap((value) =>
    value.kind === "name" ? [value.name.split(".").at(-1) ?? value.name] : [],
  );
}

function inOrder(models: readonly PythonModel[]): readonly PythonModel[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  const done = new Set<PythonModel>();
  const visit = (model: PythonModel): void => {
    if (done.has(model)) return;
    done.add(model);
    for (const name of model.uses) {
      const used = byName.get(name);
      if (used !== undefined) visit(used);
    }
    // A set keeps the place of the first time: the model comes behind those that it uses.
    done.delete(model);
    done.add(model);
  };
  for (const model of models) visit(model);
  return [...done];
}

function enumSchema(source: PythonSource, { node }: Definition, open: OpenPlace[]): string {
  const values = bodyOf(source, node).assignments.flatMap(({ value, node: at }) => {
    const plain = value === undefined ? undefined : asJson(readValue(source, value));
    if (plain === undefined) open.push(openAt(source, at, "a value of an enum that is not read"));
    return plain === undefined ? [] : [plain];
  });
  return values.length === 0 ? "z.unknown()" : literalSchema(values);
}

function literalSchema(values: readonly JsonValue[]): string {
  if (values.length > 1 && values.every((value) => typeof value === "string"))
    return `z.enum(${JSON.stringify(values)})`;
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length === 1 ? `z.literal(${list})` : `z.literal([${list}])`;
}

function modelSchema(
  reader: TypeReader,
  definition: Definition,
  isModel: (name: string) => boolean,
): string {
  const { source } = reader;
  const { assignments, definitions, docstring } = bodyOf(source, definition.node);
  for (const each of definitions)
    if (each.decorators.some(({ name }) => name.endsWith("validator")))
      reader.leave(each.node, "a validator: write it as `.refine()` of the schema");
  const fields = assignments
    .filter(({ name, type }) => type !== undefined && name !== "model_config")
    .map((field) => `  ${key(field.name)}: ${reader.field(field)},`);
  const base = basesOf(source, definition).find(isModel);
  const body = `{\n${fields.join("\n")}\n}`;
  const object = base === undefined ? `z.object(${body})` : `${base}.extend(${body})`;
  if (base !== undefined) reader.uses.add(base);
  const about = docstring === undefined ? undefined : docText(source, docstring);
  return about === undefined || about === ""
    ? object
    : `${object}.describe(${JSON.stringify(about)})`;
}

export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A docstring without the indentation of its lines. */
export function docText(source: PythonSource, node: PythonNode): string {
  const text = textValue(source, node) ?? "";
  return text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

/** Types of Python as expressions of zod. */
export class TypeReader {
  readonly source: PythonSource;
  readonly uses = new Set<string>();
  readonly isModel: (name: string) => boolean;
  readonly #open: OpenPlace[];

  constructor(
    source: PythonSource,
    { isModel, open }: { readonly isModel: (name: string) => boolean; readonly open: OpenPlace[] },
  ) {
    this.source = source;
    this.isModel = isModel;
    this.#open = open;
  }

  leave(node: PythonNode, why: string): void {
    const place = openAt(this.source, node, why);
    this.#open.push({ ...place, text: this.source.textOf(node).split("\n")[0] ?? "" });
  }

  /** `rating: int = Field(..., ge=1)`. */
  field({ type, value, node }: Pick<Assignment, "type" | "value" | "node">): string {
    const of =
      type === undefined
        ? undefined
        : childrenOf(type).find(({ name }) => name !== ":" && name !== "->");
    const schema = of === undefined ? "z.unknown()" : this.type(of);
    if (value === undefined) return schema;
    const read = readValue(this.source, value);
    if (read.kind === "call" && /(^|\.)Field$/.test(read.name))
      return this.#described(schema, read);
    const plain = asJson(read);
    if (plain !== undefined) return withDefault(schema, plain);
    if (this.source.textOf(value) !== "...") this.leave(node, "a default that cannot be read");
    return schema;
  }

  #described(
    schema: string,
    call: Extract<ReturnType<typeof readValue>, { kind: "call" }>,
  ): string {
    let checks = "";
    let rest = "";
    const first = call.args[0];
    const plain = first === undefined ? undefined : asJson(first);
    if (plain !== undefined) rest += defaultOf(schema, plain);
    for (const { name, value } of call.keywords) {
      const read = asJson(value);
      const check = CHECKS[name];
      if (name === "default_factory") {
        if (value.kind === "name" && value.name === "list") rest += ".default([])";
        else if (value.kind === "name" && value.name === "dict") rest += ".default({})";
        else this.leave(value.node, "a default that is computed: write it as `.default(…)`");
      } else if (read === undefined) {
        if (this.source.textOf(value.node) !== "...")
          this.leave(value.node, `\`${name}\` of a field cannot be read`);
      } else if (name === "description") rest += `.describe(${JSON.stringify(read)})`;
      else if (name === "default") rest += defaultOf(schema, read);
      else if (check !== undefined && typeof read === "number" && CHECKED.test(schema))
        checks += `.${check}(${read})`;
      else if (!QUIET.has(name)) this.leave(value.node, `\`${name}\` of a field is left out`);
    }
    // A check of an optional number stands before what makes it optional.
    const optional = schema.endsWith(".nullish()");
    const inner = optional ? schema.slice(0, -".nullish()".length) : schema;
    return `${inner}${checks}${optional ? ".nullish()" : ""}${rest}`;
  }

  type(node: PythonNode): string {
    const { source } = this;
    if (node.name === "None") return "z.null()";
    if (node.name === "String") {
      const name = textValue(source, node) ?? "";
      return this.#named(name, node);
    }
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
    const name = source.textOf(object).split(".").at(-1) ?? "";
    switch (name) {
      case "Optional":
        return union([...parts.map((each) => this.type(each)), "z.null()"]);
      case "Union":
        return union(parts.map((each) => this.type(each)));
      case "Literal": {
        const values = parts.map((each) => asJson(readValue(source, each)));
        return values.includes(undefined)
          ? this.#unknown(node)
          : literalSchema(values as JsonValue[]);
      }
      case "Annotated":
      case "ClassVar":
      case "Final":
        return parts[0] === undefined ? this.#unknown(node) : this.type(parts[0]);
      case "List":
      case "list":
      case "Sequence":
      case "Iterable":
      case "Set":
      case "set":
        return parts[0] === undefined ? this.#unknown(node) : `z.array(${this.type(parts[0])})`;
      case "Tuple":
      case "tuple":
        return `z.tuple([${parts.map((each) => this.type(each)).join(", ")}])`;
      case "Dict":
      case "dict":
      case "Mapping":
        return `z.record(z.string(), ${parts[1] === undefined ? "z.unknown()" : this.type(parts[1])})`;
      default:
        return this.#unknown(node);
    }
  }

  #named(name: string, node: PythonNode): string {
    const plain = PLAIN[name];
    if (plain !== undefined) return plain;
    if (!this.isModel(name)) return this.#unknown(node);
    this.uses.add(name);
    return name;
  }

  #unknown(node: PythonNode): string {
    this.leave(node, "a type that has no counterpart: anything is taken");
    return "z.unknown()";
  }
}

const PLAIN: Readonly<Record<string, string>> = {
  str: "z.string()",
  int: "z.int()",
  float: "z.number()",
  bool: "z.boolean()",
  list: "z.array(z.unknown())",
  List: "z.array(z.unknown())",
  dict: "z.record(z.string(), z.unknown())",
  Dict: "z.record(z.string(), z.unknown())",
  Any: "z.unknown()",
  object: "z.unknown()",
  HttpUrl: "z.url()",
  AnyUrl: "z.url()",
  EmailStr: "z.email()",
  datetime: "z.iso.datetime({ offset: true, local: true })",
  date: "z.iso.date()",
};

const CHECKS: Readonly<Record<string, string>> = {
  ge: "min",
  le: "max",
  gt: "gt",
  lt: "lt",
  min_length: "min",
  max_length: "max",
  multiple_of: "multipleOf",
};

/** Schemas that have these checks. */
const CHECKED = /^z\.(string|int|number|array)\(/;

/** Arguments of `Field` that change nothing here. */
const QUIET = new Set([
  "title",
  "examples",
  "example",
  "exclude",
  "repr",
  "frozen",
  "init",
  "kw_only",
]);

function union(schemas: readonly string[]): string {
  const others = schemas.filter((schema) => schema !== "z.null()");
  const isNullable = others.length < schemas.length;
  const [only = "z.null()"] = others;
  const joined = others.length > 1 ? `z.union([${others.join(", ")}])` : only;
  return isNullable && others.length > 0 ? `${joined}.nullish()` : joined;
}

function withDefault(schema: string, value: JsonValue): string {
  return `${schema}${defaultOf(schema, value)}`;
}

/** A default of None makes a field one that may be missing. */
function defaultOf(schema: string, value: JsonValue): string {
  if (value !== null) return `.default(${JSON.stringify(value)})`;
  return schema.endsWith(".nullish()") ? "" : ".nullish()";
}
