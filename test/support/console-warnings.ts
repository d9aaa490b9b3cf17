import { afterEach, beforeEach, vi } from "vitest";

/** Fails each test of the file in which something is written to the console as a warning or an error. */
export function refuseWarnings(): void {
  beforeEach(() => {
    for (const method of ["warn", "error"] as const)
      vi.spyOn(console, method).mockImplementation(() => undefined);
  });
  afterEach(() => {
    const lines = [console.warn, console.error].flatMap((method) => vi.mocked(method).mock.calls);
    vi.restoreAllMocks();
    if (lines.length > 0) throw new Error(`the console has ${JSON.stringify(lines)}`);
  });
}
