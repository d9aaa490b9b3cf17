import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Duration } from "../../parts/time.tsx";
import { Loading } from "../../shell/states.tsx";
import { labelOf } from "../run/step-label.ts";
import { workOf } from "./talk.ts";

const MAX_STEPS = 100;

type Props = {
  readonly runId: string;
  readonly isGoing: boolean;
  readonly activity?: string;
};

/** One line about the work for an answer. When opened it lists the steps, each with a link into the run. */
export function TurnWork({ runId, isGoing, activity }: Props) {
  const [isOpen, open] = useState(false);
  const { data } = useQuery({
    queryKey: ["chat", "work", runId, isGoing],
    queryFn: async () =>
      workOf((await client.runs.handle(runId).journal({ limit: MAX_STEPS })).items),
    enabled: isOpen || !isGoing,
    staleTime: isGoing ? 0 : Infinity,
    refetchInterval: isGoing && isOpen ? 1500 : false,
  });
  return (
    <details
      className="chat-work small"
      onToggle={(event) => open(event.currentTarget.open)}
      data-work={runId}
    >
      <summary className="soft">
        <PlainText text={isGoing ? (activity ?? "Works") : (data?.line ?? "Steps of this turn")} />
      </summary>
      {data === undefined ? (
        isOpen && <Loading lines={2} />
      ) : (
        <ul>
          {data.steps.map((step) => (
            <li key={step.key}>
              <Link to="/runs/$id" params={{ id: runId }} search={{ step: step.key }}>
                <Icon
                  name={step.kind === "tool" ? "tool" : step.kind === "model" ? "model" : "runs"}
                  size={13}
                />
                <span className="cut">
                  {step.agent !== undefined && <PlainText text={`${step.agent}: `} />}
                  <PlainText text={labelOf(step.key, step)} />
                </span>
                <span className="soft number">
                  <Duration from={step.startedAt} to={step.endedAt} />
                </span>
              </Link>
            </li>
          ))}
          <li>
            <Link to="/runs/$id" params={{ id: runId }}>
              Open the run
            </Link>
          </li>
        </ul>
      )}
    </details>
  );
}
