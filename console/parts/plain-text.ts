// Makes texts of models, tools and other people safe to view. React escapes them; this removes the dangers that
// escaping leaves.

const ANSI =
  /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~])/g;
/** Invisible characters, and those for the direction of text. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Removes terminal codes, and control characters except tabs and line ends. */
export function stripAnsi(text: string): string {
  return text.replace(ANSI, "").replace(CONTROL, "");
}

export type TextPiece = { readonly text: string; readonly isControl: boolean };

/** Splits the text. Characters that change its direction become pieces of their own, named `U+202E`. */
export function showBidi(text: string): readonly TextPiece[] {
  if (!BIDI.test(text)) return [{ text, isControl: false }];
  return text
    .split(new RegExp(`(${BIDI.source})`, "u"))
    .filter((piece) => piece !== "")
    .map((piece) =>
      piece.length === 1 && BIDI.test(piece)
        ? {
            text: `U+${piece.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
            isControl: true,
          }
        : { text: piece, isControl: false },
    );
}

/** True if an input's name suggests a secret value. */
export function isSecretName(name: string): boolean {
  return /key|token|password|secret|credential/i.test(name);
}
