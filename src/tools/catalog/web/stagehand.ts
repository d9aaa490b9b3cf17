import * as z from "zod";
import type { JsonValue } from "../../../base/json.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { browse, BROWSER_HOSTS, BROWSER_VARIABLES } from "./browser.ts";
import { PAGE_OPTIONS } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";

const COMMANDS = {
  navigate: "markdown",
  extract: "json",
  observe: "accessibilityTree",
} as const;

/** Reads pages in a browser: as text, as data requested by an instruction, or as an accessibility tree. */
export const stagehand = pageTool({
  className: "StagehandTool",
  otherNames: ["browser_use"],
  displayName: "Web Automation Tool",
  group: "web",
  service: "Browser Run",
  effectClass: "R",
  description:
    "Opens a web page in a browser. command_type navigate returns its text, extract the data that the instruction asks for, observe its controls and headings.",
  input: () =>
    z.object({
      url: z.string().min(1).max(4096).describe("Address of the page"),
      instruction: z.string().max(4000).optional().describe("What to extract"),
      command_type: z.enum(["act", "navigate", "extract", "observe"]).default("navigate"),
    }),
  options: () => z.object(PAGE_OPTIONS),
  env: BROWSER_VARIABLES,
  hosts: BROWSER_HOSTS,
  bindings: ["BROWSER"],
  timeoutMs: 60_000,
  run: async ({ url: address, instruction, command_type: command }, page, io) => {
    if (command === "act")
      throw serviceFailure({
        code: "refused",
        message:
          "act needs a browser session, which this tool does not open: use navigate, extract or observe, or a browser by MCP.",
      });
    if (command === "extract" && instruction === undefined)
      throw serviceFailure({ code: "bad_request", message: "extract needs an instruction." });
    const answer = await browse(io, COMMANDS[command], {
      address,
      page,
      tool: "StagehandTool",
      options: command === "extract" ? { prompt: instruction ?? "" } : {},
    });
    const { result } = answer;
    return pageResult(typeof result === "string" ? result : textOf(result as JsonValue), answer);
  },
});

function textOf(result: JsonValue): string {
  return JSON.stringify(result, null, 1);
}
