/** The part of the Workers `AI` binding that is used here. */
export interface AiBinding {
  run(model: string, input: unknown, options?: unknown): Promise<unknown>;
}
