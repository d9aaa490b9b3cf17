// CrewAI's A2A client, both of AG2's and those of the SDK that they use, with their defaults, against a server of ours with its defaults.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../../support/wrangler-dev.ts";
import { a2aCrewai as crewai, ag2 } from "../needs/environments.ts";
import type { PartContext, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { runPython } from "../support/run-python.ts";
import { readCalls, type Call } from "./calls.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const RUNNERS = [
  { need: crewai, script: new URL("call_crewai.py", import.meta.url) },
  { need: ag2, script: new URL("call_ag2.py", import.meta.url) },
  { need: crewai, script: new URL("call_sdk_0.py", import.meta.url) },
  { need: ag2, script: new URL("call_sdk_1.py", import.meta.url) },
];

export const part: WorldPart = {
  name: "a2a-clients",
  title: "A2A clients of CrewAI, AG2 and the SDK",
  needs: [crewai, ag2],
  sliceSeconds: 120,
  wholeSeconds: 600,
  async run(context) {
    const url = await startWorker(context);
    const calls: Call[] = [];
    for (const { need, script } of RUNNERS) {
      const output = `${context.scratch}/${basename(script.pathname)}.txt`;
      await runPython({
        environment: context.folders[need.name] ?? "",
        script,
        args: [url],
        env: { OPENAI_API_KEY: "none" },
        cwd: context.scratch,
        output,
        signal: context.signal,
      });
      const own = readCalls(readFileSync(output, "utf8"));
      if (own.length === 0)
        throw new Error(`${basename(script.pathname)} called nothing: see ${output}.err`);
      calls.push(...own);
    }
    return {
      upstream: "CrewAI 1.15.30, AG2 0.14.0, a2a-sdk 1.3 and 0.3",
      tried: calls.length,
      ...explain(
        calls.map((call) => ({ id: call.id, differences: call.isRight ? [] : [call] })),
        [],
        ({ state, text }) => `${state}: ${text}`,
      ),
    };
  },
};

async function startWorker({ atEnd }: PartContext): Promise<string> {
  const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-a2a-clients-`);
  const options = { cwd: root, config: "test/world/a2a-clients/wrangler.toml", persistTo };
  migrate(options);
  const worker = await WranglerDev.start(options);
  atEnd(async () => {
    await worker.kill();
    rmSync(persistTo, { recursive: true, force: true });
  });
  return worker.url;
}
