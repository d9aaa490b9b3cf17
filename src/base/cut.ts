/** Of a text in an event, in UTF-16 units; the journal has longer ones whole. */
export const MAX_EVENT_TEXT = 16_384;

/** Cuts a text that is too long to be shown whole, and says by how much. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()}\n[cut: ${text.length - maxLength} of ${text.length} characters left out]`;
}
