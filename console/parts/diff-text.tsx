import { diffWordsWithSpace } from "diff";
import { useMemo, useState } from "react";
import { plural } from "./format.ts";
import { foldEqual, linePairs, type LinePair } from "./line-pairs.ts";
import { PlainText } from "./text.tsx";

type Props = { readonly left: string; readonly right: string };

/** The difference of two texts line by line, with the changed words marked and equal lines folded. Loaded on demand. */
export default function DiffText({ left, right }: Props) {
  const groups = useMemo(() => foldEqual(linePairs(left, right)), [left, right]);
  if (groups.every(({ isFolded }) => isFolded)) return <p className="soft">Both say the same.</p>;
  return (
    <pre className="value diff" tabIndex={0} aria-label="Difference">
      {groups.map((group, index) => (
        <Group key={index} {...group} />
      ))}
    </pre>
  );
}

function Group({ isFolded, pairs }: ReturnType<typeof foldEqual>[number]) {
  const [isOpen, setOpen] = useState(!isFolded);
  if (isOpen) return pairs.map((pair, index) => <Pair key={index} pair={pair} />);
  return (
    <button type="button" className="button small plain" onClick={() => setOpen(true)}>
      {plural(pairs.length, "equal line")}
    </button>
  );
}

function Pair({ pair: { left, right, isEqual } }: { readonly pair: LinePair }) {
  if (isEqual) return <Line sign=" " parts={[{ text: left?.text ?? "" }]} />;
  const words = diffWordsWithSpace(left?.text ?? "", right?.text ?? "");
  // A line without a counterpart is new as a whole.
  const isMarked = left !== undefined && right !== undefined;
  const side = (other: "added" | "removed") =>
    words.flatMap(({ value, added, removed }) =>
      (other === "added" ? added : removed)
        ? []
        : [{ text: value, isChanged: isMarked && (added || removed) }],
    );
  return (
    <>
      {left !== undefined && <Line sign="−" parts={side("added")} />}
      {right !== undefined && <Line sign="+" parts={side("removed")} />}
    </>
  );
}

type LineProps = {
  readonly sign: " " | "−" | "+";
  readonly parts: readonly { readonly text: string; readonly isChanged?: boolean }[];
};

const CLASSES = { " ": "diff-line", "−": "diff-line removed", "+": "diff-line added" } as const;

function Line({ sign, parts }: LineProps) {
  return (
    <span className={CLASSES[sign]}>
      <span aria-hidden="true">{sign} </span>
      {sign !== " " && (
        <span className="unseen">{sign === "+" ? "only right: " : "only left: "}</span>
      )}
      {parts.map(({ text, isChanged }, index) =>
        isChanged ? (
          <mark key={index}>
            <PlainText text={text} />
          </mark>
        ) : (
          <PlainText key={index} text={text} />
        ),
      )}
    </span>
  );
}
