import { useMemo, useState } from "react";
import { plural } from "./format.ts";
import { foldEqual, linePairs, type LinePair } from "./line-pairs.ts";
import { PlainText } from "./text.tsx";

type Side = { readonly title: string; readonly text: string };
type Props = { readonly left: Side; readonly right: Side };

/** Two texts beside each other, line by line, with folded equal lines. Loaded on demand. */
export default function SideBySide({ left, right }: Props) {
  const groups = useMemo(
    () => foldEqual(linePairs(left.text, right.text)),
    [left.text, right.text],
  );
  if (groups.every(({ isFolded }) => isFolded)) return <p className="soft">Both say the same.</p>;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Side by side">
      <table className="side-by-side">
        <thead>
          <tr>
            <th colSpan={2}>{left.title}</th>
            <th colSpan={2}>{right.title}</th>
          </tr>
        </thead>
        {groups.map((group, index) => (
          <Group key={index} {...group} />
        ))}
      </table>
    </div>
  );
}

function Group({ isFolded, pairs }: ReturnType<typeof foldEqual>[number]) {
  const [isOpen, setOpen] = useState(!isFolded);
  return (
    <tbody>
      {isOpen ? (
        pairs.map((pair, index) => <Line key={index} pair={pair} />)
      ) : (
        <tr>
          <td colSpan={4}>
            <button type="button" className="button small plain" onClick={() => setOpen(true)}>
              {plural(pairs.length, "equal line")}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Line({ pair: { left, right, isEqual } }: { readonly pair: LinePair }) {
  return (
    <tr>
      <td className="line-number">{left?.number}</td>
      <td className={left !== undefined && !isEqual ? "removed" : undefined}>
        {left !== undefined && (
          <>
            {!isEqual && <span aria-label="only here: ">− </span>}
            <PlainText text={left.text} />
          </>
        )}
      </td>
      <td className="line-number">{right?.number}</td>
      <td className={right !== undefined && !isEqual ? "added" : undefined}>
        {right !== undefined && (
          <>
            {!isEqual && <span aria-label="only here: ">+ </span>}
            <PlainText text={right.text} />
          </>
        )}
      </td>
    </tr>
  );
}
