/** Media types by the ending of a name. */
const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  tiff: "image/tiff",
  tif: "image/tiff",
  svg: "image/svg+xml",
  heic: "image/heic",
  heif: "image/heif",
  avif: "image/avif",
  pdf: "application/pdf",
  txt: "text/plain",
  log: "text/plain",
  ini: "text/plain",
  cfg: "text/plain",
  conf: "text/plain",
  rst: "text/x-rst",
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  ts: "text/x-typescript",
  py: "text/x-python",
  sql: "application/sql",
  sh: "application/x-sh",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  epub: "application/epub+zip",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  ipynb: "application/x-ipynb+json",
  eml: "message/rfc822",
  mbox: "application/mbox",
  srt: "application/x-subrip",
  vtt: "text/vtt",
  odp: "application/vnd.oasis.opendocument.presentation",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  zip: "application/zip",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  flac: "audio/flac",
  aac: "audio/aac",
  m4a: "audio/mp4",
  wma: "audio/x-ms-wma",
  aiff: "audio/aiff",
  aif: "audio/aiff",
  opus: "audio/opus",
  mp4: "video/mp4",
  m4v: "video/mp4",
  avi: "video/x-msvideo",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  webm: "video/webm",
  flv: "video/x-flv",
  wmv: "video/x-ms-wmv",
  mpeg: "video/mpeg",
  mpg: "video/mpeg",
};

/** Media types with the same meaning as another one. */
const ALIASES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "image/x-ms-bmp": "image/bmp",
  "audio/mp3": "audio/mpeg",
  "audio/x-mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/x-flac": "audio/flac",
  "audio/m4a": "audio/mp4",
  "audio/x-m4a": "audio/mp4",
  "audio/x-aiff": "audio/aiff",
  "video/avi": "video/x-msvideo",
  "video/mov": "video/quicktime",
  "application/x-pdf": "application/pdf",
  "application/x-zip-compressed": "application/zip",
  "text/json": "application/json",
  "text/xml": "application/xml",
  "text/yaml": "application/yaml",
  "text/x-yaml": "application/yaml",
  "application/x-yaml": "application/yaml",
  "text/x-markdown": "text/markdown",
  "application/javascript": "text/javascript",
};

/** Returns the media type for the extension of a name or path. Undefined for an unknown one. */
export function typeOfName(name: string): string | undefined {
  const ending = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
}

/** Returns the extension for a media type, without the dot: `bin` for an unknown one. */
export function endingOf(mediaType: string): string {
  const plain = plainType(mediaType);
  return Object.keys(TYPES).find((ending) => TYPES[ending] === plain) ?? "bin";
}

/** A media type without parameters, in lower case and in its usual spelling. */
export function plainType(mediaType: string): string {
  const plain = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] ?? plain) : plain;
}
