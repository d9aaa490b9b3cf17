// File limits of providers. This is data with sources and dates, not behaviour: correct it here.
//
// Sources: `anthropic` is Anthropic's vision, PDF and files guides; `openai` is OpenAI's guides on images, files and
// audio; `gemini` is Google's guides on files and vision; `bedrock` is AWS's reference of the Converse API; `crewai` is
// the table of CrewAI 1.15.17, for providers without other documentation. Collected in October 2026. Numbers without a
// source are our own cautious ones.
import type { LanguageModel } from "../llm/language-model.ts";
import type { FileKind } from "./file-ref.ts";

/** Limits of one kind of file. */
export type KindLimits = {
  /** Media types. */
  readonly types: readonly string[];
  /** Maximum size of one file, in bytes. */
  readonly maxBytes?: number;
  /** Maximum length of each side, in pixels. */
  readonly maxSide?: number;
  /** Maximum length of each side in requests with more images than this. */
  readonly crowd?: { readonly above: number; readonly maxSide: number };
  readonly maxPages?: number;
  readonly maxSeconds?: number;
  /** Maximum number of files in one request. */
  readonly maxCount?: number;
  /** True if the provider loads them from a public URL. @default false */
  readonly byUrl?: true;
  /** True if requests can refer to uploaded ones. @default false */
  readonly byUpload?: true;
};

export type ProviderLimits = {
  /** Source of the numbers, and its date. */
  readonly source: string;
  readonly image?: KindLimits;
  readonly pdf?: KindLimits;
  readonly document?: KindLimits;
  readonly audio?: KindLimits;
  readonly video?: KindLimits;
  /** Maximum size of the whole request, in bytes. */
  readonly maxRequestBytes: number;
  /** Files larger than this are uploaded if possible. @default never, by their size */
  readonly uploadAbove?: number;
};

const MIB = 1024 * 1024;
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const PDF = ["application/pdf"];
const OFFICE = [
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/vnd.oasis.opendocument.text",
];
const SOUND = ["audio/mpeg", "audio/wav", "audio/ogg", "audio/flac", "audio/aac", "audio/mp4"];
/** Models with a window of at most this size take fewer images and pages. */
const SMALL_WINDOW = 200_000;

function anthropic(contextWindow: number): ProviderLimits {
  const isSmall = contextWindow <= SMALL_WINDOW;
  return {
    source: "anthropic, October 2026; bytes of an image: crewai",
    image: {
      types: IMAGES,
      maxBytes: 5_242_880,
      maxSide: 8000,
      crowd: { above: 20, maxSide: 2000 },
      maxCount: isSmall ? 100 : 600,
      byUrl: true,
      byUpload: true,
    },
    pdf: {
      types: PDF,
      maxBytes: 33_554_432,
      maxPages: isSmall ? 100 : 600,
      byUrl: true,
      byUpload: true,
    },
    maxRequestBytes: 33_554_432,
    uploadAbove: 5_242_880,
  };
}

// Only the Responses API can refer to uploaded images.
const OPENAI_IMAGE: KindLimits = {
  types: IMAGES,
  maxBytes: 20_971_520,
  maxCount: 500,
  byUrl: true,
};
const OPENAI_PDF: KindLimits = { types: PDF, maxBytes: 33_554_432, maxPages: 100, byUpload: true };

const OPENAI_CHAT: ProviderLimits = {
  source: "openai, October 2026; bytes of an image and of a PDF, its pages, sound: crewai",
  image: OPENAI_IMAGE,
  pdf: OPENAI_PDF,
  audio: { types: ["audio/wav", "audio/mpeg"], maxBytes: 26_214_400, maxSeconds: 1500 },
  maxRequestBytes: 52_428_800,
  uploadAbove: 5_242_880,
};

