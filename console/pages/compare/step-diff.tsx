import { useQuery } from "@tanstack/react-query";
import DiffText from "../../parts/diff-text.tsx";
import { innerText } from "../../parts/inner-text.ts";
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
  return innerText(value ?? null);
}

/** Difference of one row's results in both runs, loaded on demand. */
export default function StepDiff({ left, right, stepKey }: Props) {
  const query = useQuery({
    queryKey: ["diff", left, right, stepKey],
    queryFn: () => Promise.all([readText(left, stepKey), readText(right, stepKey)]),
  });
  return (
    <Answered query={query}>{([one, other]) => <DiffText left={one} right={other} />}</Answered>
  );
}
