// SDKs of model providers: our requests in their types, and the answers of our model server as they read them. So the wires, their
// tests and the server that these speak with do not come from one head.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  startModelServer,
  type ServedReply,
  type ServedRequest,
} from "../../support/model-server.ts";
import { pythonEnvironment } from "../needs/python-environment.ts";
import type { PartResult, WorldPart } from "../part.ts";
import { readChecks, type Check } from "../python-sdks/checks.ts";
import { explain } from "../support/accepted.ts";
import { runPython } from "../support/run-python.ts";
import { sentRequests } from "./requests.ts";

const sdks = pythonEnvironment({
  name: "model-sdks",
  what: "botocore 1.44 and google-genai 3.6",
  requirements: new URL("../requirements/model-sdks.txt", import.meta.url),
  seconds: 30,
  megabytes: 150,
});

export const part: WorldPart = {
  name: "model-sdks",
  title: "SDKs of Bedrock and Gemini, and the wires to them",
  needs: [sdks],
  sliceSeconds: 60,
  wholeSeconds: 120,
  async run({ folders, scratch, signal, say, atEnd }): Promise<PartResult> {
    const server = await startModelServer({ reply });
    atEnd(() => server.stop());
    const requests = join(scratch, "requests.json");
    writeFileSync(requests, JSON.stringify(await sentRequests(server)));
    const output = join(scratch, "checks.txt");
    const code = await runPython({
      environment: folders[sdks.name] ?? "",
      script: new URL("check_sdks.py", import.meta.url),
      args: [server.url, requests],
      cwd: scratch,
      output,
      signal,
    });
    const checks: Check[] = [...readChecks(readFileSync(output, "utf8"), "model-sdks")];
    const said = readFileSync(`${output}.err`, "utf8").slice(-1_500);
    if (code !== 0) checks.push({ id: "model-sdks ended", ok: false, said: `${code}: ${said}` });
    say(`${checks.filter(({ ok }) => ok).length} of ${checks.length}`);
    return {
      upstream: "botocore 1.44.8, google-genai 3.6.1",
      tried: checks.length,
      ...explain(
        checks.map((check) => ({ id: check.id, differences: check.ok ? [] : [check] })),
        [],
        ({ said: why }) => why,
      ),
    };
  },
};

/** The answer that the last words ask for. */
function reply({ messages }: ServedRequest): ServedReply {
  const asked = JSON.stringify(messages.at(-1) ?? "");
  const city = { city: 'Grüße – 日本 "x"' };
  if (asked.includes('"tools"'))
    return {
      text: "Looking.",
      toolCalls: [
        { name: "weather", arguments: city },
        { name: "weather", arguments: city },
      ],
    };
  if (asked.includes('"thinking"'))
    return { text: "Seen.", thinking: { text: "Hm, let me see.", signature: "c2ln" } };
  if (asked.includes('"exception"'))
    return {
      text: "one two three four",
      fault: "error",
      error: { error: { type: "throttlingException", message: "Too many requests" } },
    };
  return { text: "Hello to you, too." };
}
