import { spawnSync } from "node:child_process";

/** The newest version of a package that the registry has, below another one where that is given. */
export function newestVersion(name: string, below?: string): string {
  const { stdout, stderr } = spawnSync("python3", ["-m", "pip", "index", "versions", name], {
    encoding: "utf8",
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  });
  const found = newestOf(stdout, below);
  if (found === undefined) throw new Error(`no version of ${name} can be had: ${stderr.trim()}`);
  return found;
}

/** The first version of pip's list, which is in descending order, whose first number is less than `below`. */
export function newestOf(list: string, below = "1000000"): string | undefined {
  const versions = /^Available versions: (.*)$/m.exec(list)?.[1]?.split(", ") ?? [];
  return versions.find((version) => Number(version.split(".")[0]) < Number(below));
}
