import { useQuery } from "@tanstack/react-query";
import { diffLines } from "diff";
import type { Json } from "../../api-types.ts";
import { PlainText } from "../../parts/text.tsx";
import { Answered } from "../../shell/states.tsx";
import { readStep } from "../run/read-step.ts";

type Props = {
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly stepKey: string;
};

async function readText(run: string | undefined, key: string): Promise<string> {
  if (run === undefined) return "";
  const { value } = await readStep(run, key);
  return typeof value === "string" ? value : JSON.stringify(value ?? (null as Json), undefined, 2);
}

/** Results of one row in both runs, line by line, loaded on demand. */
export default function TextDiff({ left, right, stepKey }: Props) {
  const query = useQuery({
    queryKey: ["diff", left, right, stepKey],
    queryFn: () => Promise.all([readText(left, stepKey), readText(right, stepKey)]),
  });
  return (
    <Answered query={query}>
      {([one, other]) => (
        <pre className="value diff" tabIndex={0} aria-label="Difference">
          {diffLines(one, other).map((part, index) => (
            <span
              key={index}
              className={part.added ? "added" : part.removed ? "removed" : undefined}
            >
              {part.value.split(/(?<=\n)/).map((line, place) => (
                <span key={place} className="diff-line">
                  <span aria-hidden="true">{part.added ? "+ " : part.removed ? "− " : "  "}</span>
                  <PlainText text={line} />
                </span>
              ))}
            </span>
          ))}
        </pre>
      )}
    </Answered>
  );
}
