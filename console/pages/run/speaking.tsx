import type { ReactNode } from "react";
import type { CallWords } from "../../../src/client/index.ts";
import type { StepRow } from "../../api-types.ts";
import { PlainText } from "../../parts/text.tsx";
import type { LiveRun } from "./use-run.ts";

/** An active call with its streamed text. */
export function Speaking({ words }: { readonly words: CallWords | undefined }) {
  return (
    <div className="message assistant speaking" data-speaking>
      <span className="who">
        <PlainText text={words?.agentRole ?? "Agent"} />
      </span>
      {words === undefined || words.text === "" ? (
        <span className="soft">Thinking …</span>
      ) : (
        <div className="value">
          <PlainText text={words.text} />
        </div>
      )}
    </div>
  );
}

/** Returns the model calls under way below a step, or in the whole run. */
export function activeCalls(live: LiveRun, under?: string): readonly StepRow[] {
  return live.tree.steps.filter(
    ({ key, kind, state }) =>
      kind === "model" &&
      state === "started" &&
      (under === undefined || key.startsWith(`${under}/`)),
  );
}

/** The words of all model calls under way; `children` while there are none. */
export function SpeakingCalls({
  live,
  under,
  children,
}: {
  readonly live: LiveRun;
  readonly under?: string;
  readonly children: ReactNode;
}) {
  const calls = activeCalls(live, under);
  if (calls.length > 0)
    return calls.map(({ key }) => <Speaking key={key} words={live.words[key]} />);
  // Between two calls, the words of the call before stay.
  const before = Object.keys(live.words).findLast(
    (key) => under === undefined || key.startsWith(`${under}/`),
  );
  return before === undefined ? children : <Speaking words={live.words[before]} />;
}
