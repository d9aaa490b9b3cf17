// Conversations as programs: in the current run, in a run of their own, and as a value for hosts.
//
//   ICH1. Chats share messages with earlier chats of the same step: one method of a flow, one call of a tool. A
//         finished step replays without its chats, so their messages must not count outside of it.
import type { JsonValue } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { scopeHere, servicesHere } from "../../hooks/scoped-services.ts";
import { keySegment } from "../../journal/step-key.ts";
import { LocalRun, type LocalRunOptions } from "../../runtime/handle/local-run.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import { Talk } from "./talk.ts";

/** Options of a run of its own. Ignored inside another run, which has its own options. */
export type ChatRunOptions = LocalRunOptions;

/** A conversation, or several, below a place of a run. */
export type Chatting<Output extends JsonValue> = (talk: Talk, scope: RunScope) => Promise<Output>;

/** Messages of each execution of a step. */
const talks = new WeakMap<object, Talk>();

/** Returns the talk of the executing step (ICH1). */
function talkOf(scope: RunScope): Talk {
  let talk = talks.get(scope.execution);
  if (talk === undefined) talks.set(scope.execution, (talk = new Talk(scope)));
  return talk;
}

const ATTEND =
  "and no person can answer: use startChat() or startGroupChat() and resume() of its handle, or give the agent a `getHumanInput`";

/** Runs in the current run, or in a new run without people to answer. */
export async function here<Output extends JsonValue>(
  name: string,
  code: Chatting<Output>,
  run: ChatRunOptions,
): Promise<Output> {
  const scope = RunScope.current();
  if (scope === undefined) return localRun(name, code, run).outputUnattended(ATTEND);
  return code(talkOf(scope), scopeHere(scope.atNext(`chat:${keySegment(name)}`)));
}

/** Starts it as a run in this process. */
export function localRun<Output extends JsonValue>(
  name: string,
  code: Chatting<Output>,
  run: ChatRunOptions,
): LocalRun<Output> {
  const services = servicesHere(run.services ?? {});
  const start = { kind: "conversation", name, inputs: {} } as const;
  return new LocalRun(start, program(code), { ...run, services });
}

/** Makes the program of a conversation for a host. */
export function program<Output extends JsonValue>(code: Chatting<Output>): RunProgram<Output> {
  return { run: (scope) => code(talkOf(scope), scope.at("chat")), tasks: [] };
}
