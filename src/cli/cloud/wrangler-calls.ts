import { CloudFault } from "./cloud.ts";
import {
  findWrangler,
  followWrangler,
  runWrangler,
  type WranglerResult,
  type WranglerWorld,
} from "./wrangler-process.ts";

export type WranglerCallOptions = WranglerWorld & {
  /** The environment of the configuration; undefined is its top level. */
  readonly env: string | undefined;
  /** The file to read instead of the project's. */
  readonly configFile?: string | undefined;
};

/** Calls of wrangler for one environment of one project. */
export class WranglerCalls {
  readonly #options: WranglerCallOptions;

  constructor(options: WranglerCallOptions) {
    this.#options = options;
  }

  /** Returns the call as a person would type it. */
  describe(words: readonly string[]): string {
    return ["npx wrangler", ...words, ...this.#global()].map(quoted).join(" ");
  }

  run(args: readonly string[]): Promise<WranglerResult> {
    const script = findWrangler(this.#options);
    return runWrangler(script, [...args, ...this.#global()], this.#options);
  }

  async read(args: readonly string[]): Promise<string> {
    return (await this.run(args)).stdout;
  }

  /** Undefined if the account does not have the resource. */
  async unlessMissing(args: readonly string[]): Promise<string | undefined> {
    try {
      return await this.read(args);
    } catch (error) {
      if (error instanceof CloudFault && error.kind === "missing") return undefined;
      throw error;
    }
  }

  /**
   * Creates a resource. Succeeds if it exists meanwhile, by an earlier call with a lost answer or by another person.
   */
  async create(args: readonly string[]): Promise<void> {
    try {
      await this.run(args);
    } catch (error) {
      const isThere =
        error instanceof CloudFault && /already (?:exists|taken|owned)/i.test(error.message);
      if (!isThere) throw error;
    }
  }

  /** Follows the output of a call, line by line, until the signal. */
  async follow(
    args: readonly string[],
    more: { readonly signal: AbortSignal; readonly onLine: (line: string) => void },
  ): Promise<void> {
    const world = { ...this.#options, ...more };
    await followWrangler(findWrangler(this.#options), [...args, ...this.#global()], world);
  }

  /** Arguments of each call for its environment and configuration. */
  #global(): readonly string[] {
    const { env, configFile } = this.#options;
    return [
      ...(env === undefined ? [] : ["--env", env]),
      ...(configFile === undefined ? [] : ["--config", configFile]),
    ];
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./ -]*$/.test(word) && (!word.includes(" ") || word === "npx wrangler")
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
