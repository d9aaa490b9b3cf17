// The knowledge of a reflection: data that says which name of ours an upstream's name has, or why there is none.

/** An upstream's name that has another name here. */
export type Renamed = {
  /** Id in the form of `idOf`. */
  readonly upstream: string;
  /** Names of ours as `OwnNames` reads them; all of them must exist. */
  readonly ours: readonly string[];
};

/** Names that have no counterpart, or another meaning, for one reason. */
export type Decided = {
  /** Ids in the form of `idOf`; `*` stands for any text. */
  readonly names: readonly string[];
  /** The reason, or what to do instead: one sentence for a user. */
  readonly reason: string;
  /** Page of `docs/` with an anchor where there is one. */
  readonly page: string;
};

export type Rows = {
  readonly renamed: readonly Renamed[];
  readonly decided: readonly Decided[];
};

/** Rows as `upstream: "ours, ours"`. */
export function renamed(table: Readonly<Record<string, string>>): readonly Renamed[] {
  return Object.entries(table).map(([upstream, ours]) => ({ upstream, ours: ours.split(", ") }));
}
