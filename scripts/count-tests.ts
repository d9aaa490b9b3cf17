// Adds up the JSON reports that the test scripts leave in reports/ and prints one line:
// `N passed, N failed`, with `, N skipped` when there are any. Exits with 1 when something failed.
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
  // A file that could not be loaded, or whose preparation failed, has no failed test of its own: it counts as one failure.
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

/** The reports there are; none when no test has run yet. */
function listReports(): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}
