// With whom a page can talk: how past turns are found, and how the next one begins, for each kind.
import { EngineError } from "../../base/error.ts";
import type { MessageView } from "../../conversation/operations/messages.ts";
import type { Page } from "../../runtime/run-directory.ts";
import type { EdgecrewClient } from "../edgecrew-client.ts";
import type { StartKind } from "../start-kinds.ts";
import { hasEnded, type Message } from "../store/run-state.ts";

/** What was said before the present run, and that run. */
export type Past = { readonly said: readonly Message[]; readonly runId?: string };

/** The next thing a user says. */
export type NextTurn = {
  /** The run's id. */
  readonly id: string;
  readonly session: string;
  readonly said: readonly Message[];
  readonly text: string;
  readonly inputFiles: Readonly<Record<string, Blob>> | undefined;
};

type Talk = {
  /** What the Worker knows of a session; undefined where only the page does. */
  readonly past?: (client: EdgecrewClient, name: string, session: string) => Promise<Past>;
  readonly begin: (client: EdgecrewClient, name: string, turn: NextTurn) => Promise<unknown>;
};

const NOTHING: Past = { said: [] };

export const TALKS: Readonly<Record<StartKind, Talk>> = {
  flow: {
    past: async (client, name, session) => {
      const { messages, runId } = await client.flows.session(name, session);
      const said = messages.map(({ role, content }) => ({ role, content: textOf(content) }));
      return { said, ...(runId === undefined ? undefined : { runId }) };
    },
    begin: (client, name, { text, session, id, inputFiles }) =>
      client.flows.turn(name, text, { sessionId: session, id, stream: true, ...named(inputFiles) }),
  },
  crew: {
    begin: (client, name, { id, inputFiles, ...turn }) =>
      client.crews.chat(name, dialogue(turn), { id, ...named(inputFiles) }),
  },
  agent: {
    begin: (client, name, { id, inputFiles, ...turn }) =>
      client.agents.kickoff(name, dialogue(turn), { id, ...named(inputFiles) }),
  },
  conversation: {
    past: async (client, _, session) => {
      const id = await lastRun(client, session);
      return id === undefined ? NOTHING : { said: await openingOf(client, id), runId: id };
    },
    begin: (client, name, { id, said, text, inputFiles }) => {
      const history = said.map(({ role, name: by, content }) => ({
        role,
        content,
        ...(by === undefined ? undefined : { name: by }),
      }));
      const messages = [...history, text];
      return client.conversations.kickoff(name, { id, messages, ...named(inputFiles) });
    },
  },
};

/** The id of the run of a conversation that follows `previous`, or of its first one. Whoever knows the session finds them all. */
export function nextRunId(session: string, previous?: string | null): string {
  if (previous === undefined || previous === null) return session;
  return `${session}-${Number(previous.slice(session.length + 1)) + 1}`;
}

async function lastRun(client: EdgecrewClient, session: string): Promise<string | undefined> {
  for (let last: string | undefined; ;) {
    const next = nextRunId(session, last);
    // oxlint-disable-next-line no-await-in-loop -- a run is followed by another only once it has ended
    const run = await client.runs.get(next).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    if (run === undefined) return last;
    last = next;
    if (!hasEnded(run)) return last;
  }
}

/** What a run was started with: its messages without a time. */
async function openingOf(client: EdgecrewClient, id: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (let cursor: string | undefined; ;) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: Page<MessageView> = await client.conversations.messages(id, {
      limit: 200,
      ...(cursor === undefined ? undefined : { cursor }),
    });
    const opening = page.items.filter(({ at }) => at === undefined);
    for (const { role, name, content } of opening)
      all.push({ role, content: textOf(content), ...(name === undefined ? undefined : { name }) });
    cursor = page.nextCursor;
    if (cursor === undefined || opening.length < page.items.length) return all;
  }
}

export function isMissing(error: unknown): boolean {
  return EngineError.is(error) && error.code === "not_found";
}

function named<Files>(inputFiles: Files | undefined): { readonly inputFiles?: Files } {
  return inputFiles === undefined ? {} : { inputFiles };
}

/** As crews and agents take it: what the user said, and what was answered. */
function dialogue({ said, text }: Pick<NextTurn, "said" | "text">) {
  return [...said, { role: "user", content: text }].map(({ role, content }) => ({
    role: role === "user" ? ("user" as const) : ("assistant" as const),
    content,
  }));
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
