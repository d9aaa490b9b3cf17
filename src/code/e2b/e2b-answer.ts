// Answers of E2B's interpreter: one JSON object a line.
import { parsedObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** Result of code in E2B's format. */
export type E2BExecution = {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly results: readonly JsonObject[];
  readonly error?: { readonly name: string; readonly value: string; readonly traceback: string };
  /** Text of the main result. */
  readonly text?: string;
  readonly executionCount?: number;
};

/** Reads the lines and skips those of another form. */
export function e2bExecution(lines: string): E2BExecution {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const results: JsonObject[] = [];
  const rest: { error?: E2BExecution["error"]; text?: string; executionCount?: number } = {};
  for (const line of lines.split("\n")) {
    const message = messageOf(line);
    switch (message?.["type"]) {
      case "stdout":
        stdout.push(textOf(message["text"]));
        break;
      case "stderr":
        stderr.push(textOf(message["text"]));
        break;
      case "result": {
        const { type: _, is_main_result: isMain, ...result } = message;
        results.push(result);
        if (isMain === true && typeof result["text"] === "string") rest.text = result["text"];
        break;
      }
      case "error":
        rest.error = {
          name: textOf(message["name"]),
          value: textOf(message["value"]),
          traceback: textOf(message["traceback"]),
        };
        break;
      case "number_of_executions":
        rest.executionCount = Number(message["execution_count"]);
        break;
      default:
    }
  }
  return { stdout, stderr, results, ...rest } as E2BExecution;
}

function messageOf(line: string): JsonObject | undefined {
  if (line.trim() === "") return undefined;
  return parsedObject(line);
}

/** Lists of lines are one text. */
function textOf(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "string" ? value : "";
}
