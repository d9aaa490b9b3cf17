// The same programs on CrewAI or AG2 and on Edgecrew: the facts that their models are given.
import { readFileSync, writeFileSync } from "node:fs";
import { ag2, crewai } from "../needs/environments.ts";
import type { PartContext, WorldPart } from "../part.ts";
import { explain } from "../support/accepted.ts";
import { writeJsonLines } from "../support/json-lines.ts";
import { runPython } from "../support/run-python.ts";
import { ACCEPTED_PROMPTS } from "./accepted.ts";
import { CHAT_PROGRAMS } from "./chat-programs.ts";
import { comparePrompts, describePrompt, sizeOf } from "./compare.ts";
import { AGENT_PROGRAMS, CREW_PROGRAMS } from "./crew-programs.ts";
import { SHAPE, TOOL_RESULTS, TOOL_TEXTS, type Program } from "./program.ts";
import { RecordingServer } from "./recording-server.ts";
import { runChat } from "./run-chat.ts";
import { runAgent, runCrew } from "./run-crew.ts";

const TEXTS = JSON.stringify({ tools: TOOL_TEXTS, results: TOOL_RESULTS, shape: SHAPE });

const SIDES = [
  {
    need: crewai,
    script: new URL("run_crewai.py", import.meta.url),
    programs: [...CREW_PROGRAMS, ...AGENT_PROGRAMS] as readonly Program[],
  },
  {
    need: ag2,
    script: new URL("run_ag2.py", import.meta.url),
    programs: CHAT_PROGRAMS as readonly Program[],
  },
] as const;

export const part: WorldPart = {
  name: "prompts",
  title: "Prompts of the same programs",
  needs: [crewai, ag2],
  wholeSeconds: 2_400,
  async run(context) {
    const programs = SIDES.flatMap((side) => side.programs);
    const server = new RecordingServer(programs);
    context.atEnd(() => server.close());
    const address = await server.listen();
    const ended = [...(await runTheirs(address, context)), ...(await runOurs(programs, address))];
    const compared = programs.map((program) => {
      const { id } = program;
      const [ours, theirs] = [server.requests("ours", id), server.requests("theirs", id)];
      return { id, ours, theirs, differences: comparePrompts(program, ours, theirs) };
    });
    writeJsonLines(
      `${context.scratch}/requests.jsonl`,
      compared.map(({ id, ours, theirs }) => ({ id, ours, theirs })),
    );
    const explained = explain(compared, ACCEPTED_PROMPTS, describePrompt);
    const { passed, differences } = explained;
    const failures = [...explained.failures, ...ended];
    writeFileSync(`${context.scratch}/failures.json`, JSON.stringify(failures, undefined, 2));
    for (const [name, side] of Object.entries(sizes(compared))) context.say(`${name}: ${side}`);
    return {
      upstream: "CrewAI 1.15.30, AG2 0.14.0",
      tried: programs.length,
      passed,
      differences,
      failures,
    };
  },
};

/** Runs every program on its upstream, and returns those that did not end well. */
async function runTheirs(address: string, { folders, scratch, signal }: PartContext) {
  const ended = await Promise.all(
    SIDES.map(async ({ need, script, programs }) => {
      const file = `${scratch}/${need.name}.jsonl`;
      const output = `${scratch}/${need.name}.txt`;
      writeJsonLines(file, programs);
      await runPython({
        environment: folders[need.name] ?? "",
        script,
        args: [file, address, TEXTS],
        cwd: scratch,
        output,
        signal,
      });
      const printed = readFileSync(output, "utf8");
      return programs
        .filter(({ id }) => !printed.includes(`ENDED ${id} `) && !printed.includes(`ENDED ${id}\n`))
        .map(({ id }) => ({
          id,
          message: new RegExp(`(?:FAILED|HANGS) ${id}\\b.*`).exec(printed)?.[0] ?? "did not run",
        }));
    }),
  );
  return ended.flat();
}

async function runOurs(programs: readonly Program[], address: string) {
  const failures: { readonly id: string; readonly message: string }[] = [];
  for (const program of programs)
    try {
      await runOne(program, address);
    } catch (error) {
      failures.push({ id: program.id, message: `ours: ${(error as Error).message}` });
    }
  return failures;
}

function runOne(program: Program, address: string): Promise<unknown> {
  switch (program.kind) {
    case "crew":
      return runCrew(program, address);
    case "agent":
      return runAgent(program, address);
    default:
      return runChat(program, address);
  }
}

type Side = Pick<Parameters<typeof comparePrompts>, 1>[1];

/** Characters of all requests, side by side. */
function sizes(
  compared: readonly { readonly ours: Side; readonly theirs: Side }[],
): Readonly<Record<string, string>> {
  const total = (requests: Side): number => requests.reduce((sum, each) => sum + sizeOf(each), 0);
  const ours = compared.reduce((sum, each) => sum + total(each.ours), 0);
  const theirs = compared.reduce((sum, each) => sum + total(each.theirs), 0);
  return { characters: `ours ${ours}, theirs ${theirs}, ratio ${(ours / theirs).toFixed(2)}` };
}
