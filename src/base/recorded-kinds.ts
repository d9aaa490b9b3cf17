// Kinds of values without a JSON form: their recording, restoring and display.
import { fromBase64, toBase64 } from "./bytes.ts";
import { preview, setField, typeName, type JsonObject, type JsonValue } from "./json.ts";

/** Field that marks a recorded value without a JSON form; `of` is its neighbour. */
export const MARK = "edgecrew:value";
/** Records a member of a value; `text` continues its path. */
type RecordPart = (text: string, part: unknown) => JsonValue;

export type Kind = {
  /** Part of the journal's format: never renamed. */
  readonly name: string;
  readonly of: (value: never, record: RecordPart) => JsonValue;
  /** Restores the value from the result of `of`. */
  readonly restore: (of: never, restored: (part: JsonValue) => unknown) => unknown;
  /** Form of the value for a reader of JSON. */
  readonly view: (of: never, viewed: (part: JsonValue) => JsonValue) => JsonValue;
};

type Bytes = ArrayBufferView & { readonly constructor: unknown };
type Entries = ReadonlyArray<readonly [JsonValue, JsonValue]>;

/** Throws for anything but a text: an object with the mark, but not written by any value of its kind. */
function text(of: string): string {
  if (typeof of === "string") return of;
  throw new TypeError("expected a text");
}

const NOTHING = (): never => {
  throw new TypeError("only numbers, big integers and undefined are recorded so");
};

const KINDS: readonly Kind[] = [
  {
    name: "date",
    of: (date: Date) => (Number.isNaN(date.getTime()) ? null : date.toISOString()),
    restore: (of: string | null) => new Date(of === null ? Number.NaN : text(of)),
    view: (of: string | null) => of && text(of),
  },
  {
    name: "map",
    of: (map: ReadonlyMap<unknown, unknown>, record) =>
      Array.from(map, ([key, value], index) => [
        record(`.keys()[${index}]`, key),
        record(`.get(${keyText(key)})`, value),
      ]),
    restore: (of: Entries, restored) =>
      new Map(of.map(([key, value]) => [restored(key), restored(value)])),
    view: (of: Entries, viewed) => {
      if (!of.every(([key]) => typeof key === "string"))
        return of.map(([key, value]) => [viewed(key), viewed(value)]);
      return objectOf(of.map(([key, value]) => [key as string, viewed(value)]));
    },
  },
  {
    name: "set",
    of: (set: ReadonlySet<unknown>, record) =>
      Array.from(set, (item, index) => record(`.values()[${index}]`, item)),
    restore: (of: readonly JsonValue[], restored) => new Set(of.map(restored)),
    view: (of: readonly JsonValue[], viewed) => of.map(viewed),
  },
  {
    name: "error",
    of: errorFields,
    restore: (of: JsonObject, restored) => restoredError(restored(of) as RecordedError),
    view: (of: JsonObject, viewed) => {
      const { fields, ...known } = viewed(of) as JsonObject;
      return { ...(fields as JsonObject | undefined), ...known };
    },
  },
  {
    name: "ArrayBuffer",
    of: (buffer: ArrayBuffer) => toBase64(new Uint8Array(buffer)),
    restore: (of: string) => fromBase64(of).buffer,
    view: text,
  },
  { name: "number", of: NOTHING, restore: (of: string) => Number(text(of)), view: text },
  {
    name: "bigint",
    of: NOTHING,
    restore: (of: string) => BigInt(text(of)),
    view: (of: string) => String(BigInt(text(of))),
  },
  { name: "undefined", of: NOTHING, restore: () => undefined, view: () => null },
  {
    name: "object",
    of: NOTHING,
    restore: (of: ReadonlyArray<[string, JsonValue]>, restored) =>
      objectOf(of.map(([key, value]) => [key, restored(value) as JsonValue])),
    view: (of: ReadonlyArray<[string, JsonValue]>, viewed) =>
      objectOf(of.map(([key, value]) => [key, viewed(value)])),
  },
];

const BYTES = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;

const BYTE_KINDS: readonly Kind[] = BYTES.map((View) => ({
  name: View.name,
  of: ({ buffer, byteOffset, byteLength }: Bytes) =>
    toBase64(new Uint8Array(buffer, byteOffset, byteLength)),
  restore: (of: string) => new View(fromBase64(of).buffer),
  view: (of: string) =>
    View === Uint8Array
      ? text(of)
      : Array.from(new View(fromBase64(of).buffer) as ArrayLike<unknown>, (item) =>
          Number.isFinite(item) ? (item as number) + 0 : String(item),
        ),
}));

const BY_NAME = new Map([...KINDS, ...BYTE_KINDS].map((kind) => [kind.name, kind]));

const BY_PROTOTYPE = new Map<object, Kind | undefined>([
  [Date.prototype, kindNamed("date")],
  [Map.prototype, kindNamed("map")],
  [Set.prototype, kindNamed("set")],
  [ArrayBuffer.prototype, kindNamed("ArrayBuffer")],
  ...BYTES.map(({ prototype, name }): [object, Kind | undefined] => [prototype, kindNamed(name)]),
]);

/** Returns the kind of this name; undefined for unknown names, as of a later version. */
export function kindNamed(name: string): Kind | undefined {
  return BY_NAME.get(name);
}

/** The kind of a value; undefined for objects of users' classes. */
export function kindOf(value: object, prototype: object): Kind | undefined {
  const known = BY_PROTOTYPE.get(prototype);
  if (known !== undefined) return known;
  if (value instanceof Error) return kindNamed("error");
  // Node's Buffer, which is one for all purposes.
  return value instanceof Uint8Array ? kindNamed("Uint8Array") : undefined;
}

type RecordedError = {
  readonly name: string;
  readonly message: string;
  readonly cause?: unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
};

/** Classes whose errors are restored with their class; an error of any other class is an `Error` with its name. */
const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
const KNOWN_FIELDS: ReadonlySet<string> = new Set(["name", "message", "cause", "stack"]);

function errorFields(error: Error, record: RecordPart): JsonValue {
  const { name, message, cause } = error;
  const own = Object.entries(error).filter(
    ([key, value]) => !KNOWN_FIELDS.has(key) && value !== undefined,
  );
  return {
    name,
    message,
    ...(cause === undefined ? undefined : { cause: record(".cause", cause) }),
    ...(own.length === 0 ? undefined : { fields: record("", Object.fromEntries(own)) }),
  };
}

function restoredError({ name, message, cause, fields }: RecordedError): Error {
  const Known = ERRORS.find((each) => each.name === name) ?? Error;
  const error = new Known(message, cause === undefined ? undefined : { cause });
  if (error.name !== name)
    Object.defineProperty(error, "name", { value: name, writable: true, configurable: true });
  // The stack of the restoring code has no meaning.
  Object.defineProperty(error, "stack", { value: `${name}: ${message}`, writable: true });
  return Object.assign(error, fields);
}

function objectOf(entries: ReadonlyArray<readonly [string, JsonValue]>): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, value] of entries) setField(object, key, value);
  return object;
}

function keyText(key: unknown): string {
  return key === null || typeof key !== "object" ? preview(key) : typeName(key);
}
