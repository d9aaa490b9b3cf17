/** A file of the project, with its path. */
export type SourceFile = { readonly path: string; readonly bytes: Uint8Array };
