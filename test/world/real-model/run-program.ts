import { EngineError } from "../../../src/index.ts";
import type { Random } from "../support/random.ts";
import type { Bench, Kind } from "./programs/kind.ts";
import type { ChatServer } from "./server/chat-server.ts";
import type { Outcome, Run } from "./verdict.ts";

/** No program needs as long; one that does not end by then hangs. */
const LIMIT_SECONDS = 120;

export type Around = { readonly server: ChatServer; readonly embedderUrl: string };

/** Runs one program of a kind and takes down how it ended. */
export async function runProgram(
  kind: Kind,
  { server, embedderUrl }: Around,
  about: { readonly id: string; readonly random: Random; readonly seed: number },
): Promise<Run> {
  server.begin(about.seed);
  const bench: Bench = {
    random: about.random,
    server,
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
  const { name, reasons, sameOnPurpose = 1 } = kind;
  return { id: about.id, kind: name, reasons, sameOnPurpose, outcome, log: [...server.log] };
}

async function outcomeOf(kind: Kind, bench: Bench): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(
      () => resolve({ state: "hung", seconds: LIMIT_SECONDS }),
      LIMIT_SECONDS * 1000,
    );
  });
  try {
    return await Promise.race([ended(kind, bench), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function ended(kind: Kind, bench: Bench): Promise<Outcome> {
  try {
    return { state: "ended", output: await kind.run(bench) };
  } catch (error) {
    const code = EngineError.is(error) ? error.code : "not an error of ours";
    return { state: "failed", code, message: (error as Error).message };
  }
}
