// Kills the local Worker in mid-run, to show that runs survive it. Used in the first five minutes.
//
//   DVK1. The routes exist only under `npm start` and `edgecrew dev`, which set the address of their switch, on this
//         machine.
//   DVK2. Requests to hosts of other machines get the answer of a missing route.
import * as z from "zod";
import { EngineError } from "../base/error.ts";
import { systemFetch } from "../base/system.ts";
import { operation } from "../parts/operation.ts";
import type { Part } from "../parts/part.ts";
import { isLoopbackHost, isLoopbackRequest } from "../security/loopback.ts";
import { shape } from "../parts/shape.ts";

/** Variable with the address of the switch, set only by the dev server. */
export const DEV_SWITCH = "EDGECREW_DEV_SWITCH";

const devWorkerShape = shape("DevWorker", () => z.strictObject({ canBeKilled: z.literal(true) }));

export function devPart(ask: typeof fetch = systemFetch): Part {
  return {
    name: "dev",
    docs: "console.md",
    bind: ({ variables }) => {
      const address = variables[DEV_SWITCH] ?? "";
      if (!isLocal(address)) return {};
      return {
        operations: [
          operation({
            id: "localWorker",
            group: "Console",
            method: "get",
            path: "/dev",
            scope: "read",
            summary: "Show if this is a local Worker that can be killed",
            answers: {
              200: { description: "A local Worker that can be killed", shape: devWorkerShape },
            },
            problems: [404],
            sample: { needs: "a Worker that may be killed" },
            handle: async ({ raw }) => {
              checkLocal(raw);
              return Promise.resolve({ status: 200, json: { canBeKilled: true } });
            },
          }),
          operation({
            id: "killLocalWorker",
            group: "Console",
            method: "post",
            path: "/dev/kill",
            scope: "admin",
            summary: "Kill this local Worker, and have it started again",
            description:
              "Only under `npm start` and `edgecrew dev`. Runs continue from their last step.",
            answers: {
              202: { description: "Killed within a moment", types: ["application/json"] },
            },
            problems: [404],
            sample: { needs: "a Worker that may be killed" },
            handle: async ({ raw }) => {
              checkLocal(raw);
              const answer = await ask(address, { method: "POST" });
              await answer.body?.cancel();
              if (!answer.ok)
                throw new EngineError("unavailable", `the dev server answered ${answer.status}`);
              return { status: 202, json: { killed: true } };
            },
          }),
        ],
      };
    },
  };
}

function checkLocal(request: Request): void {
  if (!isLoopbackRequest(request)) throw new EngineError("not_found", "no route matches");
}

function isLocal(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && isLoopbackHost(hostname);
}
