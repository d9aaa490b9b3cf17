import { EngineError } from "../../../src/index.ts";
import { StatedFailure } from "./doors/door.ts";
import type { Random } from "../support/random.ts";
import type { Bench, Kind } from "./programs/kind.ts";
import type { ChatServer } from "./server/chat-server.ts";
import type { Outcome, Run } from "./verdict.ts";

/** A program that has not asked its model for so long hangs. A slow machine makes answers longer, not pauses. */
const SILENCE_SECONDS = 90;
const LOOKS_MS = 500;

export type Around = {
  readonly server: ChatServer;
  readonly embedderUrl: string;
  readonly worker: Bench["worker"];
};

/** Runs one program of a kind and takes down how it ended. */
export async function runProgram(
  kind: Kind,
  { server, embedderUrl, worker }: Around,
  about: { readonly id: string; readonly random: Random; readonly seed: number },
): Promise<Run> {
  server.begin(about.seed);
  const bench: Bench = {
    random: about.random,
    server,
    worker,
    llm: (settings = {}) => ({
      model: "openai/smollm2",
      baseUrl: server.url,
      apiKey: "none",
      maxTokens: 32,
      ...settings,
    }),
    embedder: {
      provider: "openai",
      config: { model: "minilm", apiBase: embedderUrl, apiKey: "none" },
    },
  };
  const outcome = await outcomeOf(kind, bench);
  const { name, reasons, delegates = false } = kind;
  return { id: about.id, kind: name, reasons, delegates, outcome, log: [...server.log] };
}

async function outcomeOf(kind: Kind, bench: Bench): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setInterval(() => {
      if (bench.server.idleForMs > SILENCE_SECONDS * 1000)
        resolve({ state: "hung", seconds: SILENCE_SECONDS });
    }, LOOKS_MS);
  });
  try {
    return await Promise.race([ended(kind, bench), late]);
  } finally {
    clearInterval(timer);
  }
}

async function ended(kind: Kind, bench: Bench): Promise<Outcome> {
  try {
    return { state: "ended", output: await kind.run(bench) };
  } catch (error) {
    const isStated = EngineError.is(error) || error instanceof StatedFailure;
    const code = isStated ? error.code : "not an error of ours";
    return { state: "failed", code, message: (error as Error).message };
  }
}
