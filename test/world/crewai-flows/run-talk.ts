// Our side of conversations: one flow object, one session, turn after turn.
import { errorMessage } from "../../../src/base/error.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import {
  conversational,
  defineFlow,
  type BuiltFlow,
  type ConversationConfig,
  type FlowContext,
  type FlowMethod,
} from "../../../src/flow/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import type { FlowProgram, Method, Mode, Outcome, Result, Talk, Turn } from "./flow-program.ts";

type State = Record<string, JsonValue>;

export async function takeTurns(program: FlowProgram, talk: Talk, mode: Mode): Promise<Result> {
  const execution = new TalkExecution(program.methods, talk);
  let flow: BuiltFlow<State>;
  try {
    flow = execution.flow(program.id, mode);
  } catch (error) {
    return { id: program.id, refused: errorMessage(error), kickoffs: [] };
  }
  const kickoffs: Outcome[] = [];
  for (const turn of talk.turns) kickoffs.push(await execution.take(flow, turn));
  return { id: program.id, kickoffs };
}

class TalkExecution {
  readonly #methods: readonly Method[];
  readonly #talk: Talk;
  #turn: Turn | undefined;
  #counts = new Map<string, number>();
  #ran: [string, unknown?][] = [];

  constructor(methods: readonly Method[], talk: Talk) {
    this.#methods = methods;
    this.#talk = talk;
  }

  flow(name: string, mode: Mode): BuiltFlow<State> {
    const { llm, intentLlm, defaultIntents, router, visible } = this.#talk;
    // It names the label of the turn where it is asked for one, and else answers in words.
    const model = scriptedModel(({ responseSchema }) => {
      const words = `words on ${this.#turn?.message}`;
      if (responseSchema === undefined) return words;
      const { label } = this.#turn ?? {};
      const [field = "intent"] = Object.keys(responseSchema.schema["properties"] ?? {});
      return label === undefined ? "I cannot tell" : JSON.stringify({ [field]: label });
    });
    const config: ConversationConfig = {
      ...(llm === true ? { llm: model } : {}),
      ...(intentLlm === true ? { intentLlm: model } : {}),
      ...(defaultIntents === undefined ? {} : { defaultIntents }),
      ...(router === undefined ? {} : { router }),
      ...(visible === undefined ? {} : { visibleAgentOutputs: visible }),
    };
    return defineFlow({
      name,
      ...(mode === "compat" ? { compat: "crewai" as const } : {}),
      conversational: conversational(config),
      methods: Object.fromEntries(
        this.#methods.map((method) => [method.name, this.#method(method)]),
      ),
    });
  }

  async take(flow: BuiltFlow<State>, turn: Turn): Promise<Outcome> {
    this.#turn = turn;
    this.#ran = [];
    try {
      const { value, route, ended } = await flow.handleTurn(turn.message, {
        sessionId: "S",
        ...(turn.intents === undefined ? {} : { intents: turn.intents }),
      });
      const view = await flow.conversation?.session("S");
      const said = (view?.messages ?? []).map(({ role, content }) => [role, shown(content)]);
      return {
        status: "completed",
        value: shown(value),
        state: { route, ended, said },
        ran: this.#ran,
      };
    } catch (error) {
      return { status: "failed", message: errorMessage(error).slice(0, 160), ran: this.#ran };
    }
  }

  #method(method: Method): FlowMethod<State> {
    return { listen: method.listen as string, run: (context) => this.#body(method, context) };
  }

  #body({ name, takes, fail, none, reply }: Method, context: FlowContext<State>): unknown {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    this.#ran.push(takes === true ? [name, context.value ?? null] : [name]);
    if (fail?.includes(count) === true) throw new Error(`fails ${name}`);
    const text = `r_${name}_${count}`;
    const { conversation } = context;
    if (reply === "say") conversation.appendMessage({ role: "assistant", content: `says ${text}` });
    else if (reply === "private" || reply === "public")
      conversation.appendAgentResult("ada", text, { visibility: reply });
    return none === true ? undefined : text;
  }
}

/** Each side says in its own words that there is no model. */
function shown(value: JsonValue): JsonValue {
  return typeof value === "string" && value.includes("no model is configured")
    ? "<no model>"
    : value;
}
