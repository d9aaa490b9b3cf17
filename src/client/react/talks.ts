// Conversation partners of a page: for each kind, how to load past turns and begin the next.
import { EngineError } from "../../base/error.ts";
import type { MessageView } from "../../conversation/operations/shapes.ts";
import type { Page } from "../../runtime/run-directory.ts";
import type { EdgecrewClient } from "../edgecrew-client.ts";
import type { StartKind } from "../start-kinds.ts";
import { hasEnded, type Message } from "../store/run-state.ts";

/** Messages before the present run, and its id. */
export type Past = { readonly said: readonly Message[]; readonly runId?: string };

/** Next message of the user. */
export type NextTurn = {
  /** The run's id. */
  readonly id: string;
  readonly session: string;
  readonly said: readonly Message[];
  readonly text: string;
  readonly inputFiles: Readonly<Record<string, Blob>> | undefined;
};

type Talk = {
  /** Reads the Worker's record of a session; undefined if only the page has one. */
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

/**
 * Returns the id of a conversation's first run, or of the run after `previous`. So the session's id is enough to find
 * all runs.
 */
export function nextRunId(session: string, previous?: string | null): string {
  if (previous === undefined || previous === null) return session;
  return `${session}-${Number(previous.slice(session.length + 1)) + 1}`;
}

async function lastRun(client: EdgecrewClient, session: string): Promise<string | undefined> {
  for (let last: string | undefined; ;) {
    const next = nextRunId(session, last);
    const run = await client.runs.get(next).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    if (run === undefined) return last;
    last = next;
    if (!hasEnded(run)) return last;
  }
}

/** Lists the messages the run was started with: those without a time. */
async function openingOf(client: EdgecrewClient, id: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (let cursor: string | undefined; ;) {
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

/** Returns the dialogue in the form of crews and agents: user and assistant messages. */
function dialogue({ said, text }: Pick<NextTurn, "said" | "text">) {
  return [...said, { role: "user", content: text }].map(({ role, content }) => ({
    role: role === "user" ? ("user" as const) : ("assistant" as const),
    content,
  }));
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
