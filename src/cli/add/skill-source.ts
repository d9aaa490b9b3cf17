// Copies a skill from a folder or a Git repository.
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { wrongUse } from "../cli-failure.ts";
import type { CliContext } from "../command.ts";
import { ProgramOutput } from "../program-output.ts";

/** A file of the skill, from its folder. */
export type SkillFile = { readonly path: string; readonly content: Uint8Array };

const MAX_FILES = 2_000;
const MAX_BYTES = 5 * 1024 * 1024;
const ADDRESS = /^(?:https?|ssh|git):\/\/|^git@|\.git$/;

/** Returns its files. Links are not followed. Throws exit code 2 if there is no skill, 1 if it cannot be loaded. */
export async function skillFrom(
  context: CliContext,
  from: string,
  name: string,
): Promise<readonly SkillFile[]> {
  if (existsSync(resolve(context.cwd, from)))
    return filesIn(resolve(context.cwd, from), name, from);
  if (!ADDRESS.test(from))
    throw wrongUse(
      `--from: there is no folder ${from}`,
      "a folder with a SKILL.md, or a Git address",
    );
  const clone = mkdtempSync(join(tmpdir(), "edgecrew-skill-"));
  try {
    const output = new ProgramOutput();
    const args = ["clone", "--quiet", "--depth", "1", "--", from, clone];
    const { GIT_DIR: _, ...variables } = context.variables;
    const code = await context.processes.startProgram("git", args, {
      cwd: context.cwd,
      variables: { ...variables, GIT_TERMINAL_PROMPT: "0" },
      onText: output.add,
    }).exited;
    if (code !== 0) throw output.failure(`git clone of ${from} failed`, { code: "clone_failed" });
    return filesIn(clone, name, from);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function filesIn(folder: string, name: string, from: string): readonly SkillFile[] {
  const root = [folder, join(folder, name), join(folder, "skills", name)].find((each) =>
    existsSync(join(each, "SKILL.md")),
  );
  if (root === undefined)
    throw wrongUse(
      `${from} has no SKILL.md, and no ${name}/SKILL.md`,
      "name the folder that has it, or the skill as it is called there",
    );
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/]\.git(?:[\\/]|$)/.test(path.slice(root.length)))
    .filter((path) => lstatSync(path).isFile());
  const large = files.find((path) => lstatSync(path).size > MAX_BYTES);
  if (files.length > MAX_FILES) throw wrongUse(`${from} has more than ${MAX_FILES} files`);
  if (large !== undefined)
    throw wrongUse(`${large.slice(root.length + 1)} of ${from} has more than 5 MB`);
  return files.map((path) => ({
    path: path.slice(root.length + 1).replaceAll("\\", "/"),
    content: readFileSync(path),
  }));
}
