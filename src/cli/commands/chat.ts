import { START_KINDS } from "../../client/start-kinds.ts";
import { openAsBlob, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { errorMessage } from "../../base/error.ts";
import { ChatSession } from "../chat-session.ts";
import { followTurn, visible } from "../chat-turn.ts";
import { asFailure, CliFailure, wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { followRun } from "../follow-run.ts";
import type { Prompter } from "../prompter.ts";
import { subjectOf } from "../startable.ts";

const HELP = "/run shows the last run, /file <path> attaches a file, /new begins again, /quit";

/** `edgecrew chat`: a conversation, line by line. */
export const chat = command({
  name: "chat",
  serves: true,
  about: "talk about a crew, or with a conversational flow, an agent or a conversation",
  args: "[name]",
  example: "edgecrew chat support",
  options: {
    message: {
      about: "say this and go; may stand several times",
      value: "text",
      many: true,
      short: "m",
    },
    session: { about: "go on with a session of a conversational flow", value: "id" },
  },
  run: async (context, { args: [named], options: { message: messages, session: sessionId } }) => {
    const { prompt, out } = context;
    if (prompt === undefined && messages.length === 0)
      throw wrongUse("no agent to chat with", "--message <text>, which may stand several times");
    const client = await context.client();
    const partner = await subjectOf(context, client, {
      named,
      kinds: START_KINDS,
      fits: ({ kind, takesTurns = false }) => kind !== "flow" || takesTurns,
      verb: "chat",
    });
    if (partner.kind === "conversation") {
      const [first] = messages;
      const message = first ?? (await prompt?.text({ message: "You" })) ?? "";
      const run = await client.conversations.kickoff(partner.name, { message });
      return followRun(context, run, {
        name: partner.name,
        stay: false,
        events: false,
        plain: false,
        ascii: false,
      });
    }
    const session = new ChatSession(client, partner, sessionId);
    const talk = new Talk(context, session);
    if (messages.length > 0) {
      for (const text of messages) await talk.turn(text);
    } else if (prompt !== undefined) {
      out.note(`${partner.kind} ${partner.name}. ${HELP}`);
      await talk.live(prompt);
    }
    if (session.sessionId !== undefined)
      out.note(
        `session ${session.sessionId}: edgecrew chat ${partner.name} --session ${session.sessionId}`,
      );
    return 0;
  },
});

class Talk {
  readonly #context: CliContext;
  readonly #session: ChatSession;
  #lastRun: string | undefined;

  constructor(context: CliContext, session: ChatSession) {
    this.#context = context;
    this.#session = session;
  }

  /** Chats until the person or the partner ends it. After an error the person is asked again. */
  async live(prompt: Prompter): Promise<void> {
    const { out } = this.#context;
    for (;;) {
      let text: string;
      try {
        text = await written(prompt);
      } catch (error) {
        if (error instanceof CliFailure && error.exitCode === 130) return;
        throw error;
      }
      if (text === "/quit") return;
      if (text === "") continue;
      try {
        if (text.startsWith("/")) await this.#command(text);
        else if (await this.turn(text)) return;
      } catch (error) {
        if (this.#context.signal.aborted) throw error;
        out.fault(`${out.style("red", "✗")} ${asFailure(error).message}`);
      }
    }
  }

  /** True once the partner has ended the conversation. */
  async turn(text: string): Promise<boolean> {
    const { out } = this.#context;
    const started = await this.#session.say(text);
    this.#lastRun = started.id;
    const { run, shown } = await followTurn(this.#context, started);
    if (run.status !== "completed")
      throw new CliFailure(1, `run ${run.id} ${run.status}: ${run.error?.message ?? ""}`, {
        fix: `edgecrew runs show ${run.id}`,
      });
    const reply = this.#session.reply(text, run.output ?? null);
    if (shown === "")
      out.line({ role: "assistant", content: reply.text, runId: run.id }, () =>
        visible(reply.text),
      );
    else if (shown.trim() === reply.text.trim()) out.stdout.write("\n");
    else out.stdout.write(`\n${visible(reply.text)}\n`);
    return reply.hasEnded;
  }

  async #command(text: string): Promise<void> {
    const [word, ...rest] = text.split(/\s+/);
    const { out } = this.#context;
    switch (word) {
      case "/new":
        this.#session.restart();
        return out.note("begun again");
      case "/run":
        return out.note(
          this.#lastRun === undefined
            ? "no run yet"
            : `run ${this.#lastRun}: edgecrew runs show ${this.#lastRun}`,
        );
      case "/file":
        return this.#attach(rest.join(" "));
      default:
        return out.note(`there is no ${word}: ${HELP}`);
    }
  }

  async #attach(path: string): Promise<void> {
    const { cwd, out, client } = this.#context;
    const file = resolve(cwd, path);
    if (path === "" || !(statSync(file, { throwIfNoEntry: false })?.isFile() ?? false))
      throw wrongUse(`there is no file ${JSON.stringify(path)}`);
    const { files } = await client();
    const name = basename(file);
    try {
      const { id } = await files.upload(await openAsBlob(file), { name });
      this.#session.attach({ name, id });
    } catch (cause) {
      throw new CliFailure(1, `${name} was not attached: ${errorMessage(cause)}`, { cause });
    }
    out.note(`${name} is attached to your next message`);
  }
}

/** Reads a person's message: several lines, each but the last with `\` at its end. */
async function written(prompt: Prompter): Promise<string> {
  const lines: string[] = [];
  for (;;) {
    const line = await prompt.text({ message: lines.length === 0 ? "You" : "…" });
    if (!line.endsWith("\\")) return [...lines, line].join("\n").trim();
    lines.push(line.slice(0, -1));
  }
}
