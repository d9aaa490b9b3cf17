import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";

/** Pauses the run on a durable timer. */
export const waitTool = catalogTool({
  className: "WaitTool",
  displayName: "Wait",
  group: "automation",
  service: "Edgecrew",
  effectClass: "R",
  description: ({ maxSeconds }) =>
    `Waits before the work goes on, such as for a job elsewhere. At most ${maxSeconds} seconds for each call.`,
  input: () =>
    z.object({
      seconds: z.number().min(0).describe("How long to wait"),
      reason: z.string().optional().describe("What for"),
    }),
  options: () => z.object({ maxSeconds: z.number().positive().default(300) }),
  cache: false,
  allowRepeat: true,
  run: async ({ seconds, reason }, { maxSeconds }, io) => {
    const waited = Math.min(seconds, maxSeconds);
    await io.context.sleep("timer", waited * 1000);
    const parts = [`Waited ${secondsText(waited)}.`];
    if (waited < seconds)
      parts.push(
        `Requested ${secondsText(seconds)}, capped at ${secondsText(maxSeconds)} per call - call again to wait longer.`,
      );
    if (reason !== undefined) parts.push(`Reason: ${reason}`);
    return parts.join(" ");
  },
});

function secondsText(seconds: number): string {
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
