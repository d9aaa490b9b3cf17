// Tools for open runs, for clients without tasks and forms.
import type { JsonObject } from "../../../base/json.ts";

const runId = { type: "string", description: "The runId that a tool answered with" };

const tools = [
  {
    name: "get_run",
    title: "Ask for a run",
    description:
      "Waits for a run that another tool started, and answers with its result, or with where it stands and what it asks for.",
    inputSchema: {
      type: "object",
      properties: {
        runId,
        waitSeconds: {
          type: "number",
          minimum: 0,
          maximum: 60,
          description: "How long to wait for it. Default 30",
        },
      },
      required: ["runId"],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: "answer_run",
    title: "Answer a run",
    description:
      "Answers what a run asks for, and waits for it. Ask the user before you answer in their name.",
    inputSchema: {
      type: "object",
      properties: {
        runId,
        answer: { description: "A text; or data, where the question has a schema" },
        approve: { type: "boolean", description: "For questions that ask for a yes or no" },
        key: { type: "string", description: "Which question, where there are several" },
      },
      required: ["runId"],
    },
    annotations: { readOnlyHint: false },
  },
  {
    name: "cancel_run",
    title: "Cancel a run",
    description: "Stops a run for good.",
    inputSchema: { type: "object", properties: { runId }, required: ["runId"] },
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
] as const;

/** Names of these tools. */
export type RunToolName = (typeof tools)[number]["name"];

/** These tools in the form for clients. */
export const RUN_TOOLS: ReadonlyArray<{
  readonly name: RunToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: Readonly<Record<string, boolean>>;
}> = tools;
