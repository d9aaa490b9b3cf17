import { EngineError } from "../../base/error.ts";
import type { ShellResult } from "../machines/machine.ts";
import type { E2BSandbox } from "./e2b-sandbox.ts";

/**
 * Separates the output of a command from its exit code and its stderr. E2B's interpreter returns no exit code for shell
 * text.
 */
const END = "--edgecrew-end--";

/** Runs shell text in a sandbox of E2B, with its exit code and its two outputs apart. */
export async function shellOnE2B(
  sandbox: E2BSandbox,
  text: string,
  limits: {
    readonly timeoutMs: number;
    readonly envs?: Readonly<Record<string, string>> | undefined;
  },
): Promise<ShellResult> {
  const errors = "/tmp/edgecrew-errors";
  const wrapped = `( ${text}\n) 2>${errors}\nprintf '\\n${END}%s\\n' "$?"\ncat ${errors}\nrm -f ${errors}`;
  const { stdout, stderr } = await sandbox.execute(wrapped, { language: "bash", ...limits });
  const all = stdout.join("");
  const at = all.lastIndexOf(`\n${END}`);
  const [, code, rest = ""] = /^(\d+)\n([^]*)$/.exec(all.slice(at + END.length + 1)) ?? [];
  if (at < 0 || code === undefined)
    throw new EngineError(
      "tool_failed",
      `E2B did not say how the command ended: ${stderr.join("")}`,
    );
  return { exitCode: Number(code), stdout: all.slice(0, at), stderr: rest + stderr.join("") };
}
