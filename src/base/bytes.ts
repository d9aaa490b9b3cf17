/** Maximum arguments of a call in every runtime. */
const CHUNK = 8192;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** Uses only letters without escaping in URLs and headers, and no padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws the error of `atob` for a text that is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Returns the bytes of all pieces, in their order. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** SHA-256 of a text in base64url: 43 letters. */
export async function digestText(text: string): Promise<string> {
  return toBase64Url(await digestBytes(new TextEncoder().encode(text)));
}

/** SHA-256 as the platform makes it: 32 bytes. `sha256Hex` is the synchronous one, for short texts. */
export async function digestBytes(bytes: Uint8Array): Promise<Uint8Array> {
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- types of browsers, which the console is checked with, need it
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}

/** SHA-256 of bytes as 64 lower-case hex digits. */
export async function digestHex(bytes: Uint8Array): Promise<string> {
  const digest = await digestBytes(bytes);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
