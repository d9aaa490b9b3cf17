import { digestBytes, toBase64 } from "../../base/bytes.ts";

const known = new Map<string, string>();

/** What a Content-Security-Policy names an inline script or style by. For texts that are the same every time. */
export async function integrityOf(text: string): Promise<string> {
  const source = known.get(text);
  if (source !== undefined) return source;
  const made = `'sha256-${toBase64(await digestBytes(new TextEncoder().encode(text)))}'`;
  known.set(text, made);
  return made;
}
