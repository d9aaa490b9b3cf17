type Props = {
  readonly legend: string;
  readonly words: Readonly<Record<string, string>>;
  /** Scopes that another one includes: ticked with it. */
  readonly included?: Readonly<Partial<Record<string, readonly string[]>>>;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
};

/** Choice of scopes, each with its permissions. */
export function ScopeChoices({ legend, words, included = {}, chosen, onChange }: Props) {
  const withOthers = new Set(chosen.flatMap((scope) => included[scope] ?? []));
  return (
    <fieldset className="scope-words">
      <legend>{legend}</legend>
      {Object.entries(words).map(([scope, may]) => (
        <label key={scope} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(scope) || withOthers.has(scope)}
            disabled={withOthers.has(scope)}
            onChange={(event) =>
              onChange(
                event.target.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope),
              )
            }
          />
          <strong>{scope}</strong> <span>{may}</span>
        </label>
      ))}
    </fieldset>
  );
}
