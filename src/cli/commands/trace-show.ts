import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { plain } from "../output.ts";
import { readTrace } from "../read-trace.ts";
import { runLines } from "../run-lines.ts";

/** `edgecrew trace show`: a saved run, without a Worker. */
export const traceShow = command({
  name: "trace show",
  about: "show a saved run, as runs show does",
  args: "<file>",
  example: "edgecrew trace show briefing.json --journal",
  options: { journal: { about: "its steps" } },
  run: ({ out, cwd }, { args: [file = ""], options }) => {
    const { run, steps } = readTrace(file, cwd);
    const value = { ...run, ...(options.journal && { journal: steps }) } as unknown as JsonValue;
    out.result(value, () =>
      [
        ...runLines(run, out),
        ...(options.journal ? steps : []).map(
          ({ state, key }) => `  ${state.padEnd(8)} ${plain(key)}`,
        ),
      ].join("\n"),
    );
    return Promise.resolve();
  },
});
