import { digestHex } from "../../../base/bytes.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";

/** Returns a text as a document. Equal texts are the same document. */
export async function textPlace(text: string): Promise<DocumentPlace> {
  const bytes = new Uint8Array(new TextEncoder().encode(text));
  const name = text.trim().split("\n", 1)[0]?.slice(0, 60) || "text";
  return {
    key: JSON.stringify(["text", await digestHex(bytes)]),
    label: name,
    documents: async () => [
      { name, chunking: chunkingOf("text"), load: async () => ({ bytes, type: "text" }) },
    ],
  };
}
