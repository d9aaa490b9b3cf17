// An app with a definition of every kind; it notes each start and fork.
import * as z from "zod";
import { Agent } from "../../src/agent/description/agent.ts";
import { declarativeFlows } from "../../src/declarative/index.ts";
import { defineFlow } from "../../src/flow/define-flow.ts";
import type { ForkRequest } from "../../src/runtime/fork-request.ts";
import type { RunStart } from "../../src/runtime/run.ts";
import { triggers, type TriggerOptions } from "../../src/entry/triggers.ts";
import { EngineError } from "../../src/base/error.ts";
import { ConversationWorld } from "./conversation-world.ts";
import { textOf } from "./http-app.ts";
import { sqliteD1 } from "./sqlite-d1.ts";
import { talkOf } from "./talks.ts";
import { SECRETS_KEY } from "./trigger-world.ts";

export const TRAINING = "verses";
/** A topic of which the model fails to write. */
export const BROKEN = "a broken thing";

const helper = new Agent({ role: "Helper", goal: "Help", backstory: "Kind." });
const steps = defineFlow({
  name: "steps",
  state: z.object({ topic: z.string().default("tea") }),
  methods: {
    work: { start: true, run: ({ state }) => state.topic },
    end: { listen: "work", run: () => "done" },
  },
});
const help = talkOf({}, { reply: { start: true, run: () => "Hello" } });

const CREW = {
  agents: { writer: { role: "Writer", goal: "Write", backstory: "Short." } },
  tasks: [{ name: "draft", description: "Write", expectedOutput: "A page", agent: "writer" }],
};
const FLOW = {
  schema: "crewai.flow/v1",
  name: "kept",
  methods: { begin: { start: true, do: { call: "expression", expr: "'a'" } } },
};
const TALK = `agents:
  writer: { system_message: You write., after_work: terminate }
`;

export class StartingWorld extends ConversationWorld {
  readonly starts: RunStart[] = [];
  readonly forks: ForkRequest[] = [];

  constructor(options: { readonly triggers?: TriggerOptions } = {}) {
    super({
      script: (request) =>
        JSON.stringify(request.messages).includes(BROKEN)
          ? { error: new EngineError("model_failed", "it is broken", { retryable: false }) }
          : "An answer",
      agents: { helper },
      flows: { steps, help },
      declarativeFlows: declarativeFlows(),
      parts: [triggers(options.triggers)],
      env: { DB: sqliteD1() },
      variables: { EDGECREW_SECRETS_KEY: SECRETS_KEY },
      webhooks: { allowPrivate: false, hasSecret: true },
      runServices: () => ({
        tokens: { check: () => undefined, issue: async (id) => `token of ${id}` },
      }),
    });
    const start = this.runs.start.bind(this.runs);
    this.runs.start = (what, settleMs) => {
      this.starts.push(what);
      return start(what, settleMs);
    };
    const fork = this.runs.fork.bind(this.runs);
    this.runs.fork = (tenant, id, request) => {
      this.forks.push(request);
      return fork(tenant, id, request);
    };
  }

  /** Stores a crew, a flow and a conversation named `kept`, each in two versions, and a training. */
  async prepare(): Promise<void> {
    await this.trained("default").put({ name: TRAINING, agents: {} });
    const put = async (path: string, json: unknown): Promise<void> => {
      const { status, text } = await this.ask(path, { method: "PUT", json });
      if (status > 201) throw new Error(text);
    };
    for (const [index, note] of ["one", "two"].entries()) {
      const tasks = CREW.tasks.map((task) => ({ ...task, description: note }));
      // oxlint-disable-next-line no-await-in-loop -- the versions come one after the other
      await put("/crews/kept", { ...CREW, tasks });
      // oxlint-disable-next-line no-await-in-loop -- as above
      await put("/flows/kept", { ...FLOW, description: note });
      // oxlint-disable-next-line no-await-in-loop -- as above
      await this.store("kept", `${TALK}max_rounds: ${index + 3}\n`);
    }
  }

  /** The id of a run that has ended. */
  async ended(path: string, json: unknown): Promise<string> {
    const answer = await this.ask(path, { json });
    await this.clock.settle();
    return textOf(answer.json["id"]);
  }
}
