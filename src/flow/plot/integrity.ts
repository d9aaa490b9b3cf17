import { digestBytes, toBase64 } from "../../base/bytes.ts";

const known = new Map<string, string>();

/** Returns the hash source of an inline script or style for a Content-Security-Policy. For constant texts. */
export async function integrityOf(text: string): Promise<string> {
  const source = known.get(text);
  if (source !== undefined) return source;
  const made = `'sha256-${toBase64(await digestBytes(new TextEncoder().encode(text)))}'`;
  known.set(text, made);
  return made;
}
