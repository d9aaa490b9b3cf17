import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../../parts/copy.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { readStep } from "../run/read-step.ts";

type Props = {
  readonly runId: string;
  readonly waitKey: string;
  /** Draft of the reader. */
  readonly text: string;
  readonly onDiscard: () => void;
};

/** A question that closed while a person was writing: shows the answer and keeps the person's text. */
export function AnsweredElsewhere({ runId, waitKey, text, onDiscard }: Props) {
  const { data } = useQuery({
    queryKey: ["step", runId, waitKey, "closed"],
    queryFn: () => readStep(runId, waitKey),
  });
  const cause = data?.cause;
  return (
    <div className="stack" role="status">
      <p className="note wait">
        <span>
          {cause?.how === "answered" ? (
            <>
              Answered by <PlainText text={cause.by ?? "somebody else"} />, <Age at={cause.at} />.
            </>
          ) : cause?.how === "expired" ? (
            "No answer came in time."
          ) : (
            "This question is no longer open."
          )}{" "}
          Your text was not sent.
        </span>
      </p>
      <div className="value" aria-label="Your draft" role="group">
        <PlainText text={text} />
      </div>
      <div className="form-actions">
        <CopyButton text={text} label="Copy the draft" />
        <button type="button" className="button" onClick={onDiscard}>
          Discard the draft
        </button>
      </div>
    </div>
  );
}
