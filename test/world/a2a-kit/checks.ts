// Checks of a pytest run, as its JUnit report has them.

export type Check = {
  /** Module, class, function and parameters, such as `test_requirements.test_must_requirement[CORE-SEND-003-jsonrpc]`. */
  readonly id: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** First line of the failure, or the reason of a skip. */
  readonly message: string;
};

const CASE = /<testcase ([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g;
const PROBLEM = /<(failure|error|skipped)\b([^>]*)/;

/** Reads a report. An expected failure of pytest (`xfail`) is a skip there, and a failure here. */
export function readChecks(report: string): readonly Check[] {
  return Array.from(report.matchAll(CASE), ([, attributes = "", body = ""]): Check => {
    const place = attribute(attributes, "classname").split(".").slice(2).join(".");
    const id = `${place}.${attribute(attributes, "name")}`;
    const [, kind, about = ""] = PROBLEM.exec(body) ?? [];
    if (kind === undefined) return { id, outcome: "passed", message: "" };
    const message = attribute(about, "message").split("\n", 1)[0] ?? "";
    const isSkip = kind === "skipped" && attribute(about, "type") !== "pytest.xfail";
    return { id, outcome: isSkip ? "skipped" : "failed", message };
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#10": "\n",
};

function attribute(text: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return value.replaceAll(/&(#?\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole);
}
