// How much later the first event of a streamed call comes over each protocol than over the plain event stream, in one run:
// all variants in turn, medians of the differences to the plain stream of the same round.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { migrate, WranglerDev } from "../test/support/wrangler-dev.ts";

const ROUNDS = 150;
const WARM_UP = 20;

const persistTo = mkdtempSync(`${tmpdir()}/edgecrew-bench-`);
const project = {
  cwd: fileURLToPath(new URL(".", import.meta.url)),
  config: "protocols.toml",
  persistTo,
};
migrate(project);
const dev = await WranglerDev.start(project);

type Call = (round: number) => {
  readonly path: string;
  readonly body: object;
  readonly headers?: object;
};

const calls: Readonly<Record<string, Call>> = {
  "plain event stream": () => ({
    path: "/agents/writer/kickoff",
    body: { messages: "Write a line" },
    headers: { accept: "text/event-stream" },
  }),
  "A2A (JSON-RPC)": (round) => ({
    path: "/a2a/writer",
    body: {
      jsonrpc: "2.0",
      id: round,
      method: "SendStreamingMessage",
      params: {
        message: {
          messageId: `m-${round}`,
          role: "ROLE_USER",
          parts: [{ text: "Write a line" }],
        },
      },
    },
    headers: { "a2a-version": "1.0", accept: "text/event-stream" },
  }),
  "AG-UI": (round) => ({
    path: "/ag-ui/writer",
    body: {
      threadId: `t-${round}`,
      runId: `r-${round}`,
      messages: [{ id: `u-${round}`, role: "user", content: "Write a line" }],
      tools: [],
      context: [],
    },
    headers: { accept: "text/event-stream" },
  }),
  "OpenAI (chat)": () => ({
    path: "/v1/chat/completions",
    body: {
      model: "agent/writer",
      stream: true,
      messages: [{ role: "user", content: "Write a line" }],
    },
  }),
};

try {
  const samples = new Map(Object.keys(calls).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS + WARM_UP; round++)
    for (const [name, call] of Object.entries(calls)) {
      const ms = await firstEventMs(call(round));
      if (round >= WARM_UP) samples.get(name)?.push(ms);
    }
  const plain = samples.get("plain event stream") ?? [];
  for (const [name, all] of samples) {
    const later = all.map((ms, index) => ms - (plain[index] ?? 0));
    console.log(
      `${name.padEnd(20)} first event after ${median(all).toFixed(2)} ms, ${median(later).toFixed(2)} more than plain (at most 2)`,
    );
  }
} finally {
  await dev.kill();
  rmSync(persistTo, { recursive: true, force: true });
}

/** From the request to the first event, in milliseconds; the rest of the stream is read before the next call. */
async function firstEventMs({ path, body, headers }: ReturnType<Call>): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${dev.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let firstMs: number | undefined;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (firstMs === undefined && /^data:/m.test(text)) firstMs = performance.now() - startedAt;
  }
  if (firstMs === undefined) throw new Error(`${path} sent no event: ${response.status} ${text}`);
  return firstMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
