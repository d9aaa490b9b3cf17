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
  /** Nobody sends requests for it. */
  readonly globalOutbound: null;
  readonly limits: { readonly cpuMs: number; readonly subRequests: number };
};

export interface LoadedWorker {
  getEntrypoint(): unknown;
}
