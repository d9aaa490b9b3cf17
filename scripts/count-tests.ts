// Adds up the JSON reports of the test scripts in reports/ and prints one line:
// `N passed, N failed`, with `, N skipped` if there are any. Exits with 1 after a failure.
import { readdirSync, readFileSync } from "node:fs";

type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

const folder = new URL("../reports/", import.meta.url);
const total = { passed: 0, failed: 0, skipped: 0 };

for (const name of listReports()) {
  const report = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Report;
  // A file with a failed load or preparation has no failed test of its own: it counts as one failure.
  const unloaded = report.testResults.filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every(({ status }) => status !== "failed"),
  );
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests + unloaded.length;
  total.skipped += report.numPendingTests + report.numTodoTests;
}

if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** Lists the existing reports; an empty list before the first test run. */
function listReports(): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}
