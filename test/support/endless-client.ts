// A process that asks a server of endless answers, and prints as one line of JSON how each call ended and how much its memory grew:
// node --expose-gc test/support/endless-client.ts <url> <wire> <form>…
import { setTimeout as wait } from "node:timers/promises";
import { Agent } from "../../src/agent/description/agent.ts";
import { toErrorRecord, type ErrorRecord } from "../../src/base/error.ts";
import { resolveEmbedder } from "../../src/vectors/embedders/resolve-embedder.ts";
import type { EndlessForm, EndlessWire } from "./endless-server.ts";

export type EndlessResult = {
  readonly form: EndlessForm;
  readonly error: ErrorRecord | undefined;
  readonly grownBytes: number;
};

const [url, wire, ...forms] = process.argv.slice(2) as [string, EndlessWire, ...EndlessForm[]];

async function ask(form: EndlessForm): Promise<ErrorRecord | undefined> {
  try {
    if (wire === "embeddings") {
      const embedder = resolveEmbedder(`openai/${form}`, {
        variables: { OPENAI_API_KEY: "key", OPENAI_BASE_URL: `${url}/v1` },
      });
      await embedder.embed(["A text"], { signal: AbortSignal.timeout(60_000) });
      return undefined;
    }
    const stream = form === "deltas" || form === "tokens" || form === "line";
    const provider = wire === "anthropic" ? "anthropic" : "openai";
    const agent = new Agent({
      role: "Reader",
      goal: "Read",
      backstory: "You read.",
      stream,
      llm: {
        provider,
        model: form,
        stream,
        baseUrl: wire === "anthropic" ? url : `${url}/v1`,
        apiKey: "key",
        ...(wire === "responses" ? { api: "responses" } : undefined),
      },
    });
    await agent.kickoff("Say hello.");
    return undefined;
  } catch (error) {
    return toErrorRecord(error);
  }
}

/** Largest resident size while a call goes on, over the one before it. */
async function measured(form: EndlessForm): Promise<EndlessResult> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await wait(20);
  }
  const before = process.memoryUsage.rss();
  let most = before;
  const sampler = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 2);
  const error = await ask(form);
  clearInterval(sampler);
  most = Math.max(most, process.memoryUsage.rss());
  return { form, error, grownBytes: most - before };
}

// What the first calls of a process cost by themselves does not count.
for (let round = 0; round < 20; round++) await ask("small");
if (wire !== "embeddings") await ask("deltas");
const results: EndlessResult[] = [];
for (const form of forms) results.push(await measured(form));
process.stdout.write(`${JSON.stringify(results)}\n`);
process.exit(0);
