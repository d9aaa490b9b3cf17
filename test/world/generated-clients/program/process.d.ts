declare const process: { readonly argv: readonly string[] };
