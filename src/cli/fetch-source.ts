import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { CliContext } from "./command.ts";
import { ProgramOutput } from "./program-output.ts";

/** Location of a project to import. */
export type Source = {
  readonly folder: string;
  readonly isLocal: boolean;
  /** Address to show, without a password. */
  readonly shown: string;
  /** Deletes fetched files. */
  readonly release: () => void;
};

/** True for a Git address: with a protocol, or in SSH's form `host:path`. A Windows drive has one letter. */
const GIT = /^(?:https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:|\.git\/?$/;

/** Returns a folder, or fetches an address with Git. No code of the project runs. Throws exit code 1 if Git fails. */
export async function fetchSource(
  { processes, variables, cwd, out }: CliContext,
  from: string,
): Promise<Source> {
  if (!GIT.test(from))
    return { folder: resolve(cwd, from), isLocal: true, shown: from, release: () => undefined };
  const shown = withoutSecrets(from);
  const folder = mkdtempSync(join(tmpdir(), "edgecrew-from-"));
  const release = (): void => rmSync(folder, { recursive: true, force: true });
  const output = new ProgramOutput();
  out.note(`Fetching ${shown} …`);
  const { exited } = processes.startProgram(
    "git",
    ["clone", "--quiet", "--depth", "1", "--", from, folder],
    {
      cwd,
      // Git must not ask for a password, as no person would see the question.
      variables: { ...variables, GIT_TERMINAL_PROMPT: "0" },
      onText: output.add,
    },
  );
  if ((await exited) === 0) return { folder, isLocal: false, shown, release };
  release();
  throw output.failure(`git cannot fetch ${shown}`, {
    fix: "fetch it yourself, and name the folder",
  });
}

/** Removes name and password from the address. */
function withoutSecrets(address: string): string {
  return address.replace(/^(\w+:\/\/)[^@/]*@/, "$1");
}
