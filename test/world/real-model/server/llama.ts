// The few names of node-llama-cpp that are used. It is no dependency of this repository, so its types are not there.
import { pathToFileURL } from "node:url";

export type Token = number;

export type LlamaSequence = {
  adaptStateToTokens(tokens: readonly Token[], allowShift?: boolean): Promise<void>;
  readonly nextTokenIndex: number;
  evaluate(tokens: readonly Token[], options: EvaluateOptions): AsyncIterable<Token>;
};

type EvaluateOptions = {
  readonly temperature: number;
  readonly seed: number;
  readonly topK?: number;
  readonly grammarEvaluationState?: unknown;
  readonly yieldEogToken: true;
};

export type LlamaModel = {
  tokenize(text: string, specialTokens: boolean): Token[];
  detokenize(tokens: readonly Token[]): string;
  isEogToken(token: Token): boolean;
  createContext(options: {
    readonly contextSize: number;
    readonly threads: number;
    readonly sequences: number;
  }): Promise<{ getSequence(): LlamaSequence }>;
};

export type Llama = {
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>;
};

export type LlamaModule = {
  getLlama(options: object): Promise<Llama>;
  readonly LlamaLogLevel: { readonly error: unknown };
  readonly LlamaGrammar: new (
    llama: Llama,
    options: { readonly grammar: string; readonly rootRuleName?: string },
  ) => unknown;
  readonly LlamaGrammarEvaluationState: new (options: {
    readonly model: LlamaModel;
    readonly grammar: unknown;
  }) => unknown;
};

/** The library, from the folder that setup made. */
export async function loadLlama(folder: string): Promise<LlamaModule> {
  const path = `${folder}/node_modules/node-llama-cpp/dist/index.js`;
  return (await import(pathToFileURL(path).href)) as LlamaModule;
}
