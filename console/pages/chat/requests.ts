// Chats with each kind of target over the API. Crews and agents get the whole chat each time. A conversational flow
// keeps its own session. A group chat is a run that continues, or a new one that begins with the messages of the last
// one.
import { EngineError } from "../../../src/client/index.ts";
import type { Json, RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { isOver } from "../run/use-run.ts";
import {
  answerOf,
  CHAT_TAG,
  historyOf,
  NO_TALK,
  startOf,
  tagOf,
  textOf,
  type ChatKind,
  type ChatMessage,
  type KeptTurn,
  type Talk,
} from "./talk.ts";

export type Place = { readonly kind: ChatKind; readonly name: string; readonly session: string };
export type Files = Readonly<Record<string, string>>;
/** Session in which the chat continues: a new one after a fork. */
export type Sent = { readonly session: string };

/** Newest turn of each session in this tab. The list of runs has it a moment later. */
const saidHere = new Map<string, string>();

const MAX_TURNS = 200;
const PAGE = 200;
const MAX_PAGES = 5;

export async function loadTalk(place: Place): Promise<Talk> {
  if (place.kind === "conversation") return loadGroup(place.session);
  if (place.kind === "flow") return loadSession(place);
  const runs = (await runsOf(place, 5)).map(({ id }) => id);
  const here = saidHere.get(place.session);
  const newest = here === undefined || runs.includes(here) ? runs[0] : here;
  if (newest === undefined) return NO_TALK;
  const run = await client.runs.get(newest);
  const said = historyOf(run);
  return { runId: run.id, isWhole: isOver(run.status), messages: withAnswer(said, run) };
}

async function runsOf({ kind, name, session }: Place, limit: number) {
  const tag = tagOf(session);
  return tag === undefined ? [] : (await client.runs.list({ kind, name, tag, limit })).items;
}

function withAnswer(said: readonly ChatMessage[], run: RunView): readonly ChatMessage[] {
  const content = run.status === "completed" ? answerOf(run.output) : undefined;
  if (content === undefined) return said;
  return [...said, { role: "assistant", content, runId: run.id, index: said.length }];
}

/** A session contains successful turns. The latest turn may be running or failed: then its run has the message. */
async function loadSession(place: Place): Promise<Talk> {
  const [view, runs] = await Promise.all([
    client.flows.session(place.name, place.session).catch((error: unknown) => {
      if (EngineError.is(error) && error.code === "not_found") return undefined;
      throw error;
    }),
    runsOf(place, MAX_TURNS),
  ]);
  const kept = view?.messages ?? [];
  const ended = runs.filter(({ status }) => status === "completed").map(({ id }) => id);
  let turnsLeft = kept.filter(({ role }) => role === "user").length;
  const messages = kept.flatMap(({ role, content }, index): ChatMessage[] => {
    if (role === "user") turnsLeft -= 1;
    if (role !== "user" && role !== "assistant") return [];
    const runId = ended[turnsLeft];
    return [{ role, content, index, ...(runId === undefined ? undefined : { runId }) }];
  });
  const latest = view?.runId ?? runs[0]?.id ?? saidHere.get(place.session);
  const status = runs.find(({ id }) => id === latest)?.status ?? "running";
  const isEnded = view?.ended === true;
  if (latest === undefined || status === "completed")
    return {
      messages,
      isWhole: true,
      isEnded,
      ...(latest === undefined ? undefined : { runId: latest }),
    };
  const { said, files, history } = startOf(await client.runs.get(latest));
  // A copied session has no messages of its own yet.
  const before =
    kept.length > 0
      ? messages
      : history.map(({ role, content }, index): ChatMessage => {
          return { role: role === "user" ? "user" : "assistant", content, index };
        });
  const index = Math.max(kept.length, before.length);
  const user: ChatMessage = { role: "user", content: said, runId: latest, index, files };
  return { messages: [...before, user], runId: latest, isWhole: isOver(status), isEnded };
}

async function loadGroup(id: string): Promise<Talk> {
  const messages: ChatMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextCursor } = await client.conversations.messages(id, {
      limit: PAGE,
      ...(cursor === undefined ? undefined : { cursor }),
    });
    for (const { index, role, name, content } of items)
      messages.push({
        role: role === "user" ? "user" : "assistant",
        content: textOf(content),
        runId: id,
        index,
        ...(name === undefined || name === "" ? undefined : { name }),
      });
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return { messages, runId: id, isWhole: true };
}

