import { inspect } from "node:util";
import type { CliFailure } from "./cli-failure.ts";
import type { Output } from "./output.ts";

/** Prints a failure and the next step, without any key. */
export function showFailure(
  failure: CliFailure,
  { out, key }: { readonly out: Output; readonly key: string | undefined },
): void {
  const masked = (text: string): string =>
    key === undefined || key.length < 6 ? text : text.replaceAll(key, "***");
  const { code, message, fix, issues } = failure;
  if (out.isJson) {
    const error = { code, message, ...(issues && { issues }), ...(fix && { fix }) };
    out.fault(masked(JSON.stringify({ error })));
    return;
  }
  const mark = failure.exitCode === 3 ? out.style("yellow", "?") : out.style("red", "✗");
  out.fault(masked(`${mark} ${message}`));
  for (const issue of issues ?? []) {
    // A message with a place in a file needs no path.
    const where = /^[^\s:]+:\d+:\d+: /.test(issue.message) ? "" : `${issue.path || "/"}: `;
    const line = `  ${where}${issue.message}`;
    if (!message.includes(issue.message)) out.fault(masked(line));
  }
  if (fix !== undefined) out.fault(masked(`  ${fix}`));
  const { cause } = failure;
  if (out.isVerbose) out.fault(masked(inspect(cause instanceof Error ? cause : failure)));
}
