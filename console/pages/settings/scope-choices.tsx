type Props = {
  readonly legend: string;
  readonly words: Readonly<Record<string, string>>;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
};

/** Choice of scopes, each with its permissions. */
export function ScopeChoices({ legend, words, chosen, onChange }: Props) {
  return (
    <fieldset className="scope-words">
      <legend>{legend}</legend>
      {Object.entries(words).map(([scope, may]) => (
        <label key={scope} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
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