const OPENAI_RESPONSES: ProviderLimits = {
  ...OPENAI_CHAT,
  image: { ...OPENAI_IMAGE, byUpload: true },
  pdf: { ...OPENAI_PDF, byUrl: true },
  document: { types: OFFICE, maxBytes: 33_554_432, byUrl: true, byUpload: true },
};

const GEMINI: ProviderLimits = {
  source:
    "gemini, October 2026; bytes and seconds: crewai; images of a request and pages: not checked",
  image: {
    types: [...IMAGES, "image/heic", "image/heif"],
    maxBytes: 104_857_600,
    maxCount: 3000,
    byUrl: true,
    byUpload: true,
  },
  pdf: { types: PDF, maxBytes: 52_428_800, maxPages: 1000, byUrl: true, byUpload: true },
  audio: {
    types: [...SOUND, "audio/opus", "audio/aiff"],
    maxBytes: 104_857_600,
    maxSeconds: 34_200,
    byUrl: true,
    byUpload: true,
  },
  video: {
    types: [
      "video/mp4",
      "video/mpeg",
      "video/webm",
      "video/quicktime",
      "video/x-msvideo",
      "video/x-flv",
    ],
    maxBytes: 2_147_483_648,
    maxSeconds: 3600,
    byUrl: true,
    byUpload: true,
  },
  // The documented limit is 100 MiB, but a Worker has no memory for such a request.
  maxRequestBytes: 32 * MIB,
  uploadAbove: 20_971_520,
};

const BEDROCK: ProviderLimits = {
  source: "bedrock, October 2026; the sum is not checked",
  image: { types: IMAGES, maxBytes: 3_750_000, maxSide: 8000, maxCount: 20 },
  pdf: { types: PDF, maxBytes: 4_500_000, maxPages: 100, maxCount: 5 },
  maxRequestBytes: 20 * MIB,
};

const WORKERS_AI: ProviderLimits = {
  source: "ours",
  image: { types: ["image/png", "image/jpeg"], maxBytes: 5_242_880, maxCount: 1 },
  maxRequestBytes: 10 * MIB,
};

/** All other providers speak OpenAI's dialect: images, and the kinds in their settings. */
const OTHERS: ProviderLimits = {
  source: "crewai, for OpenAI's chat completions",
  image: { types: IMAGES, maxBytes: 20_971_520, maxCount: 10, byUrl: true },
  pdf: { types: PDF, maxBytes: 20_971_520, maxPages: 100 },
  audio: { types: ["audio/wav", "audio/mpeg"], maxBytes: 20_971_520, maxSeconds: 1500 },
  video: { types: ["video/mp4", "video/webm", "video/quicktime"], maxBytes: 20_971_520 },
  maxRequestBytes: 20_971_520,
};

const BY_NAME: Readonly<Record<string, ProviderLimits>> = {
  openai: OPENAI_CHAT,
  azure: OPENAI_CHAT,
  "openai-responses": OPENAI_RESPONSES,
  gemini: GEMINI,
  vertex: { ...GEMINI, uploadAbove: Number.POSITIVE_INFINITY },
  bedrock: BEDROCK,
  "workers-ai": WORKERS_AI,
};

/** Facts about a model for the plan. */
export type FileTaker = Pick<LanguageModel, "id" | "capabilities" | "contextWindow" | "files">;

/** Returns the limits of a model's provider: by the name in the model, else by the first part of its id. */
export function limitsOf({ id, contextWindow, files }: FileTaker): ProviderLimits {
  const name = files?.limits ?? id.slice(0, Math.max(0, id.indexOf("/")));
  if (name === "anthropic") return anthropic(contextWindow);
  return Object.hasOwn(BY_NAME, name) ? (BY_NAME[name] ?? OTHERS) : OTHERS;
}

/** Returns the limits for files of a kind. Undefined for kinds that are sent only as text. */
export function limitsFor(limits: ProviderLimits, kind: FileKind): KindLimits | undefined {
  return kind === "text" || kind === "other" ? undefined : limits[kind];
}
