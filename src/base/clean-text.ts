/**
 * Invisible characters and direction controls: control characters except tabs and line ends, bidirectional controls,
 * tags.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** Removes characters invisible to people from a text of unknown origin. Lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN, "").toWellFormed();
}
