import { questionsOf } from "../ask.ts";
import { command } from "../command.ts";
import { findRun } from "../find-run.ts";
import { waitLines, waitOf } from "../waits.ts";

/** `edgecrew waits show`: prints a question with all its details. */
export const waitsShow = command({
  name: "waits show",
  serves: true,
  about: "show a run's open question in full",
  args: "<run> [key]",
  example: "edgecrew waits show 6dcb20",
  options: {},
  run: async ({ client, out }, { args: [text = "", key] }) => {
    const edgecrew = await client();
    const id = await findRun(edgecrew, text);
    const waits =
      key === undefined
        ? questionsOf((await edgecrew.runs.get(id)).waits)
        : [await waitOf(edgecrew, { id, key })];
    if (waits.length === 0 && !out.isJson) return out.note(`Run ${id} has no open question.`);
    out.result(waits, () => waits.map((wait) => waitLines(wait).join("\n")).join("\n\n"));
  },
});
