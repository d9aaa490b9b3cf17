import type { ReactNode } from "react";
import type { Json, JsonSchema } from "../api-types.ts";
import { labelOfField, type Fault } from "./form-fields.ts";

export type FieldProps = {
  readonly name: string;
  readonly path: string;
  readonly schema: JsonSchema;
  readonly value: Json | undefined;
  readonly isRequired: boolean;
  readonly faults: readonly Fault[];
  readonly onChange: (value: Json | undefined) => void;
  readonly onLeave: (path: string) => void;
};

/** The label, the help and the faults of a field. */
export function Frame({
  id,
  props,
  children,
}: {
  readonly id: string;
  readonly props: FieldProps;
  readonly children: ReactNode;
}) {
  const { schema, name, isRequired, path, faults } = props;
  const own = ownFaults({ path, faults });
  return (
    <div className="field">
      <label htmlFor={id}>
        {labelOfField(schema, name)}
        {!isRequired && <span className="soft"> (optional)</span>}
      </label>
      {typeof schema["description"] === "string" && (
        <span className="help" id={`${id}-help`}>
          {schema["description"]}
        </span>
      )}
      {children}
      <span className="fault" id={`${id}-fault`} role={own.length > 0 ? "alert" : undefined}>
        {own.map(({ message }) => message).join(". ")}
      </span>
    </div>
  );
}

/** The texts of the faults at the field itself. */
export function ownFaults({ path, faults }: Pick<FieldProps, "path" | "faults">): readonly Fault[] {
  return faults.filter((fault) => fault.path === path);
}

/** Returns faults below this field without a field of their own. */
export function faultsBelow({
  path,
  faults,
}: Pick<FieldProps, "path" | "faults">): readonly Fault[] {
  return faults.filter((fault) => fault.path.startsWith(`${path}/`));
}

export function OwnFaults({ path, faults }: Pick<FieldProps, "path" | "faults">) {
  const own = ownFaults({ path, faults });
  return own.length === 0 ? null : (
    <p className="fault" role="alert">
      {own.map(({ message }) => message).join(". ")}
    </p>
  );
}

export const described = (id: string, { faults, path }: FieldProps) => ({
  id,
  "aria-describedby": `${id}-help ${id}-fault`,
  "aria-invalid": faults.some((fault) => fault.path === path),
});