/** Sends a message after the previous ones. */
export async function say(
  place: Place,
  text: string,
  { before, files }: { readonly before: readonly ChatMessage[]; readonly files: Files },
): Promise<Sent> {
  const { kind, name, session } = place;
  const names = Object.keys(files);
  const inputFiles = names.length === 0 ? undefined : { inputFiles: files };
  if (kind === "conversation") {
    const messages = [
      ...before.map(({ role, name: who, content }) => ({
        role,
        content,
        ...(who && { name: who }),
      })),
      text,
    ];
    const { id } = await client.conversations.kickoff(name, {
      messages,
      stream: true,
      ...inputFiles,
    });
    return { session: id };
  }
  const turns: readonly KeptTurn[] = before.flatMap((message) =>
    message.role !== "user" || message.runId === undefined
      ? []
      : [{ run: message.runId, ...(message.files && { files: message.files }) }],
  );
  const meta = { chat: { turns, files: names } } as unknown as Record<string, never>;
  const tag = tagOf(session);
  const shared = { meta, tags: [CHAT_TAG, ...(tag === undefined ? [] : [tag])] };
  if (kind === "flow") {
    const options = { sessionId: session, stream: true, ...inputFiles, ...shared };
    const { id } = await client.flows.turn(name, text, options);
    saidHere.set(session, id);
    return { session };
  }
  const messages = [
    ...before.map(({ role, content }) => ({ role, content })),
    { role: "user" as const, content: text },
  ];
  const options = { stream: true, ...inputFiles, ...shared };
  const { id } =
    kind === "crew"
      ? await client.crews.chat(name, messages, options)
      : await client.agents.kickoff(name, messages, options);
  saidHere.set(session, id);
  return { session };
}

/**
 * Sends another text in place of a message and repeats the rest of the chat from there. Earlier runs stay unchanged.
 */
export async function sayInstead(
  place: Place,
  message: ChatMessage,
  { text, talk }: { readonly text: string; readonly talk: Talk },
): Promise<Sent> {
  const { kind, name } = place;
  if (talk.runId !== undefined && !talk.isWhole)
    await client.runs
      .handle(talk.runId)
      .cancel()
      .catch(() => undefined); // it has ended in the meantime
  if (kind === "conversation") {
    const fork = await client.conversations.forkAt(place.session, message.index, { content: text });
    return { session: fork.id };
  }
  const before = talk.messages.slice(0, talk.messages.indexOf(message));
  if (kind !== "flow") return say(place, text, { before, files: {} });
  // A session cannot go back. Another one begins with the state and the messages of that moment.
  const session = crypto.randomUUID();
  const last = before.findLast(({ runId }) => runId !== undefined)?.runId;
  const state = last === undefined ? {} : await stateAfter(last);
  const tag = tagOf(session);
  await client.flows.turn(name, text, {
    sessionId: session,
    stream: true,
    inputs: {
      ...state,
      messages: before.map(({ role, content }) => ({ role, content, metadata: {} })),
    },
    tags: [CHAT_TAG, ...(tag === undefined ? [] : [tag])],
  });
  return { session };
}

/** Returns the state of a session after a turn, without the fields of that turn alone. */
async function stateAfter(runId: string): Promise<Record<string, never>> {
  const { output } = await client.runs.get(runId);
  const { state = {} } = (output ?? {}) as { readonly state?: Record<string, Json> };
  const {
    id: _,
    currentUserMessage: __,
    lastUserMessage: ___,
    sessionReady: ____,
    ...rest
  } = state;
  return rest as Record<string, never>;
}
