/** What a log says about an incident. */
export type LogFacts = {
  /** The lines that tell of errors, each once, without their times. */
  readonly errors: readonly string[];
  /** Who wrote them, in the order of their first error. */
  readonly services: readonly string[];
  /** The times of the first and the last error; empty in a log without errors. */
  readonly from: string;
  readonly until: string;
};

const LINE = /^(?<at>\S+[T ]\S+)\s+(?<level>[A-Z]+)\s+(?<service>[\w.-]+):?\s+(?<text>.+)$/;
const BAD: ReadonlySet<string> = new Set(["ERROR", "FATAL", "CRITICAL"]);

/** Reads lines such as `2026-03-02T09:00:12Z ERROR checkout: no connection`. Other lines are skipped. */
export function logFacts(log: string): LogFacts {
  const bad = log.split("\n").flatMap((line) => {
    const { at = "", level = "", service = "", text = "" } = LINE.exec(line.trim())?.groups ?? {};
    return BAD.has(level) ? [{ at, service, text }] : [];
  });
  return {
    errors: [...new Set(bad.map(({ service, text }) => `${service}: ${text}`))],
    services: [...new Set(bad.map(({ service }) => service))],
    from: bad[0]?.at ?? "",
    until: bad.at(-1)?.at ?? "",
  };
}
