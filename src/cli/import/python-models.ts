// Pydantic models and enums as JSON Schema.
//
//   PYM1. Fields are read with their types, bounds, defaults and descriptions, those of other models among the files included.
//   PYM2. A model with a validator needs code: it is an open place, and a schema of zod.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { openAt, type OpenPlace } from "./open-places.ts";
import { bodyOf, type Definition, type PythonNode, type PythonSource } from "./python-source.ts";
import { oneOf, TypeReader } from "./python-types.ts";
import { codeKey, type TakenCode } from "./unread-code.ts";
import { textValue } from "./python-texts.ts";
import { asJson } from "./python-value.ts";
import { readArguments, readValue } from "./python-values.ts";

/** A class to convert to a schema. */
export type PythonModel = {
  readonly name: string;
  /** Other models are references to `#/$defs/<name>`. */
  readonly schema: JsonObject;
  /** Models used in it. */
  readonly uses: ReadonlySet<string>;
  /** True if it has checks in code. */
  readonly hasValidator: boolean;
};

type Class = { readonly source: PythonSource; readonly definition: Definition };

/** The models and enums of all files. */
export function pythonModels(sources: readonly PythonSource[]): {
  readonly models: readonly PythonModel[];
  readonly open: readonly OpenPlace[];
  /** Keys of the read classes, as of `codeKey`. */
  readonly taken: TakenCode;
} {
  const reader = new ModelReader(sources);
  return { models: reader.read(), open: reader.open, taken: reader.taken };
}

const MODELS = new Set(["BaseModel", "FlowState", "RootModel"]);
const ENUMS = new Set(["Enum", "StrEnum", "IntEnum"]);

class ModelReader {
  readonly open: OpenPlace[] = [];
  readonly taken = new Set<string>();
  readonly #classes = new Map<string, Class>();
  readonly #kinds = new Map<string, "model" | "enum" | undefined>();

  constructor(sources: readonly PythonSource[]) {
    for (const source of sources)
      for (const definition of bodyOf(source, source.root).definitions) {
        // A crew's class may hold the models of its answers.
        const inner =
          definition.kind === "class" ? bodyOf(source, definition.node).definitions : [];
        for (const each of [definition, ...inner])
          if (each.kind === "class" && !this.#classes.has(each.name))
            this.#classes.set(each.name, { source, definition: each });
      }
  }

  read(): readonly PythonModel[] {
    const isModel = (name: string): boolean =>
      this.#classes.has(name) && this.#kindOf(name) !== undefined;
    return [...this.#classes].flatMap(([name, found]): PythonModel[] => {
      const kind = this.#kindOf(name);
      if (kind === undefined) return [];
      this.taken.add(codeKey(found.source, found.definition.node));
      const reader = new TypeReader(found.source, { isModel, open: this.open });
      const schema = kind === "enum" ? this.#enum(found) : this.#model(found, reader);
      return [{ name, schema, uses: reader.uses, hasValidator: this.#hasValidator(name) }];
    });
  }

  #kindOf(name: string): "model" | "enum" | undefined {
    if (MODELS.has(name)) return "model";
    if (ENUMS.has(name)) return "enum";
    const found = this.#classes.get(name);
    if (found === undefined || this.#kinds.has(name)) return this.#kinds.get(name);
    this.#kinds.set(name, undefined);
    const kinds = basesOf(found.source, found.definition).map((base) => this.#kindOf(base));
    const kind = kinds.find((each) => each !== undefined);
    this.#kinds.set(name, kind);
    return kind;
  }

  #enum({ source, definition }: Class): JsonObject {
    const values = bodyOf(source, definition.node).assignments.flatMap(
      ({ value, node: at, name }) => {
        const read = value === undefined ? undefined : readValue(source, value);
        const plain: JsonValue | undefined =
          read?.kind === "call" && /(^|\.)auto$/.test(read.name)
            ? name.toLowerCase()
            : read && asJson(read);
        if (plain === undefined)
          this.open.push(openAt(source, at, "a value of an enum that is not read"));
        return plain === undefined ? [] : [plain];
      },
    );
    return values.length === 0 ? {} : oneOf(values);
  }

  #model(found: Class, reader: TypeReader): JsonObject {
    const { source, definition } = found;
    const { properties, required } = this.#fields(found, reader, new Set());
    const { docstring, assignments } = bodyOf(source, definition.node);
    const about = docstring === undefined ? "" : docText(source, docstring);
    const config = assignments.find(({ name }) => name === "model_config")?.value;
    const isStrict = config !== undefined && /\bextra\W+forbid\b/.test(source.textOf(config));
    return {
      type: "object",
      ...(about !== "" && { description: about }),
      properties: Object.fromEntries(properties),
      ...(required.size > 0 && { required: [...required] }),
      ...(isStrict && { additionalProperties: false }),
    };
  }

  /** Returns fields of the base classes, and its own. */
  #fields(
    { source, definition }: Class,
    own: TypeReader,
    done: Set<string>,
  ): { readonly properties: Map<string, JsonObject>; readonly required: Set<string> } {
    const properties = new Map<string, JsonObject>();
    const required = new Set<string>();
    done.add(definition.name);
    for (const base of basesOf(source, definition).toReversed()) {
      const found = this.#classes.get(base);
      if (found === undefined || done.has(base)) continue;
      // Open places of a base class are listed once, where it is read itself.
      const reader = new TypeReader(found.source, { isModel: own.isModel, open: [] }, own.uses);
      const fields = this.#fields(found, reader, done);
      for (const [name, schema] of fields.properties) properties.set(name, schema);
      for (const name of fields.required) required.add(name);
    }
    for (const field of bodyOf(source, definition.node).assignments) {
      const { name, type } = field;
      const isField = type !== undefined && !name.startsWith("_") && name !== "model_config";
      if (!isField || /^:\s*(\w+\.)?ClassVar\b/.test(source.textOf(type))) continue;
      const { schema, isRequired } = own.field(field);
      properties.set(name, schema);
      if (isRequired) required.add(name);
      else required.delete(name);
    }
    return { properties, required };
  }

  #hasValidator(name: string, done = new Set<string>()): boolean {
    const found = this.#classes.get(name);
    if (found === undefined || done.has(name)) return false;
    const { source, definition } = found;
    const own = bodyOf(source, definition.node).definitions.filter(({ decorators }) =>
      decorators.some((each) => each.name.endsWith("validator")),
    );
    if (done.size === 0)
      for (const { node } of own) {
        const place = openAt(source, node, "a validator: write it as `.refine()` of the schema");
        this.open.push({ ...place, text: source.textOf(node).split("\n")[0] ?? "" });
      }
    done.add(name);
    const bases = basesOf(source, definition);
    return own.length > 0 || bases.some((base) => this.#hasValidator(base, done));
  }
}

/** Returns the names of a class's base classes. */
export function basesOf(source: PythonSource, { node }: Definition): readonly string[] {
  const list = node.getChild("ArgList");
  if (list === null) return [];
  return readArguments(source, list).args.flatMap((value) =>
    value.kind === "name" ? [value.name.split(".").at(-1) ?? value.name] : [],
  );
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
