// Clients that are generated from /openapi.json: they compile, and their calls are answered as their types say.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../needs/command.ts";
import { npmPackages } from "../needs/npm-packages.ts";
import { pythonEnvironment, pythonOf } from "../needs/python-environment.ts";
import { ADMIN_KEY, startWorker } from "../openapi/worker.ts";
import type { PartContext, PartFailure, PartResult, WorldPart } from "../part.ts";
import { callsIn, failuresOf, type Call } from "./calls.ts";

const typescript = npmPackages({
  name: "generated-clients-npm",
  what: "openapi-typescript 7.13.0, openapi-fetch 0.17.0 and TypeScript 5.9.3",
  folder: new URL(".", import.meta.url),
  seconds: 15,
  megabytes: 60,
});
const python = pythonEnvironment({
  name: "openapi-python-client",
  what: "openapi-python-client 0.29.1 in a Python environment",
  requirements: new URL("../requirements/openapi-python-client.txt", import.meta.url),
  seconds: 10,
  megabytes: 80,
});

export const part: WorldPart = {
  name: "generated-clients",
  title: "Clients generated from /openapi.json",
  needs: [typescript, python],
  sliceSeconds: 120,
  wholeSeconds: 900,
  async run(context): Promise<PartResult> {
    const { scratch, say } = context;
    const url = await startWorker("worker", context);
    const answer = await fetch(`${url}/openapi.json`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    const document = join(scratch, "openapi.json");
    writeFileSync(document, await answer.text());
    const calls: Call[] = [];
    const failures: PartFailure[] = [];
    for (const [name, run] of [
      ["typescript", typescriptCalls],
      ["python", pythonCalls],
    ] as const) {
      const made = callsIn(await run({ ...context, document, url }));
      say(`${name}: ${made.filter(({ ok }) => ok).length} of ${made.length} calls`);
      calls.push(...made);
      failures.push(...failuresOf(name, made));
    }
    return {
      upstream: "openapi-typescript 7.13.0, openapi-python-client 0.29.1",
      tried: calls.length,
      passed: calls.filter(({ ok }) => ok).length,
      differences: {},
      failures,
    };
  },
};

type Generating = PartContext & { readonly document: string; readonly url: string };

/** Generates the types, compiles the program with them, and runs it. */
async function typescriptCalls({ folders, scratch, document, url }: Generating): Promise<string> {
  const installed = folders[typescript.name] ?? "";
  const folder = join(installed, "program");
  mkdirSync(folder, { recursive: true });
  for (const file of ["calls.ts", "tsconfig.json", "process.d.ts"])
    copyFileSync(fileURLToPath(new URL(`program/${file}`, import.meta.url)), join(folder, file));
  const node = (program: string, args: readonly string[]): Promise<string> =>
    runCommand(process.execPath, [join(installed, "node_modules", program), ...args], {
      cwd: folder,
      timeoutMs: 60_000,
    });
  await node("openapi-typescript/bin/cli.js", [
    document,
    "--default-non-nullable",
    "false",
    "--output",
    join(folder, "api.d.ts"),
  ]);
  await node("typescript/bin/tsc", ["--project", folder]);
  const output = await runCommand(process.execPath, [join(folder, "calls.ts"), url, ADMIN_KEY], {
    timeoutMs: 60_000,
  });
  writeFileSync(join(scratch, "typescript.jsonl"), output);
  return output;
}

/** Generates the package and runs the program over it. */
async function pythonCalls({ folders, scratch, document, url }: Generating): Promise<string> {
  const interpreter = pythonOf(folders[python.name] ?? "");
  const config = join(scratch, "client.json");
  writeFileSync(config, JSON.stringify({ package_name_override: "edgecrew_api", post_hooks: [] }));
  const folder = join(scratch, "edgecrew_api");
  const said = await runCommand(
    interpreter,
    [
      "-m",
      "openapi_python_client",
      "generate",
      "--path",
      document,
      "--config",
      config,
      "--meta",
      "none",
      "--output-path",
      folder,
      "--overwrite",
    ],
    { timeoutMs: 60_000 },
  );
  writeFileSync(join(scratch, "python.txt"), said);
  const program = fileURLToPath(new URL("calls.py", import.meta.url));
  const output = await runCommand(interpreter, [program, scratch, url, ADMIN_KEY], {
    timeoutMs: 60_000,
  });
  writeFileSync(join(scratch, "python.jsonl"), output);
  return output;
}
