// Reads the source of a file in all its written forms.
//
//   FSR1. A text is a URL, or the path or id of a stored file. An object has one of `source`, `path`, `url`, `$file`
//         and `data`, also in CrewAI's spelling, and the options of the file.
//   FSR2. An invalid source is an error with the name of the field, before any work runs.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { fromBase64 } from "../base/bytes.ts";
import { EngineError, type ErrorCode } from "../base/error.ts";
import { isJsonObject, preview, type JsonObject } from "../base/json.ts";
import { checkFilePath } from "./file-path.ts";
import type { FileKind, FileMode } from "./file-ref.ts";
import { collected } from "./read-bytes.ts";

/** Settings of a file. */
export type FileOptions = {
  /** Kind of a file whose bytes do not show it. @default by its bytes */
  readonly kind?: FileKind;
  /** Treatment of a file if a provider does not take it unchanged. @default "auto" */
  readonly mode?: FileMode;
  /** @default the name of the path, the URL or the file itself */
  readonly name?: string;
  readonly mediaType?: string;
  /** True if a provider may load the URL itself. @default true */
  readonly byReference?: boolean;
};

/** Present bytes, or a stream for one reading. */
type Bytes = Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | Response;

/** Accepted forms of a file: a path, an id, a URL, bytes, or an object with one of these. */
export type FileInput = string | URL | Bytes | JsonObject | FileSource;

/** Files by the names that agents use for them. */
export type InputFiles = Readonly<Record<string, FileInput>>;

/** Place of the content. `named` is a path or an id; the stores find out. */
type Content =
  | { readonly named: string }
  | { readonly url: string }
  | { readonly bytes: () => Promise<Uint8Array> };

/** Source and settings of a file, made by `file()`. */
export class FileSource {
  readonly content: Content;
  readonly options: FileOptions;

  constructor(content: Content, options: FileOptions) {
    this.content = content;
    this.options = options;
  }

  /** Returns the source with filled `{placeholders}` in its path, id or URL. */
  filled(fill: (text: string) => string): FileSource {
    const { content, options } = this;
    if ("named" in content) return new FileSource({ named: fill(content.named) }, options);
    return "url" in content ? new FileSource({ url: fill(content.url) }, options) : this;
  }

  /** Text with possible placeholders. */
  get text(): string {
    const { content } = this;
    return "named" in content ? content.named : "url" in content ? content.url : "";
  }

  /** Form in the inputs of a run: `{ "$file": … }`. Bytes have no such form: `hold` stores them and returns an id. */
  toInput(hold: (source: FileSource) => string): JsonObject {
    const $file = this.text === "" ? hold(this) : this.text;
    return { $file, ...definedOptions(this.options) };
  }
}

const OPTIONS = definitionOptions<FileOptions>("file()", {
  kind: true,
  mode: true,
  name: true,
  mediaType: true,
  byReference: true,
});

/**
 * Makes a file for `inputFiles`. A `ReadableStream` or a `Response` is read once, when the run begins. Throws
 * `invalid_input` for an invalid source.
 */
export function file(source: FileInput, options: FileOptions = {}): FileSource {
  refuseUnknownOptions(options, OPTIONS);
  return readFileSource(source, { field: "file()", code: "invalid_input", options });
}

type Reading = {
  /** Name of the field in errors. */
  readonly field: string;
  readonly code: Extract<ErrorCode, "invalid_input" | "invalid_definition">;
  readonly options?: FileOptions;
};

const KINDS: readonly unknown[] = ["image", "pdf", "text", "document", "audio", "video", "other"];
const MODES: readonly unknown[] = ["auto", "warn", "strict", "chunk"];

/** Reads a file in any form. */
export function readFileSource(input: unknown, reading: Reading): FileSource {
  const { field, code, options = {} } = reading;
  if (input instanceof FileSource)
    return new FileSource(input.content, { ...input.options, ...checkedOptions(options, reading) });
  const own = checkedOptions(options, reading);
  if (typeof input === "string") return fromText(input, own, reading);
  if (input instanceof URL) return fromText(input.href, own, reading);
  const bytes = bytesOf(input, own, field);
  if (bytes !== undefined) return bytes;
  if (isJsonObject(input)) return fromObject(input, own, reading);
  throw new EngineError(
    code,
    `${field} must be a path, an id, a URL, bytes, or an object with one of source, path, url, $file and data, got ${preview(input)}`,
  );
}

