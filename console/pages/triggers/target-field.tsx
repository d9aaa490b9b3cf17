import { useId } from "react";
import { useTargets, type TriggerTarget } from "./use-targets.ts";

type Props = {
  readonly target: TriggerTarget | undefined;
  readonly onChange: (target: TriggerTarget | undefined) => void;
};

/** Choice of the crew, flow or agent to start. */
export function TargetField({ target, onChange }: Props) {
  const id = useId();
  const targets = useTargets();
  const chosen = target === undefined ? "" : label(target);
  const isKnown = targets.some((each) => label(each) === chosen);
  return (
    <div className="field">
      <label htmlFor={id}>Starts</label>
      <select
        id={id}
        className="input"
        value={chosen}
        onChange={(event) => onChange(targets.find((each) => label(each) === event.target.value))}
      >
        <option value="">Choose …</option>
        {chosen !== "" && !isKnown && <option>{chosen}</option>}
        {targets.map((each) => (
          <option key={label(each)}>{label(each)}</option>
        ))}
      </select>
    </div>
  );
}

const label = ({ kind, name }: TriggerTarget): string => `${kind} ${name}`;
