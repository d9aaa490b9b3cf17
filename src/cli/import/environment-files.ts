const OF_PROJECT = /(^|\/)\.env(\.(example|sample|template|dist))?$/;

/**
 * Returns files with variables: the names in `.env` and its examples and those of `keys`, and the values of `.env` if
 * requested.
 */
export function environmentFiles(
  texts: ReadonlyMap<string, string>,
  { withEnv, keys }: { readonly withEnv: boolean; readonly keys: readonly string[] },
): readonly (readonly [string, string])[] {
  const pairs = [...texts]
    .filter(([path]) => OF_PROJECT.test(path))
    .flatMap(([path, text]) =>
      text.split(/\r\n?|\n/).flatMap((line) => {
        const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/.exec(line) ?? [];
        return name === undefined ? [] : [{ path, name, value: value.trim() }];
      }),
    );
  const names = [...new Set([...pairs.map(({ name }) => name), ...keys])];
  if (names.length === 0) return [];
  const own = pairs.filter(({ path }) => /(^|\/)\.env$/.test(path));
  const values = new Map(own.map(({ name, value }) => [name, value]));
  const example = names.map((name) => `${name}=\n`).join("");
  const kept = [...values].map(([name, value]) => `${name}=${value}\n`).join("");
  return [
    [".dev.vars.example", example],
    ...(withEnv && kept !== "" ? [[".dev.vars", kept] as const] : []),
  ];
}
