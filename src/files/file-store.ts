/** Files by path, such as `reports/2026/edge.md`: relative, with `/` between the parts. Writing a path again replaces the file. */
export interface FileStore {
  put(path: string, content: string | Uint8Array, mediaType: string): Promise<void>;
  /** Undefined for a path that nothing was put at. */
  get(
    path: string,
  ): Promise<{ readonly content: Uint8Array; readonly mediaType: string } | undefined>;
}

declare module "../events/run-services.ts" {
  interface RunServices {
    /** Where tasks put their `outputFile` and find the files that they name. */
    readonly files?: FileStore;
  }
}
