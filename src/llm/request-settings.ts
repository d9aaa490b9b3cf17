/** Sampling of one request. */
export type RequestSettings = {
  readonly temperature?: number;
  readonly topP?: number;
  /** Upper bound of the answer, in tokens. */
  readonly maxTokens?: number;
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly reasoningEffort?: string;
  /** False limits an answer to one tool call, if the provider supports this limit. */
  readonly parallelToolCalls?: boolean;
};
