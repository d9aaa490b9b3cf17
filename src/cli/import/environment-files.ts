/** Variables of `.env` files: their names, and their values if requested. */
export function environmentFiles(
  texts: ReadonlyMap<string, string>,
  withEnv: boolean,
): readonly (readonly [string, string])[] {
  const all = [...texts].filter(([path]) => /(^|\/)\.env$/.test(path)).map(([, text]) => text);
  const lines = all.flatMap((text) => text.split(/\r\n?|\n/));
  const pairs = lines.flatMap((line) => {
    const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.trim()] as const];
  });
  if (pairs.length === 0) return [];
  const values = new Map(pairs);
  const example = [...values.keys()].map((name) => `${name}=\n`).join("");
  const kept = [...values].map(([name, value]) => `${name}=${value}\n`).join("");
  return [[".dev.vars.example", example], ...(withEnv ? [[".dev.vars", kept] as const] : [])];
}
