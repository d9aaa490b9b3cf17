/** Position and size of a page. */
export type PageOptions = {
  /** `nextCursor` of the previous page. */
  readonly cursor?: string;
  /** Items per page, 1 to 200. @default 50 */
  readonly limit?: number;
};
