import { useState } from "react";
import { formatCount } from "./format.ts";
import { PlainText } from "./text.tsx";

const LONG = 4000;
const MANY_LINES = 40;

type Props = { readonly text: string; readonly isMono?: boolean };

/** A text as it was written. Of a long one, the beginning, and the rest after a click. */
export function LongText({ text, isMono = false }: Props) {
  const [isWhole, setWhole] = useState(false);
  const head = headOf(text);
  const isCut = !isWhole && head.length < text.length;
  return (
    <>
      <div className={`value${isMono ? " mono" : ""}`}>
        <PlainText text={isCut ? `${head} …` : text} />
      </div>
      {isCut && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </button>
      )}
    </>
  );
}

function headOf(text: string): string {
  const head = text.slice(0, LONG);
  const lines = head.split("\n");
  return lines.length > MANY_LINES ? lines.slice(0, MANY_LINES).join("\n") : head;
}
