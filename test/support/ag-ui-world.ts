// Front ends over the HTTP layer: the official client, which verifies every stream, and readers of our own.
import { HttpAgent, type BaseEvent, type Message, type RunAgentParameters } from "@ag-ui/client";
import { agUi, type AgUiOptions } from "../../src/entry/ag-ui.ts";
import type { AgUiEvent } from "../../src/protocols/ag-ui/wire.ts";
import { HttpWorld, type HttpWorldOptions } from "./http-app.ts";

export type AgUiWorldOptions = HttpWorldOptions & Omit<AgUiOptions, "limits">;

export class AgUiWorld extends HttpWorld {
  constructor({ expose = "all", cancelOnAbort, showState, ...options }: AgUiWorldOptions = {}) {
    const own = {
      expose,
      ...(cancelOnAbort === undefined ? undefined : { cancelOnAbort }),
      ...(showState === undefined ? undefined : { showState }),
    };
    super({ ...options, parts: [agUi(own), ...(options.parts ?? [])] });
  }

  /** A front end of the exposed subject. */
  agent(
    name: string,
    options: { threadId?: string; messages?: Message[]; state?: unknown; key?: string } = {},
  ): FrontEnd {
    return new FrontEnd(this, name, options);
  }

  /** Sends a request as it is. */
  post(name: string, input: object, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(`/ag-ui/${name}`, { json: input, headers });
  }

  /** The whole stream that answers a request. */
  async events(
    name: string,
    input: object,
    headers: Record<string, string> = {},
  ): Promise<AgUiEvent[]> {
    const response = await this.post(name, input, headers);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await framesIn(response)).map(({ event }) => event);
  }
}

export type Frame = { readonly id: string | undefined; readonly event: AgUiEvent };

/** The frames of an answer. */
export async function framesIn(response: Response): Promise<Frame[]> {
  return readFrames(await response.text());
}

/** The frames in a text. */
export function readFrames(text: string): Frame[] {
  return text.split("\n\n").flatMap((block): Frame[] => {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined) return [];
    return [{ id: /^id: (.*)$/m.exec(block)?.[1], event: JSON.parse(data) as AgUiEvent }];
  });
}

/** The official client, with what it received. */
export class FrontEnd {
  readonly agent: HttpAgent;
  /** All events so far, as verified. */
  readonly events: BaseEvent[] = [];
  /** The bodies of its requests. */
  readonly requests: string[] = [];

  constructor(
    world: HttpWorld,
    name: string,
    {
      threadId,
      messages,
      state,
      key,
    }: { threadId?: string; messages?: Message[]; state?: unknown; key?: string },
  ) {
    this.agent = new HttpAgent({
      url: `https://app.test/ag-ui/${name}`,
      ...(threadId === undefined ? undefined : { threadId }),
      ...(messages === undefined ? undefined : { initialMessages: messages }),
      ...(state === undefined ? undefined : { initialState: state }),
      ...(key === undefined ? undefined : { headers: { authorization: `Bearer ${key}` } }),
      fetch: (url: string, init: RequestInit) => {
        if (typeof init.body === "string") this.requests.push(init.body);
        return Promise.resolve(world.app.request(url, init as never));
      },
    });
    this.agent.subscribe({ onEvent: ({ event }) => void this.events.push(event) });
  }

  say(content: string, id: string = crypto.randomUUID()): this {
    this.agent.addMessage({ id, role: "user", content });
    return this;
  }

  /** What the agent's last message says. */
  get lastText(): string {
    const message = this.agent.messages.findLast(({ role }) => role === "assistant");
    return typeof message?.content === "string" ? message.content : "";
  }

  /** Runs the agent; returns the events of this run. */
  async run(parameters: RunAgentParameters = {}): Promise<BaseEvent[]> {
    const before = this.events.length;
    await this.agent.runAgent(parameters);
    return this.events.slice(before);
  }
}

export function typesOf(events: readonly { readonly type: string }[]): string[] {
  return events.map(({ type }) => type);
}

/** Those of one type. */
export function ofType<Type extends AgUiEvent["type"]>(
  events: readonly { readonly type: string }[],
  type: Type,
): Extract<AgUiEvent, { type: Type }>[] {
  return events.filter((event) => event.type === type) as never;
}
