// Puts the contents of the run's files into a request in place of their references.
import { toBase64 } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";
import { fileText, sentName } from "../llm/content.ts";
import type { ContentPart, LanguageModel, Message, ModelRequest } from "../llm/language-model.ts";
import { leavesOf, type Delivery, type FileDelivery, type ModelDelivery } from "./delivery.ts";
import { partType } from "./file-parts.ts";
import { decodedText } from "./detection/text-type.ts";
import { FILE_TEXTS, fillText, type FileTexts } from "./file-texts.ts";
import { readBytes, type FileOwner } from "./read-bytes.ts";
import { textPieces } from "./text-pieces.ts";

export type FittingOptions = {
  readonly deliveries: readonly ModelDelivery[];
  /** Model or list of models of the call. */
  readonly model: LanguageModel;
  /** @default the usual ones */
  readonly texts?: FileTexts | undefined;
  readonly signal: AbortSignal;
};

/** Returns a function that puts the files of a request into the decided form, for any of the possible models. */
export function requestFitter(
  owner: FileOwner,
  { deliveries, model, texts = FILE_TEXTS, signal }: FittingOptions,
): (request: ModelRequest, asked: LanguageModel) => Promise<ModelRequest> {
  const leaves = leavesOf(model);
  return async (request, asked) => {
    const delivery = deliveries[leaves.indexOf(asked)];
    if (delivery === undefined)
      throw new EngineError("internal", `no files were prepared for ${asked.id}`);
    if ("refused" in delivery) throw new EngineError("model_rejected", delivery.refused);
    const messages: Message[] = [];
    let next = 0;
    for (const message of request.messages) {
      if (message.role !== "user" || typeof message.content === "string") {
        messages.push(message);
        continue;
      }
      const parts: ContentPart[] = [];
      for (const part of message.content) {
        if (!("runFile" in part)) parts.push(part);
        else
          parts.push(
            ...(await partsOf(owner, delivery.files[next++] ?? [], { part, texts, signal })),
          );
      }
      messages.push({ ...message, content: joined(parts) });
    }
    return { ...request, messages };
  };
}

type PartContext = {
  readonly part: ContentPart & { readonly runFile: unknown };
  readonly texts: FileTexts;
  readonly signal: AbortSignal;
};

async function partsOf(
  owner: FileOwner,
  deliveries: FileDelivery,
  context: PartContext,
): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const delivery of deliveries) parts.push(...(await partsFor(owner, delivery, context)));
  return parts;
}

async function partsFor(
  owner: FileOwner,
  delivery: Delivery,
  { part, texts, signal }: PartContext,
): Promise<readonly ContentPart[]> {
  const { file } = delivery;
  const { name, mediaType } = file;
  const type = partType(file);
  const named = type === "image" ? detailOf(part) : { name };
  switch (delivery.send) {
    case "url":
      return "url" in file.at
        ? [{ type, url: file.at.url, mediaType, ...named } as ContentPart]
        : [];
    case "upload": {
      const { fileId, provider } = delivery;
      return [{ type, fileId, provider, mediaType, ...named } as ContentPart];
    }
    case "inline": {
      const { bytes } = await readBytes(owner, file.at, signal);
      return [{ type, data: toBase64(bytes), mediaType, ...named } as ContentPart];
    }
    case "text": {
      const { bytes } = await readBytes(owner, file.at, signal);
      const text = decodedText(bytes) ?? new TextDecoder().decode(bytes);
      return textParts(text, delivery, texts);
    }
    default: {
      const words = {
        name: sentName(name),
        media_type: mediaType,
        key: file.key,
        reason: delivery.why,
      };
      return [{ type: "text", text: fillText(texts.notShown, words) }];
    }
  }
}

/** Makes content parts of a file's text: cut to the available room, or in pieces. */
function textParts(
  text: string,
  { file, maxCharacters, pieces }: Delivery & { readonly send: "text" },
  texts: FileTexts,
): readonly ContentPart[] {
  const name = sentName(file.name);
  const isCut = text.length > maxCharacters;
  const shown = isCut ? text.slice(0, maxCharacters) : text;
  const cut = { shown: String(maxCharacters), characters: String(text.length), key: file.key };
  const rest = isCut ? `\n${fillText(texts.cut, cut)}` : "";
  const list = pieces === true ? textPieces(shown) : [shown];
  return list.map((piece, index) => ({
    type: "text",
    text: fileText(
      list.length === 1 ? name : `${name} ${index + 1}/${list.length}`,
      index === list.length - 1 ? piece + rest : piece,
    ),
  }));
}

function detailOf(part: ContentPart): { readonly detail?: "auto" | "low" | "high" } {
  return part.type === "image" && part.detail !== undefined ? { detail: part.detail } : {};
}

/** Joins parts that are all text into one text, as some endpoints take no list. */
function joined(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}
