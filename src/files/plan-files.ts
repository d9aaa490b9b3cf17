// Plans the form in which each file of a conversation goes to a model. Pure: the same files, model and budget give the
// same plan.
//
//   FPL1. Text goes to every model as text. A file that a model does not take goes as text, too, if a reader exists.
//   FPL2. A file that cannot be sent is listed, for the agent to read with a tool. In mode `strict` it is an error with
//         the file, the model, and the types that the model takes.
//   FPL3. A file behind a public URL is passed on if the provider loads such files itself.
//   FPL4. If there are more images than a request takes, the last ones stay.
//   FPL5. A file over a limit is handled by its mode.
//   FPL6. Small files are sent inline. Larger ones are uploaded if possible, and so are the largest ones if all
//         together are too much.
import { EngineError } from "../base/error.ts";
import { checkOutboundUrl } from "../security/outbound.ts";
import type { FileKind, FileMode, RunFile } from "./file-ref.ts";
import type { FileWarning, ShrinkGoal, PlannedFile } from "./planned-file.ts";
import {
  limitsFor,
  limitsOf,
  type FileTaker,
  type KindLimits,
  type ProviderLimits,
} from "./provider-limits.ts";
import { fitRequest } from "./request-room.ts";

/** Remaining content of a request, and available services. */
export type PlanBudget = {
  /** Bytes of the rest of the request. @default 0 */
  readonly usedBytes?: number;
  /** Number of other images in the request. @default 0 */
  readonly images?: number;
  /**
   * Characters of all texts together. @default half of the model's usable context window, at four characters a token
   */
  readonly characters?: number;
  /** Returns true if a reader or a transcriber can make text of the file. @default no file */
  readonly reads?: (file: RunFile) => boolean;
  /** True if images can be shrunk. @default false */
  readonly shrinks?: boolean;
  /** True if files may be uploaded. @default true, if the provider keeps files */
  readonly uploads?: boolean;
};

/** Limit of one file's text, in UTF-16 units. */
export const MAX_TEXT = 200_000;
const CHARACTERS_PER_TOKEN = 4;
/** Share of the window for texts: half of its usable part, which is 85 % of it. */
const TEXT_PART = 0.425;
/** Too little to be worth showing. */
const MIN_TEXT = 200;

/**
 * Returns the plan, in the order of the files. Throws `invalid_input` or `payload_too_large` for files in mode
 * `strict`.
 */
export function planFiles(
  files: readonly RunFile[],
  model: FileTaker,
  { mode = "auto", budget = {} }: { readonly mode?: FileMode; readonly budget?: PlanBudget } = {},
): readonly PlannedFile[] {
  const limits = limitsOf(model);
  const { images = 0, usedBytes = 0, reads = () => false, shrinks = false } = budget;
  const room = {
    characters:
      budget.characters ?? Math.floor(model.contextWindow * TEXT_PART) * CHARACTERS_PER_TOKEN,
  };
  const shown = files.filter(
    (file) => file.kind === "image" && refusal(file, model, limits) === undefined,
  );
  const count = shown.length + images;
  const surplus = Math.max(0, count - (limits.image?.maxCount ?? count));
  const tooMany = new Set(shown.slice(0, surplus));
  const planned = files.map((file): PlannedFile => {
    const own = file.mode ?? mode;
    const about: Planning = {
      file,
      mode: own,
      model,
      limits,
      reads,
      shrinks,
      imageCount: count - tooMany.size,
    };
    if (file.kind === "text") return inText(file, room, own);
    const refused = tooMany.has(file)
      ? { limit: `${limits.image?.maxCount ?? 0} images in a request`, actual: `${count} images` }
      : refusal(file, model, limits);
    return refused === undefined ? sent(about, room) : notTaken(about, room, refused);
  });
  return fitRequest(planned, {
    limits,
    usedBytes,
    canUpload: budget.uploads !== false && model.files?.upload !== undefined,
    prefersUpload: model.files?.preferUpload === true,
    strict: (file) => (file.mode ?? mode) === "strict",
  });
}

/** True if the file can stay at its URL for the provider to load. */
export function goesByUrl(file: RunFile, model: FileTaker): boolean {
  const limits = limitsOf(model);
  return (
    "url" in file.at &&
    file.byReference !== false &&
    isPublic(file.at.url) &&
    refusal(file, model, limits) === undefined &&
    limitsFor(limits, file.kind)?.byUrl === true
  );
}

