import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { command } from "../command.ts";
import { confirm } from "../confirm.ts";
import { findRun } from "../find-run.ts";
import { redactTrace, withoutValues } from "../redact-trace.ts";
import { writeWhole } from "../write-whole.ts";

/** `edgecrew trace download`: a run as a file. */
export const traceDownload = command({
  name: "trace download",
  about: "save a run with its journal and events, to be shown or tested later",
  args: "<id>",
  example: "edgecrew trace download 6dcb20 -o briefing.json",
  options: {
    output: {
      about: "the file, or - for standard output; else <id>.json",
      value: "file",
      short: "o",
    },
    values: { about: "inputs and outputs of steps", on: true },
    redact: { about: "replace all texts by their lengths" },
  },
  run: async (context, { args: [text = ""], options: { output, values, redact } }) => {
    const { client, out, cwd } = context;
    const edgecrew = await client();
    const id = await findRun(edgecrew, text);
    const path = output === "-" ? undefined : resolve(cwd, output ?? `${id}.json`);
    if (path !== undefined && existsSync(path)) await confirm(context, `overwrite 1 file, ${path}`);
    const whole = await edgecrew.runs.handle(id).export();
    const chosen = values ? whole : withoutValues(whole);
    const json = JSON.stringify(redact ? redactTrace(chosen) : chosen);
    if (path === undefined) {
      out.stdout.write(`${json}\n`);
      return 0;
    }
    writeWhole(
      path,
      `${json}
`,
      { mode: 0o600 },
    );
    out.result({ id, file: path, steps: whole.steps.length }, () => path);
    return 0;
  },
});
