/** A link with a place. `isBack` marks a link back to a node already passed. */
export type PlacedLink = { readonly from: string; readonly to: string; readonly isBack: boolean };
