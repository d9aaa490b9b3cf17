import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { EngineError } from "../../../src/client/index.ts";
import type { Json } from "../../api-types.ts";
import { client } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { SchemaForm } from "../../parts/schema-form.tsx";
import { errorText } from "../../shell/error-text.ts";
import { useCronWords } from "./cron-words.ts";
import { TargetField } from "./target-field.tsx";
import { useInputSchema, type TriggerTarget } from "./use-targets.ts";
import { knownZones, ownZone } from "./zones.ts";

/** A new schedule. */
export function ScheduleForm({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [cron, setCron] = useState("0 9 * * 1-5");
  const [timeZone, setTimeZone] = useState(ownZone);
  const [overlap, setOverlap] = useState<"allow" | "skip">("allow");
  const [target, setTarget] = useState<TriggerTarget>();
  const [inputs, setInputs] = useState<Json>();
  const schema = useInputSchema(target);
  const described = useCronWords(cron);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (value: Json) => {
      if (target === undefined) throw new Error("Choose a target for the schedule.");
      return client.schedules.create({
        ...(name.trim() === "" ? undefined : { id: name.trim() }),
        cron: cron.trim(),
        timeZone: timeZone.trim(),
        target,
        overlap,
        inputs: value as never,
      });
    },
    onSuccess: async (schedule) => {
      await queries.invalidateQueries({ queryKey: ["triggers"] });
      onClose();
      await navigate({ to: "/triggers", search: { schedule: schedule.id } });
    },
  });
  /** A fault of one value does not apply to the next one. */
  const changing =
    (set: (value: string) => void) =>
    (value: string): void => {
      reset();
      set(value);
    };
  const issues = EngineError.is(error) ? (error.issues ?? []) : [];
  const faultOf = (path: string): string =>
    issues
      .filter((issue) => issue.path === path)
      .map(({ message }) => message)
      .join(" ");
  const inputFaults = issues
    .filter(({ path }) => path.startsWith("/inputs"))
    .map(({ path, message }) => ({ path: path.slice("/inputs".length), message }));
  const isElsewhere = issues.every(
    ({ path }) => !["/id", "/cron", "/timeZone"].includes(path) && !path.startsWith("/inputs"),
  );
  return (
    <Dialog title="New schedule" isWide onClose={onClose}>
      <div className="pair">
        <Field
          id={`${id}name`}
          label="Name"
          help="Letters, digits, - and _. May be left empty."
          fault={faultOf("/id")}
          value={name}
          onChange={changing(setName)}
        />
        <TargetField target={target} onChange={setTarget} />
      </div>
      <div className="pair">
        <Field
          id={`${id}cron`}
          label="Cron"
          help={described.words || "Five fields: minute, hour, day, month, day of the week."}
          fault={faultOf("/cron") || described.fault}
          value={cron}
          onChange={changing(setCron)}
        />
        <Field
          id={`${id}zone`}
          label="Time zone"
          help=""
          fault={faultOf("/timeZone")}
          value={timeZone}
          list={knownZones()}
          onChange={changing(setTimeZone)}
        />
      </div>
      <label className="choice">
        <input
          type="checkbox"
          checked={overlap === "skip"}
          onChange={(event) => setOverlap(event.target.checked ? "skip" : "allow")}
        />
        Skip while the previous run is still going
      </label>
      <SchemaForm
        key={`${target?.kind} ${target?.name}`}
        schema={schema}
        value={inputs}
        faults={inputFaults}
        onChange={setInputs}
        onSend={(value) => mutate(value)}
      >
        {error !== null && isElsewhere && (
          <p className="fault" role="alert">
            {errorText(error)}
            {issues.map(({ path, message }) => ` ${path}: ${message}`)}
          </p>
        )}
        <div className="form-actions">
          <button type="submit" className="button main" disabled={isPending}>
            Create the schedule
          </button>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        </div>
      </SchemaForm>
    </Dialog>
  );
}

type FieldProps = {
  readonly id: string;
  readonly label: string;
  readonly help: string;
  readonly fault: string;
  readonly value: string;
  readonly list?: readonly string[];
  readonly onChange: (value: string) => void;
};

function Field({ id, label, help, fault, value, list, onChange }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        value={value}
        list={list && `${id}list`}
        aria-invalid={fault !== ""}
        aria-describedby={`${id}help`}
        onChange={(event) => onChange(event.target.value)}
      />
      {list !== undefined && (
        <datalist id={`${id}list`}>
          {list.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <span id={`${id}help`} className={fault === "" ? "help" : "fault"}>
        {fault === "" ? help : fault}
      </span>
    </div>
  );
}
