/** Result of one check. */
export type DoctorRow = {
  readonly what: string;
  /** `unknown` is no fault: the check was not possible, or its subject does not exist. */
  readonly state: "ok" | "warning" | "error" | "unknown";
  readonly found: string;
  /** Stable code of a fault. */
  readonly code?: string;
  readonly fix?: string;
};

export function ok(what: string, found: string): DoctorRow {
  return { what, state: "ok", found };
}

export function unknown(what: string, found: string): DoctorRow {
  return { what, state: "unknown", found };
}

/** A fault with its remedy. */
export function fault(
  what: string,
  {
    code,
    found,
    fix,
    isError = true,
  }: {
    readonly code: string;
    readonly found: string;
    readonly fix: string;
    readonly isError?: boolean;
  },
): DoctorRow {
  return { what, state: isError ? "error" : "warning", found, code, fix };
}
