/** SHA-256 of a text in base64url, without padding: 43 letters. */
export async function digestText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The namespace of a collection. Another tenant's has another one. */
export function vectorNamespace(tenant: string, collection: string): Promise<string> {
  return digestText(JSON.stringify([tenant, collection]));
}