function fromText(text: string, options: FileOptions, { field, code }: Reading): FileSource {
  if (/^https?:\/\//i.test(text)) return new FileSource({ url: text }, options);
  return new FileSource({ named: checkFilePath(text, { field, code }) }, options);
}

function fromObject(input: JsonObject, options: FileOptions, reading: Reading): FileSource {
  const { field, code } = reading;
  const { source, path, url, $file, data } = input;
  const own = checkedOptions({ ...optionsIn(input), ...options }, reading);
  const places = [source, path, url, $file, data].filter(
    (each) => each !== undefined && each !== null,
  );
  if (places.length !== 1)
    throw new EngineError(
      code,
      `${field} must have one of source, path, url, $file and data, got ${preview(input)}`,
    );
  if (typeof data === "string") return fromData(data, own, reading);
  const [place] = places;
  if (isJsonObject(place) && place === source)
    return readFileSource(place, { ...reading, options: own });
  return fromText(checkedText(place, reading), own, reading);
}

function checkedText(place: unknown, { field, code }: Reading): string {
  if (typeof place === "string") return place;
  throw new EngineError(
    code,
    `${field} must name a path, an id or a URL as text, got ${preview(place)}`,
  );
}

function fromData(data: string, options: FileOptions, { field, code }: Reading): FileSource {
  const [, declared, base64 = data] = /^data:([^;,]*)[^,]*;base64,([^]*)$/.exec(data) ?? [];
  let bytes: Uint8Array;
  try {
    bytes = fromBase64(base64);
  } catch {
    throw new EngineError(code, `${field}: data must be base64`);
  }
  const mediaType = options.mediaType ?? (declared === "" ? undefined : declared);
  return new FileSource(
    { bytes: async () => bytes },
    { ...options, ...(mediaType === undefined ? undefined : { mediaType }) },
  );
}

/** Returns the settings in an object, from camelCase or snake_case fields. */
function optionsIn(input: JsonObject): Record<string, unknown> {
  const named = {
    kind: input["kind"],
    mode: input["mode"],
    name: input["name"] ?? input["filename"],
    mediaType:
      input["mediaType"] ?? input["media_type"] ?? input["contentType"] ?? input["content_type"],
    byReference: input["byReference"] ?? input["by_reference"],
  };
  return Object.fromEntries(
    Object.entries(named).filter(([, value]) => value !== undefined && value !== null),
  );
}

function checkedOptions(options: object, { field, code }: Reading): FileOptions {
  const { kind, mode, name, mediaType, byReference } = options as Record<string, unknown>;
  const expect = (what: string, holds: boolean, value: unknown): void => {
    if (value !== undefined && !holds)
      throw new EngineError(code, `${field}: ${what}, got ${preview(value)}`);
  };
  expect(`kind must be one of ${KINDS.join(", ")}`, KINDS.includes(kind), kind);
  expect(`mode must be one of ${MODES.join(", ")}`, MODES.includes(mode), mode);
  expect("name must be a text", typeof name === "string", name);
  expect("mediaType must be a text", typeof mediaType === "string", mediaType);
  expect("byReference must be true or false", typeof byReference === "boolean", byReference);
  return definedOptions(options);
}

function definedOptions({
  kind,
  mode,
  name,
  mediaType,
  byReference,
}: FileOptions): FileOptions & JsonObject {
  return {
    ...(kind === undefined ? undefined : { kind }),
    ...(mode === undefined ? undefined : { mode }),
    ...(name === undefined ? undefined : { name }),
    ...(mediaType === undefined ? undefined : { mediaType }),
    ...(byReference === undefined ? undefined : { byReference }),
  };
}

function bytesOf(input: unknown, options: FileOptions, field: string): FileSource | undefined {
  if (input instanceof Uint8Array) return new FileSource({ bytes: async () => input }, options);
  if (input instanceof ArrayBuffer)
    return new FileSource({ bytes: async () => new Uint8Array(input) }, options);
  if (input instanceof Blob) {
    const { type, name } = input as Blob & { readonly name?: string };
    const own = {
      ...(type === "" ? undefined : { mediaType: type }),
      ...(name ? { name } : undefined),
    };
    const bytes = async (): Promise<Uint8Array> => new Uint8Array(await input.arrayBuffer());
    return new FileSource({ bytes }, { ...own, ...options });
  }
  if (input instanceof ReadableStream)
    return new FileSource({ bytes: once(() => collected(input, field)) }, options);
  return input instanceof Response ? ofResponse(input, options, field) : undefined;
}

function ofResponse(response: Response, options: FileOptions, field: string): FileSource {
  const mediaType = response.headers.get("content-type");
  const bytes = once(async () => {
    if (!response.ok)
      throw new EngineError(
        "invalid_input",
        `the answer that it is to be read from has the status ${response.status}`,
      );
    return response.body === null ? new Uint8Array() : collected(response.body, field);
  });
  const { pathname } = URL.canParse(response.url) ? new URL(response.url) : { pathname: "" };
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  const own = {
    ...(mediaType === null ? undefined : { mediaType }),
    ...(name === "" ? undefined : { name }),
  };
  return new FileSource({ bytes }, { ...own, ...options });
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}

/** A source with the name that agents use for its file. */
export type NamedSource = { readonly key: string; readonly source: FileSource };
