/** A page of a listing. `nextCursor` is opaque; it is absent on the last page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string };
