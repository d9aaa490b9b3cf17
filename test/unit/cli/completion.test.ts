import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/command-table.ts";
import { CREWAI_COMMANDS } from "../../../src/cli/crewai-commands.ts";
import { Terminal, WORKER } from "../../support/cli-world.ts";

const OFFLINE = {
  fetch: () => {
    throw new Error("no network");
  },
};

/** Words of a line of which the last is being typed. */
async function wordsAfter(world: Terminal, typed: string): Promise<readonly string[]> {
  const { code, out } = await world.run(`completion words -- ${typed}`, OFFLINE);
  expect(code).toBe(0);
  return out.split("\n").filter((word) => word !== "");
}

describe("completion", () => {
  it("CPW1: completes commands, options, and names of the last listings, without network (CL31)", async () => {
    const world = new Terminal();
    expect(await wordsAfter(world, "sched")).toEqual(["schedules"]);
    expect(await wordsAfter(world, "schedules ''")).toEqual([
      "ls",
      "add",
      "pause",
      "unpause",
      "run",
      "rm",
    ]);
    expect(await wordsAfter(world, "memory recall --exp")).toEqual(["--explain"]);
    expect(await wordsAfter(world, "runs ls --prof")).toEqual(["--profile"]);
    expect(await wordsAfter(world, "runs show ''")).toEqual([]);
    await world.run("run greeting --id first-run");
    await world.run("runs ls");
    expect(await wordsAfter(world, "runs show ''")).toEqual(["first-run"]);
    expect(await wordsAfter(world, "run br")).toEqual(["briefing"]);
    expect(await wordsAfter(world, "chat wri")).toEqual(["writer"]);
    await world.run(`login --url ${WORKER} --name prod`, { variables: {} });
    expect(await wordsAfter(world, "config use ''")).toEqual(["prod"]);
    expect(await wordsAfter(world, "runs ls --profile p")).toEqual(["prod"]);
  });

  it("KPN1: works for names and folders with blanks in bash itself (CL31)", async () => {
    const world = new Terminal();
    const folder = `${world.folder}/my own project`;
    mkdirSync(`${folder}/.edgecrew`, { recursive: true });
    writeFileSync(`${folder}/wrangler.toml`, 'name = "x"\n');
    writeFileSync(
      `${folder}/.edgecrew/names.json`,
      '{"definitions":["my notes","other"],"runs":[]}',
    );
    const { out: script } = await world.run("completion bash");
    const program = fileURLToPath(new URL("../../../src/cli/edgecrew.ts", import.meta.url));
    const bash = spawnSync(
      "bash",
      [
        "-c",
        `edgecrew() { "${process.execPath}" "${program}" "$@"; }
        ${script}
        COMP_WORDS=(edgecrew run m); COMP_CWORD=2; _edgecrew; printf '%s\\n' "\${COMPREPLY[@]}"
        complete -p edgecrew`,
      ],
      {
        cwd: folder,
        encoding: "utf8",
        env: { PATH: process.env["PATH"] ?? "", HOME: world.folder },
      },
    );
    expect(bash.stdout).toBe("my\\ notes\ncomplete -o default -F _edgecrew edgecrew\n");
  });

  it("prints a script for each shell, and lists the shells after an unknown one", async () => {
    const world = new Terminal();
    for (const shell of ["bash", "zsh", "fish"])
      expect((await world.run(`completion ${shell}`)).out).toContain(
        "edgecrew completion words --",
      );
    expect((await world.run("completion tcsh")).err).toContain("expected bash, zsh or fish");
  });
});

describe("information about the package", () => {
  it("docs prints its pages offline, and names the nearest", async () => {
    const world = new Terminal();
    const { out } = await world.run("docs memory", OFFLINE);
    expect(out).toMatch(/^# /);
    expect((await world.run("docs")).out).toMatch(/^memory\t\w/m);
    const off = await world.run("docs memori");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("edgecrew docs memory")]);
  });

  it("version names the versions of its dependencies", async () => {
    const world = new Terminal();
    mkdirSync(`${world.folder}/node_modules/wrangler`, { recursive: true });
    writeFileSync(`${world.folder}/node_modules/wrangler/package.json`, '{"version":"4.155.0"}');
    const versions = JSON.parse((await world.run("version --json")).out);
    expect(versions).toMatchObject({
      edgecrew: "1.2.3",
      node: process.version.slice(1),
      wrangler: "4.155.0",
      worker: expect.stringMatching(/^\d/),
    });
    const down = await world.run("version", { variables: {} });
    expect([down.code, down.out]).toEqual([0, expect.stringContaining("worker    none answers")]);
  });

  it("help crewai has a row for each CrewAI command, and names only existing commands", async () => {
    const { items, others } = JSON.parse((await new Terminal().run("help crewai --json")).out);
    expect(items).toHaveLength(CREWAI_COMMANDS.length);
    const named = items.flatMap(({ here }: { here: string[] }) => here) as string[];
    expect(named).toEqual(
      expect.arrayContaining(["run", "chat", "train", "reset-memories", "triggers run"]),
    );
    const known = COMMANDS.map(({ name }) => name);
    for (const name of [...named, ...others])
      expect(known.some((each) => each === name || each.startsWith(`${name} `))).toBe(true);
    expect(others).toContain("hooks add");
    expect((await new Terminal().run("help crewai")).out).toMatch(/^chat\tchat\t/m);
  });
});