/** The deployment itself loads addresses that only it can reach, if it may. */
function isPublic(url: string): boolean {
  try {
    checkOutboundUrl(url, "url");
    return true;
  } catch {
    return false;
  }
}

/** Describes the accepted kinds of a model, for error messages. */
function takenKinds({ capabilities }: FileTaker): string {
  const { vision, pdf, audio, video } = capabilities;
  const kinds = [
    "text",
    ...(vision === true ? ["images"] : []),
    ...(pdf === true ? ["PDFs"] : []),
    ...(audio === true ? ["sound"] : []),
    ...(video === true ? ["video"] : []),
  ];
  return kinds.length === 1 ? "text" : `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`;
}

type Planning = {
  readonly file: RunFile;
  readonly mode: FileMode;
  readonly model: FileTaker;
  readonly limits: ProviderLimits;
  readonly reads: (file: RunFile) => boolean;
  readonly shrinks: boolean;
  /** Number of images in the whole request. */
  readonly imageCount: number;
};

type TextRoom = { characters: number };

const NEEDS = {
  image: "vision",
  pdf: "pdf",
  document: "pdf",
  audio: "audio",
  video: "video",
} as const;

/** Returns the reason why a model does not take a file at all. Undefined if it does. */
function refusal(file: RunFile, model: FileTaker, limits: ProviderLimits): FileWarning | undefined {
  const { kind, mediaType } = file;
  const own = limitsFor(limits, kind);
  const need = kind === "text" || kind === "other" ? undefined : NEEDS[kind];
  const takes = own !== undefined && need !== undefined && model.capabilities[need] === true;
  if (takes && own.types.includes(mediaType)) return undefined;
  const limit = takes ? own.types.join(", ") : `${model.id} takes ${takenKinds(model)}`;
  return { limit, actual: mediaType };
}

/** Plans an accepted file, within the limits. */
function sent(about: Planning, room: TextRoom): PlannedFile {
  const { file, model, limits, mode, shrinks } = about;
  if (goesByUrl(file, model)) return { file, action: { send: "url" }, warnings: [] };
  const own = limitsFor(limits, file.kind) ?? { types: [] };
  const over = overruns(file, own, about);
  if (over.length === 0) return { file, action: { send: "inline" }, warnings: [] };
  if (mode === "strict") throw strictError(file, over[0]);
  const warnings = over.map(({ limit, actual }) => ({ limit, actual }));
  if (file.kind === "image" && mode === "auto" && shrinks) {
    const goal = goalOf(own, about);
    return { file, action: { send: "shrunk", goal, by: "inline" }, warnings: [] };
  }
  const isTooLong = over.some(({ what }) => what === "pages");
  if (isTooLong && mode === "chunk" && own.maxPages !== undefined) {
    const { maxPages } = own;
    const maxCharacters = about.reads(file) ? takeRoom(room) : 0;
    return { file, action: { send: "pages", maxPages, maxCharacters }, warnings: [] };
  }
  if (isTooLong && mode === "auto" && about.reads(file)) return read(file, room, warnings);
  return { file, action: { send: "inline" }, warnings };
}

type Overrun = FileWarning & {
  readonly what: "bytes" | "size" | "pages" | "seconds";
  readonly text: string;
};

