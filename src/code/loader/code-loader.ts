/** Starts an isolate for a piece of code: what a Worker Loader binding offers. */
export interface CodeLoader {
  load(code: LoadedCode): LoadedWorker;
}

export type LoadedCode = {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  readonly mainModule: string;
  readonly modules: Record<string, string>;
  readonly env: Record<string, unknown>;
  /** Who sends its requests; null for nobody. */
  readonly globalOutbound: unknown;
  readonly limits: { readonly cpuMs: number; readonly subRequests: number };
};

export interface LoadedWorker {
  getEntrypoint(): unknown;
}
