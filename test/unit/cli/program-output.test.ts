import { expect, it } from "vitest";
import { CloudFault } from "../../../src/cli/cloud/cloud.ts";
import { CliFailure } from "../../../src/cli/cli-failure.ts";
import { Output } from "../../../src/cli/output.ts";
import { ProgramOutput } from "../../../src/cli/program-output.ts";
import { showFailure } from "../../../src/cli/show-failure.ts";

/** Output of wrangler 4.155.0 for a taken port, with the dump of its esbuild. */
const TAKEN = `
 ⛅️ wrangler 4.155.0
────────────────────
Your Worker has access to the following bindings:
env.EDGECREW_SECRETS_KEY ("bG9j...")   Environment Variable   local

⎔ Starting local server...
\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1mAddress already in use (localhost:8788). Please check that you are not already running a server on this address or specify a different port with --port.\u001b[0m


fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
main.main()
🪵  Logs were written to "/home/ana/.config/.wrangler/logs/wrangler.log"
`;

/** npm 10, for a package that is not there. */
const NPM = `npm warn deprecated glob@7.2.3: old
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/edgecrw - Not found
npm error A complete log of this run can be found in: /home/ana/.npm/_logs/debug-0.log
`;

/** workerd, for code that throws while it loads. */
const UNCAUGHT = `✘ [ERROR] service core:user:desk: Uncaught Error: the crew desk has no tasks
    at null.<anonymous> (worker.js:3:9)
✘ [ERROR] The Workers runtime failed to start. There is likely additional logging output above.
`;

/** A project's own build, and wrangler's trace of it. */
const BUILD = `[custom build] ✗ crews/desk/tasks.yaml:2:1: deficient indentation
✘ [ERROR] Process exited with non-zero status (1)
✘ [ERROR] Running custom build \`edgecrew build\` failed.
`;

function outputOf(text: string): ProgramOutput {
  const output = new ProgramOutput();
  for (const piece of Array.from(text)) output.add(piece);
  return output;
}

it.each([
  ["wrangler", TAKEN, /^Address already in use \(localhost:8788\)[^\n]+$/],
  ["npm", NPM, /^404 Not Found - GET https:\S+ - Not found$/],
  ["a Worker", UNCAUGHT, /^the crew desk has no tasks$/],
  ["a build", BUILD, /^crews\/desk\/tasks\.yaml:2:1: deficient indentation\nRunning custom build/],
  ["git", "Cloning\nfatal: repository not found\n", /^repository not found$/],
  ["another program", "one\ntwo\n", /^two$/],
  ["a silent program", "", /^$/],
])("PRO1: the reason of %s is its own fault", (_, text, expected) => {
  expect(outputOf(text).reason).toMatch(expected);
});

it("PRO1: has at most three lines of at most 401 characters", () => {
  const lines = Array.from({ length: 60 }, (_, index) => `✘ [ERROR] ${index} ${"x".repeat(900)}`);
  const reason = outputOf(lines.join("\n")).reason.split("\n");
  expect(reason.map(({ length }) => length)).toEqual([401, 401, 401]);
});

it.each([false, true])("PRO2: a failure shows the whole output with --verbose: %s", (verbose) => {
  const shown = (failure: CliFailure): string => {
    let text = "";
    const sink = { isTerminal: false, write: (piece: string) => void (text += piece) };
    const settings = { stdout: sink, stderr: sink, json: false, quiet: false, color: false };
    showFailure(failure, { out: new Output({ ...settings, verbose }), key: undefined });
    return text;
  };
  const own = shown(outputOf(TAKEN).failure("it does not start"));
  const fault = new CloudFault("failed", "short", { command: "deploy", output: TAKEN });
  const cloud = shown(new CliFailure(5, fault.message, { cause: fault }));
  for (const text of [own, cloud]) expect(text.includes("goroutine 1")).toBe(verbose);
  if (!verbose) expect(own.trim().split("\n")).toHaveLength(1);
});
