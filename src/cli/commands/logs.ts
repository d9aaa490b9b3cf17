import { isJsonObject, parsedJson, type JsonObject, type JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { againCommand, openProject, withAccount } from "../deploy/open-project.ts";
import { plain } from "../output.ts";

/** `edgecrew logs`: follows the log of a deployed Worker. */
export const logs = command({
  name: "logs",
  about: "follow the log of the deployed Worker",
  example: "edgecrew logs --errors",
  options: { errors: { about: "only errors" } },
  run: async (context, { options: { errors } }) => {
    const { cloud } = openProject(context);
    const { signal, out, global } = context;
    let document = "";
    const onLine = (line: string): void => {
      document = document === "" && !line.startsWith("{") ? "" : `${document}${line}\n`;
      const value = parsedJson(document); // a document may take several lines
      if (!isJsonObject(value)) return;
      document = "";
      if (!errors || hasFailed(value)) out.line(value, () => textOf(value));
    };
    await withAccount("logs", () => cloud.tail(onLine, signal), {
      signal,
      again: againCommand("logs", global),
    });
    return signal.aborted ? 130 : 0;
  },
});

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

function hasFailed({ outcome, exceptions, logs: lines }: JsonObject): boolean {
  return (
    outcome !== "ok" ||
    listOf(exceptions).length > 0 ||
    listOf(lines).some(({ level }) => level === "error")
  );
}

function textOf(entry: JsonObject): string {
  const { eventTimestamp, outcome, event, exceptions, logs: lines } = entry;
  const at = typeof eventTimestamp === "number" ? new Date(eventTimestamp).toISOString() : "";
  const request = isJsonObject(event) && isJsonObject(event["request"]) ? event["request"] : {};
  const cron = isJsonObject(event) ? event["cron"] : undefined;
  const what = [request["method"], request["url"], cron].filter((each) => typeof each === "string");
  return [
    [at, outcome, ...what].map(String).join("  "),
    ...listOf(lines).map(({ level, message }) => `  ${wordsOf(level)}: ${plain(wordsOf(message))}`),
    ...listOf(exceptions).map(
      ({ name, message }) => `  ${wordsOf(name)}: ${plain(wordsOf(message))}`,
    ),
  ].join("\n");
}

function wordsOf(message: JsonValue | undefined): string {
  const parts = Array.isArray(message) ? message : [message];
  return parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" ");
}
