// A language model on one thread: a prompt and a grammar in, words out.
import {
  loadLlama,
  type Llama,
  type LlamaModel,
  type LlamaModule,
  type LlamaSequence,
} from "./llama.ts";

export type EngineOptions = {
  /** Folder of node-llama-cpp. */
  readonly library: string;
  /** Weights in the GGUF format. */
  readonly weights: string;
  readonly contextSize: number;
};

export type Completion = {
  readonly text: string;
  /** `length`: the limit or the window was reached. */
  readonly finish: "stop" | "length";
  readonly promptTokens: number;
  readonly completionTokens: number;
};

export type CompletionRequest = {
  readonly prompt: string;
  /** GBNF with the rule `root`; free text without one. */
  readonly grammar?: string | undefined;
  readonly maxTokens: number;
  readonly stops: readonly string[];
  readonly temperature: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Hears each piece of text that can be no part of a stop word any more. */
  readonly onText?: (piece: string) => void;
};

/** A prompt that does not fit the window. */
export class FullWindow extends Error {
  readonly promptTokens: number;

  constructor(promptTokens: number) {
    super(`${promptTokens} tokens do not fit`);
    this.promptTokens = promptTokens;
  }
}

export class Engine {
  readonly contextSize: number;
  readonly #module: LlamaModule;
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  readonly #sequence: LlamaSequence;
  readonly #grammars = new Map<string, unknown>();
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    contextSize: number,
    loaded: {
      readonly module: LlamaModule;
      readonly llama: Llama;
      readonly model: LlamaModel;
      readonly sequence: LlamaSequence;
    },
  ) {
    this.contextSize = contextSize;
    this.#module = loaded.module;
    this.#llama = loaded.llama;
    this.#model = loaded.model;
    this.#sequence = loaded.sequence;
  }

  static async load({ library, weights, contextSize }: EngineOptions): Promise<Engine> {
    const module = await loadLlama(library);
    const llama = await module.getLlama({
      gpu: false,
      build: "never",
      maxThreads: 1,
      logLevel: module.LlamaLogLevel.error,
    });
    const model = await llama.loadModel({ modelPath: weights });
    const context = await model.createContext({ contextSize, threads: 1, sequences: 1 });
    return new Engine(contextSize, { module, llama, model, sequence: context.getSequence() });
  }

  /** One at a time: threads that wait for each other are slower than a queue. */
  complete(request: CompletionRequest): Promise<Completion> {
    const done = this.#turn.then(() => this.#complete(request));
    this.#turn = done.catch(() => {});
    return done;
  }

  countTokens(prompt: string): number {
    return this.#model.tokenize(prompt, true).length;
  }

  async #complete(request: CompletionRequest): Promise<Completion> {
    const { maxTokens, stops, temperature, seed, signal, onText } = request;
    const tokens = this.#model.tokenize(request.prompt, true);
    const promptTokens = tokens.length;
    if (promptTokens >= this.contextSize) throw new FullWindow(promptTokens);
    const most = Math.min(maxTokens, this.contextSize - promptTokens);
    // The beginning that it shares with the prompt before is not read again.
    await this.#sequence.adaptStateToTokens(tokens.slice(0, -1), false);
    const unread = tokens.slice(this.#sequence.nextTokenIndex);
    const text = new StoppedText(stops, onText);
    const made: number[] = [];
    const grammar = this.#grammar(request.grammar);
    for await (const token of this.#sequence.evaluate(unread, {
      temperature,
      seed,
      yieldEogToken: true,
      ...(grammar === undefined ? {} : { grammarEvaluationState: grammar }),
    })) {
      if (signal.aborted || this.#model.isEogToken(token)) break;
      made.push(token);
      if (text.grow(this.#model.detokenize(made)) || made.length >= most) break;
    }
    const finish = !text.isStopped && made.length >= most ? "length" : "stop";
    return { text: text.end(), finish, promptTokens, completionTokens: made.length };
  }

  #grammar(source: string | undefined): unknown {
    if (source === undefined) return undefined;
    const { LlamaGrammar, LlamaGrammarEvaluationState } = this.#module;
    let grammar = this.#grammars.get(source);
    if (grammar === undefined)
      this.#grammars.set(source, (grammar = new LlamaGrammar(this.#llama, { grammar: source })));
    return new LlamaGrammarEvaluationState({ model: this.#model, grammar });
  }
}

/** Text that grows until a stop word is in it, which is cut off. */
export class StoppedText {
  readonly #stops: readonly string[];
  readonly #onText: ((piece: string) => void) | undefined;
  #text = "";
  #told = 0;
  isStopped = false;

  constructor(stops: readonly string[], onText?: (piece: string) => void) {
    this.#stops = stops.filter((stop) => stop !== "");
    this.#onText = onText;
  }

  /** Takes the whole text so far, and tells whether it has come to a stop word. */
  grow(text: string): boolean {
    const at = Math.min(
      ...this.#stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0),
      Infinity,
    );
    this.isStopped = at !== Infinity;
    this.#text = this.isStopped ? text.slice(0, at) : text;
    // A character that is not complete yet, and what may be the beginning of a stop word, are held back.
    const held = this.isStopped ? 0 : heldBack(this.#text, this.#stops);
    this.#tell(this.#text.length - held);
    return this.isStopped;
  }

  /** The text, all of which has been told then. */
  end(): string {
    this.#tell(this.#text.length);
    return this.#text;
  }

  #tell(until: number): void {
    if (until <= this.#told) return;
    this.#onText?.(this.#text.slice(this.#told, until));
    this.#told = until;
  }
}

function heldBack(text: string, stops: readonly string[]): number {
  let held = /\uFFFD+$/.exec(text)?.[0].length ?? 0;
  for (const stop of stops)
    for (let length = Math.min(stop.length - 1, text.length); length > held; length--)
      if (text.endsWith(stop.slice(0, length))) held = length;
  return held;
}
