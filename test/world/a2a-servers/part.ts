// Our A2A client, with its defaults and with polls, against the servers of CrewAI and of both packages of AG2.
import { errorMessage } from "../../../src/base/error.ts";
import { a2aCrewai, ag2 } from "../needs/environments.ts";
import type { PartFailure, WorldPart } from "../part.ts";
import { ask, type Way } from "./ask.ts";
import { faultOf } from "./right-answers.ts";
import { startServers } from "./python-servers.ts";

const SERVERS = [
  { need: a2aCrewai, script: new URL("serve_crewai.py", import.meta.url) },
  { need: ag2, script: new URL("serve_ag2.py", import.meta.url) },
];
const WAYS: readonly Way[] = ["stream", "poll"];
/** The second goes on with what the first began. */
const MESSAGES = ["first question", "second question"];

export const part: WorldPart = {
  name: "a2a-servers",
  title: "A2A servers of CrewAI and AG2",
  needs: [a2aCrewai, ag2],
  sliceSeconds: 60,
  wholeSeconds: 600,
  async run(context) {
    const served = await Promise.all(
      SERVERS.map(({ need, script }) =>
        startServers({ environment: context.folders[need.name] ?? "", script }, context),
      ),
    );
    const failures: PartFailure[] = [];
    let tried = 0;
    for (const [name, endpoint] of served.flatMap((each) => Object.entries(each)))
      for (const way of WAYS) {
        tried++;
        // oxlint-disable-next-line no-await-in-loop -- a failure names one call
        const said = await ask(endpoint, { way, messages: MESSAGES }).catch(
          (error: unknown) => `the run failed: ${errorMessage(error)}`,
        );
        const fault = faultOf(name, said);
        if (fault !== undefined) failures.push({ id: `${name} ${way}`, message: fault });
      }
    const passed = tried - failures.length;
    return {
      upstream: "CrewAI 1.15.30 (a2a-sdk 0.3), AG2 0.14.0 (a2a-sdk 1.3)",
      tried,
      passed,
      differences: {},
      failures,
    };
  },
};
