import { showBidi, stripAnsi } from "./plain-text.ts";

/** Text from others. Terminal codes are removed, and characters that change its direction are shown. */
export function PlainText({ text }: { readonly text: string }) {
  return (
    <>
      {showBidi(stripAnsi(text)).map(({ text: piece, isControl }, index) =>
        isControl ? (
          <span
            key={index}
            className="bidi"
            title="A character that changes the direction of the text"
          >
            {piece}
          </span>
        ) : (
          piece
        ),
      )}
    </>
  );
}