function overruns(file: RunFile, own: KindLimits, about: Planning): readonly Overrun[] {
  const { bytes, width = 0, height = 0, pages, seconds } = file;
  const { maxBytes, maxPages, maxSeconds } = own;
  const side = sideLimit(own, about);
  const [provider = about.model.id] = about.model.id.split("/");
  const found: (Overrun | false)[] = [
    maxBytes !== undefined &&
      bytes !== undefined &&
      bytes > maxBytes && {
        what: "bytes",
        limit: `${maxBytes} bytes`,
        actual: `${bytes} bytes`,
        text: `${file.name} is ${bytes} bytes; ${provider} takes ${maxBytes} per ${NAMES[file.kind]}`,
      },
    side !== undefined &&
      Math.max(width, height) > side && {
        what: "size",
        limit: `${side}×${side} pixels`,
        actual: `${width}×${height} pixels`,
        text: `${file.name} is ${width}×${height} pixels; ${provider} takes ${side}×${side} per image`,
      },
    maxPages !== undefined &&
      pages !== undefined &&
      pages > maxPages && {
        what: "pages",
        limit: `${maxPages} pages`,
        actual: `${pages} pages`,
        text: `${file.name} has ${pages} pages; ${provider} takes ${maxPages} per ${NAMES[file.kind]}`,
      },
    maxSeconds !== undefined &&
      seconds !== undefined &&
      seconds > maxSeconds && {
        what: "seconds",
        limit: `${maxSeconds} s`,
        actual: `${Math.ceil(seconds)} s`,
        text: `${file.name} lasts ${Math.ceil(seconds)} s; ${provider} takes ${maxSeconds} s`,
      },
  ];
  return found.filter((each) => each !== false);
}

const NAMES: Readonly<Record<FileKind, string>> = {
  image: "image",
  pdf: "PDF",
  text: "text",
  document: "document",
  audio: "sound",
  video: "video",
  other: "file",
};

function sideLimit({ maxSide, crowd }: KindLimits, { imageCount }: Planning): number | undefined {
  return crowd !== undefined && imageCount > crowd.above ? crowd.maxSide : maxSide;
}

function goalOf(own: KindLimits, about: Planning): ShrinkGoal {
  const maxSide = sideLimit(own, about);
  return {
    ...(maxSide === undefined ? undefined : { maxSide }),
    ...(own.maxBytes === undefined ? undefined : { maxBytes: own.maxBytes }),
  };
}

/**
 * Plans a file that the model does not take: its text, or an image converted to an accepted format, or only its name.
 */
function notTaken(about: Planning, room: TextRoom, refused: FileWarning): PlannedFile {
  const { file, mode, model, limits, shrinks } = about;
  const image = limitsFor(limits, "image");
  const isOtherFormat =
    file.kind === "image" && model.capabilities.vision === true && image !== undefined;
  if (isOtherFormat && !image.types.includes(file.mediaType) && shrinks && mode !== "strict") {
    const action = { send: "shrunk", goal: goalOf(image, about), by: "inline" } as const;
    return { file, action, warnings: [] };
  }
  if (about.reads(file)) return read(file, room, []);
  if (mode === "strict")
    throw new EngineError(
      "invalid_input",
      `${file.name} (${file.mediaType}) cannot be sent to ${model.id}, which takes ${takenKinds(model)}` +
        (refused.limit.startsWith(model.id) ? "" : `: ${refused.limit}, got ${refused.actual}`),
    );
  // Requests have no place for files of kind `other`, so there is no warning about them.
  const warnings = file.kind === "other" ? [] : [refused];
  return { file, action: { send: "none", why: `${model.id} does not take it` }, warnings };
}

function inText(file: RunFile, room: TextRoom, mode: FileMode): PlannedFile {
  const maxCharacters = takeRoom(room, file.bytes);
  const pieces = mode === "chunk" ? { pieces: true as const } : undefined;
  if (maxCharacters >= MIN_TEXT || (file.bytes ?? MIN_TEXT) <= maxCharacters)
    return { file, action: { send: "text", maxCharacters, ...pieces }, warnings: [] };
  return { file, action: { send: "none", why: "there is no room for its text" }, warnings: [] };
}

function read(file: RunFile, room: TextRoom, warnings: readonly FileWarning[]): PlannedFile {
  const maxCharacters = takeRoom(room);
  if (maxCharacters < MIN_TEXT)
    return { file, action: { send: "none", why: "there is no room for its text" }, warnings };
  return { file, action: { send: "text", maxCharacters }, warnings };
}

/** Takes room for a text out of the room for all texts. A known length takes only that much. */
function takeRoom(room: TextRoom, length = MAX_TEXT): number {
  const taken = Math.min(MAX_TEXT, room.characters);
  room.characters -= Math.min(taken, length);
  return taken;
}

function strictError(file: RunFile, overrun: Overrun | undefined): EngineError {
  const code = overrun?.what === "bytes" ? "payload_too_large" : "invalid_input";
  return new EngineError(code, overrun?.text ?? `${file.name} cannot be sent`);
}
