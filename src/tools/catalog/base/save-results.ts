import { isoTime } from "../../../base/clock.ts";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import type { ToolIo } from "./tool-io.ts";

/** Writes the data of a search's result to a file of the run's workspace as well. */
export async function savedResult(result: ToolResult, io: ToolIo): Promise<ToolResult> {
  const { text, data, ...rest } = result.fields;
  const time = isoTime(io.context.now()).replace("T", "_").replace(/[:.]/g, "-").replace("Z", "");
  const file = await io.files.write(
    `search_results_${time}.txt`,
    data === undefined ? text : JSON.stringify(data, null, 2),
    "text/plain",
  );
  return toolResult({
    ...rest,
    text: `${text}\n\nSaved as ${file.path}.`,
    ...(data === undefined ? undefined : { data }),
    files: [file],
  });
}
