/** Starts an isolate for a piece of code: the interface of a Worker Loader binding. */
export interface CodeLoader {
  load(code: LoadedCode): LoadedWorker;
}

export type LoadedCode = {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: string[];
  readonly mainModule: string;
  readonly modules: Record<string, string>;
  readonly env: Record<string, unknown>;
  /** Blocks all requests. */
  readonly globalOutbound: null;
  readonly limits: { readonly cpuMs: number; readonly subRequests: number };
};

export interface LoadedWorker {
  getEntrypoint(): unknown;
}
