import type { FileKind } from "../file-ref.ts";
import { plainType } from "./extensions.ts";

const TEXTS =
  /^(?:text\/|image\/svg\+xml$|application\/(?:json|xml|yaml|toml|sql|x-ndjson|x-subrip|mbox|x-sh|xhtml\+xml|javascript|ecmascript|graphql|rtf)$|application\/[\w.-]+\+(?:json|xml|yaml)$|message\/rfc822$)/;
const DOCUMENTS =
  /^application\/(?:vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|epub\+zip$|msword$|vnd\.ms-(?:excel|powerpoint)$)/;

/** Returns the kind of a media type. */
export function kindOf(mediaType: string): FileKind {
  const type = plainType(mediaType);
  if (TEXTS.test(type)) return "text";
  if (type === "application/pdf") return "pdf";
  if (DOCUMENTS.test(type)) return "document";
  const [top] = type.split("/");
  return top === "image" || top === "audio" || top === "video" ? top : "other";
}
