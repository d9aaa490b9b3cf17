const known = new Map<string, string>();

/** What a Content-Security-Policy names an inline script or style by. For texts that are the same every time. */
export async function integrityOf(text: string): Promise<string> {
  const source = known.get(text);
  if (source !== undefined) return source;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const made = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
  known.set(text, made);
  return made;
}
