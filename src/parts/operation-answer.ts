/** An answer of an operation as JSON, with its status. */
export type JsonAnswer = {
  readonly status: 200 | 201 | 202 | 204 | 422;
  /** Absent for an answer without a body. */
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** JSON, or a complete response for bytes and streams. */
export type OperationAnswer = JsonAnswer | Response;
