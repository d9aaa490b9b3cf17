/** Maximum length with room for an ending; a path segment has at most 255 bytes. */
const MAX_BYTES = 240;

/** Turns a text into a valid file name of the workspace; empty if no character is left. */
export function fileName(text: string): string {
  const clean = text.normalize("NFC").replace(/[\\/*?:"<>|\u0000-\u001f\u007f]/g, "_");
  let name = "";
  let bytes = 0;
  for (const letter of clean) {
    bytes += new TextEncoder().encode(letter).length;
    if (bytes > MAX_BYTES) break;
    name += letter;
  }
  return name.replace(/[. ]+$/, "").trim();
}
