/** Maximum length of a text in an event, in UTF-16 units; the journal stores longer ones whole. */
export const MAX_EVENT_TEXT = 16_384;

/** Cuts a text to a maximum length, and appends the number of characters left out. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()}\n[cut: ${text.length - maxLength} of ${text.length} characters left out]`;
}
