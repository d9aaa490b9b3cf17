/** Used part of the Workers `AI` binding. */
export interface AiBinding {
  run(model: string, input: unknown, options?: unknown): Promise<unknown>;
}
